import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@paraphe/pades",
    globalSetup: ["interop/share-judges.ts"],
    pool: "forks",
    // As on the server: a process reads the modules once, and the coverage of each file is taken when it ends.
    isolate: false,
    // What is bounded by the bytes it reads takes its time where other work has the cores.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
