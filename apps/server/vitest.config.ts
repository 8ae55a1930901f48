import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "server",
    include: ["src/**/*.test.ts", "testing/**/*.test.ts"],
    globalSetup: ["testing/global-setup.ts"],
    pool: "forks",
    // A process goes from file to file and reads the service's modules once: reading them for each
    // file took a third of the tests' time. What a test must keep, its own platform keeps.
    isolate: false,
    // Node runs TypeScript itself, as in production: nothing is transformed.
    experimental: { viteModuleRunner: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
