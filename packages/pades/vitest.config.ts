import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/pades",
    globalSetup: ["interop/share-judges.ts"],
    // What is bounded by the bytes it reads takes its time where other work has the cores.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
