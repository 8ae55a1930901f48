import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.ts";

/** Apart from the build's configuration, which must load where the development tools are not installed. */
export default defineConfig((env) =>
  mergeConfig(viteConfig(env), {
    test: {
      name: "web",
      environment: "happy-dom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["./build/test-setup.ts"],
      restoreMocks: true,
    },
  }),
);
