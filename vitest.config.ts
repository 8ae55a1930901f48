import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { CLIENT_PROJECTS } from "./apps/web/vitest.config.ts";
import { SpreadLongTests } from "./tests/run/spread-long-tests.ts";

/**
 * A process loads each module once for all its files: a fresh load is most of a small file's cost.
 */
const IN_ONE_PROCESS = {
  pool: "forks",
  isolate: false,
  experimental: { viteModuleRunner: false },
} as const;

const inRepository = (path: string) => join(import.meta.dirname, path);
const DATABASE = inRepository("apps/server/testing/global-setup.ts");

const inFolder = (
  folder: string,
  test: TestProjectInlineConfiguration["test"] = {},
): TestProjectInlineConfiguration => ({
  root: inRepository(folder),
  test: {
    include: ["src/**/*.test.ts"],
    ...IN_ONE_PROCESS,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...test,
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: SpreadLongTests },
    projects: [
      inFolder("packages/kernel", { name: "@paraphe/kernel" }),
      inFolder("packages/contracts", { name: "@paraphe/contracts" }),
      inFolder("packages/proof", { name: "@paraphe/proof" }),
      inFolder("packages/sdk", { name: "@paraphe/sdk" }),
      inFolder("packages/pades", {
        name: "@paraphe/pades",
        include: ["**/*.test.ts"],
        globalSetup: [inRepository("packages/pades/interop/share-validators.ts")],
        // Coverage is taken of modules that Vite reads.
        experimental: { viteModuleRunner: true },
      }),
      inFolder("apps/cli", { name: "cli", globalSetup: [DATABASE] }),
      inFolder("apps/server", {
        name: "server",
        include: ["{src,testing}/**/*.test.ts"],
        globalSetup: [DATABASE],
        testTimeout: 60_000,
      }),
      ...CLIENT_PROJECTS,
      {
        test: {
          name: "fences",
          include: ["{scripts,tests/run,tests/planted}/**/*.test.ts"],
          exclude: ["scripts/fences/fixtures/**"],
          globalSetup: [DATABASE],
          ...IN_ONE_PROCESS,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "postgres-15",
          include: ["apps/server/src/platform/database/transactions.test.ts"],
          globalSetup: ["apps/server/testing/postgres-15/global-setup.ts"],
          env: { TEST_POSTGRES: "15" },
          ...IN_ONE_PROCESS,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "stories",
          include: ["tests/{api,interop,faults,journeys,postgres}/**/*.test.ts"],
          globalSetup: ["packages/pades/interop/share-validators.ts"],
          ...IN_ONE_PROCESS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
