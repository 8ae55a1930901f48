import { defineConfig } from "vitest/config";

/** `npm run test:deployments`: what one deploys, with the tools and the systems of others. Not part of `npm test`: it takes minutes, and installs Debian's packages. */
export default defineConfig({
  test: {
    include: ["tests/deployments/*.test.ts"],
    root: new URL("../..", import.meta.url).pathname,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
