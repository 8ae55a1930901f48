import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

/** Apart from the build's configuration, which must load where the development tools are not installed. */
export default defineConfig((env) =>
  mergeConfig(viteConfig(env), {
    test: {
      name: "web",
      // The root's number does not reach a project: left alone, this one would have a single process on two cores.
      maxWorkers: 2,
      environment: "happy-dom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["./build/test-setup.ts"],
      restoreMocks: true,
    },
  }),
);
