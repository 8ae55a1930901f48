import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/sdk",
    include: ["src/**/*.test.ts"],
    pool: "forks",
    isolate: false,
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
  },
});
