import type { CoverageProviderModule } from "vitest/node";

/**
 * Counts lines of the measured files alone, where this package's tests run. V8's coverage counts in
 * every module and takes twice the tests' CPU.
 * For `vitest run --coverage.provider=custom --coverage.customProviderModule=` and this file's
 * path.
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
