import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/pades",
    globalSetup: ["interop/share-validators.ts"],
    pool: "forks",
    // A process reads each module once; coverage is taken when a file ends.
    isolate: false,
    // Work bounded by bytes takes longer on busy cores.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
