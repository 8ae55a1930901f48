import type { CoverageProviderModule } from "vitest/node";

/**
 * Counters written into the measured files alone, and read where the tests of this package run: a line that only another workspace runs is not tested here.
 * V8's own coverage counts in every module of the process, and took twice the CPU of the tests that it measured.
 * For `vitest run --coverage.provider=custom --coverage.customProviderModule=` and the path of this file:
 * by its own name the provider is refused beside projects whose modules Node reads itself.
 */
const MEASURED = "@paraphe/pades";

const counters = async (): Promise<CoverageProviderModule> =>
  (await import("@vitest/coverage-istanbul")).default;

const isMeasured = (): boolean =>
  (globalThis as { __vitest_worker__?: { config: { name?: string } } }).__vitest_worker__?.config
    .name === MEASURED;

const coverage: CoverageProviderModule = {
  getProvider: async () => (await counters()).getProvider(),
  startCoverage: async (options) =>
    isMeasured() ? (await counters()).startCoverage?.(options) : undefined,
  takeCoverage: async (options) =>
    isMeasured() ? (await counters()).takeCoverage?.(options) : undefined,
};

// oxlint-disable-next-line import/no-default-export -- Vitest asks for it
export default coverage;
