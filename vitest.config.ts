import { defineConfig } from "vitest/config";
import { CLIENT_PROJECTS } from "./apps/web/vitest.config.ts";
import { SpreadLongTests } from "./scripts/spread-long-tests.ts";

/** As on the server: a process goes from file to file and reads each module once, by Node itself. Anew for each file, that was most of what the small ones cost. */
const IN_ONE_PROCESS = {
  pool: "forks",
  isolate: false,
  experimental: { viteModuleRunner: false },
} as const;

/** Each workspace is a project with its own set-up, the client's two; the scripts' and the repository-wide tests are two more. */
export default defineConfig({
  test: {
    sequence: { sequencer: SpreadLongTests },
    projects: [
      "packages/*",
      "apps/{cli,server}",
      ...CLIENT_PROJECTS,
      {
        test: {
          name: "fences",
          include: ["{scripts,tests/planted}/**/*.test.ts"],
          exclude: ["scripts/fences/fixtures/**"],
          globalSetup: ["apps/server/testing/global-setup.ts"],
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
          include: ["tests/{interop,faults,journeys,postgres}/**/*.test.ts"],
          globalSetup: ["packages/pades/interop/share-validators.ts"],
          ...IN_ONE_PROCESS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
