import { defineConfig } from "vitest/config";

/** `npm run attacks`: not in `npm test`, as DSS takes minutes. */
export default defineConfig({
  test: {
    include: ["tests/attacks/*.test.ts"],
    root: new URL("../..", import.meta.url).pathname,
    // A missing validator is a failure.
    env: { CI: "1" },
  },
});
