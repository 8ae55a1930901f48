import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/kernel",
    pool: "forks",
    // As on the server: a process reads each module once, by Node itself.
    isolate: false,
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
  },
});
