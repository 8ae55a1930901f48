import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";
import { APART, CLIENT_TESTS } from "./vitest.config.ts";

/** The tests of the client that need a process each. */
export default defineConfig((env) =>
  mergeConfig(viteConfig(env), { test: { ...CLIENT_TESTS, name: "web-apart", include: APART } }),
);
