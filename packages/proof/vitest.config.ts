import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/proof",
    pool: "forks",
    isolate: false,
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
  },
});
