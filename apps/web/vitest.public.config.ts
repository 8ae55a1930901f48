import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { PUBLIC_ALIAS } from "./build/public-alias.ts";
import { CLIENT_TESTS, PUBLIC_TESTS } from "./vitest.config.ts";

/** Its modules, which take what draws from the aliases; those that Node would load take React. */
const TESTING_LIBRARY = join(
  dirname(createRequire(import.meta.url).resolve("@testing-library/react/package.json")),
  "dist/@testing-library/react.esm.js",
);

/** The public pages' components, on what draws them in production (`vite.verify.config.ts`). */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { alias: { ...PUBLIC_ALIAS, "@testing-library/react": TESTING_LIBRARY } },
  test: {
    ...CLIENT_TESTS,
    name: "web-public",
    include: PUBLIC_TESTS,
    server: { deps: { inline: [/@testing-library\/react/] } },
  },
});
