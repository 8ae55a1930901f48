import { defineConfig } from "vitest/config";

/**
 * `npm run test:deployments`: not in `npm test`, as it takes minutes and installs Debian packages.
 */
export default defineConfig({
  test: {
    include: ["tests/deployments/*.test.ts"],
    root: new URL("../..", import.meta.url).pathname,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
