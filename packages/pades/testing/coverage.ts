import type { CoverageProviderModule } from "vitest/node";

/**
 * V8's coverage, measured where the tests of this package run and nowhere else: in a run of every workspace, counting would slow all the others for nothing.
 * For `vitest run --coverage.provider=custom --coverage.customProviderModule=` and the path of this file.
 */
const MEASURED = "@paraphe/pades";

const v8 = async (): Promise<CoverageProviderModule> => (await import("@vitest/coverage-v8")).default as CoverageProviderModule;

const isMeasured = (): boolean =>
  (globalThis as { __vitest_worker__?: { config: { name?: string } } }).__vitest_worker__?.config.name === MEASURED;

const coverage: CoverageProviderModule = {
  getProvider: async () => (await v8()).getProvider(),
  startCoverage: async (options) => (isMeasured() ? (await v8()).startCoverage?.(options) : undefined),
  takeCoverage: async (options) => (isMeasured() ? (await v8()).takeCoverage?.(options) : undefined),
  stopCoverage: async (options) => (isMeasured() ? (await v8()).stopCoverage?.(options) : undefined),
};

// oxlint-disable-next-line import/no-default-export -- Vitest asks for it
export default coverage;
