import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

/**
 * What a context of V8 is too narrow for: modules read anew within a test, channels between tabs, and errors or answers made outside of it, whose classes
 * are other ones.
 */
export const APART = [
  "features/accounts/login-page",
  "features/accounts/session-life",
  "features/accounts/settings/erase-dialog",
  "features/accounts/settings/settings-page",
  "features/live/live",
  "features/signing/own/use-self-sign",
  "shell/member-routes",
]
  .map((name) => `src/${name}.test.{ts,tsx}`)
  .concat(["src/lib/accessibility.test.ts", "src/lib/api-client.test.ts"]);

/** What every test of the client asks for. */
export const CLIENT_TESTS = {
  environment: "happy-dom",
  setupFiles: ["./build/test-setup.ts"],
  restoreMocks: true,
  testTimeout: 20_000,
} as const;

/** Of the pages that Preact draws: `vitest.public.config.ts`. */
export const PUBLIC_TESTS = ["src/features/proof/prints/**/*.test.{ts,tsx}"];

/** Apart from the build's configuration, which must load where the development tools are not installed. */
export default defineConfig((env) =>
  mergeConfig(viteConfig(env), {
    test: {
      ...CLIENT_TESTS,
      name: "web",
      include: ["src/**/*.test.{ts,tsx}"],
      exclude: [...APART, ...PUBLIC_TESTS],
      // A document and modules of its own for each file, in a process that has read the runner and happy-dom before: half of the CPU of a process each.
      pool: "vmThreads",
      vmMemoryLimit: "1GB",
    },
  }),
);
