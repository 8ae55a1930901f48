import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/proof",
    testTimeout: 30_000,
  },
});
