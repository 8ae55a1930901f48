import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv, type UserConfig } from "vite";
import { CHUNKS } from "./build/chunks.ts";
import { entryRoutes } from "./build/entry-routes.ts";
import { FIRST_FONTS, firstLoad } from "./build/first-load.ts";
import { localTls } from "./build/local-tls.ts";
import { pdfjsAssets } from "./build/pdfjs-assets.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** The members' pages; in development all others too, which are built apart: the guest's (`vite.guest.config.ts`), the public ones (`vite.verify.config.ts`), and the page that is one file (`vite.verifier.config.ts`). */
export default defineConfig(({ command, mode }): UserConfig => {
  const env = loadEnv(mode, process.cwd(), "");
  const server = env["PUBLIC_URL"] ?? `https://localhost:${env["PORT"] ?? "8443"}`;
  return {
    root: import.meta.dirname,
    plugins: [
      react(),
      entryRoutes(),
      pdfjsAssets(),
      serviceWorker(),
      firstLoad({
        // Compressed script of a first load of any of them, in kilobytes (1 000 bytes).
        budgetsKb: { "index.html": 180 },
        parts: [],
        beside: ["theme.js"],
        frame: {
          pattern: /top-bar-/,
          visitorPages: /(login|register|password-reset|reset-password|conditions|privacy)-page-/,
        },
        preload: FIRST_FONTS,
      }),
    ],
    build: {
      target: "baseline-widely-available",
      rolldownOptions: {
        checks: { bundlerTimings: false },
        output: { codeSplitting: { groups: CHUNKS } },
        input: `${import.meta.dirname}/index.html`,
      },
      reportCompressedSize: false,
      // Every browser of the target has it.
      modulePreload: { polyfill: false },
    },
    server: {
      ...(command === "serve" && mode !== "test" ? { https: localTls(env["DATA_DIR"]) } : {}),
      proxy: Object.fromEntries(
        ["/api", "/pki", "/politique-de-certification"].map((path) => [
          path,
          { target: server, secure: false, changeOrigin: true },
        ]),
      ),
    },
  };
});
