import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "cli",
    include: ["src/**/*.test.ts"],
    globalSetup: ["../server/testing/global-setup.ts"],
    pool: "forks",
    isolate: false,
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
