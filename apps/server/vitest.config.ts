import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "server",
    include: ["src/**/*.test.ts", "testing/**/*.test.ts"],
    globalSetup: ["testing/global-setup.ts"],
    pool: "forks",
    // A process goes from file to file and reads the service's modules once: anew for each file, that was a third of what the tests cost.
    // What a test keeps, its own platform keeps.
    isolate: false,
    // Node runs TypeScript itself, as in production: nothing is transformed.
    experimental: { viteModuleRunner: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
