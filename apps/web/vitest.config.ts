import react from "@vitejs/plugin-react";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/**
 * Tests that need a process each: a V8 context is too narrow for modules loaded anew within a test,
 * for channels between tabs, and for errors and answers made outside of it.
 */
const PROCESS_EACH = [
  "features/accounts/login/login-page",
  "features/accounts/session-life",
  "features/accounts/login/provider-login",
  "features/organisations/sign-in-cards",
  "features/accounts/settings/erase-dialog",
  "features/accounts/settings/settings-page",
  "features/live/live",
  "features/proof/prints/verify-page",
  "features/signing/own/use-self-sign",
  "shell/member-routes",
  "lib/browser/accessibility",
  "lib/api/api-client",
].map((name) => `src/${name}.test.{ts,tsx}`);

const project = (test: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration => ({
  root: import.meta.dirname,
  plugins: [react()],
  test: {
    environment: "happy-dom",
    setupFiles: [`${import.meta.dirname}/src/test-setup.ts`],
    restoreMocks: true,
    testTimeout: 60_000,
    ...test,
  },
});

/** The client's tests, in two projects of the repository's configuration. */
export const CLIENT_PROJECTS = [
  project({
    name: "web",
    include: ["src/**/*.test.{ts,tsx}"],
    exclude: PROCESS_EACH,
    // One process loads the runner and happy-dom for many files, which halves the CPU.
    pool: "vmThreads",
    vmMemoryLimit: "1GB",
  }),
  project({ name: "web-process-each", include: PROCESS_EACH }),
];

export default defineConfig({ test: { projects: CLIENT_PROJECTS } });
