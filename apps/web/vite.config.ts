import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv, type UserConfig } from "vite";
import { CHUNKS } from "./build/chunks.ts";
import { entryRoutes } from "./build/entry-routes.ts";
import { FIRST_FONTS, firstLoad } from "./build/first-load.ts";
import { localTls } from "./build/local-tls.ts";
import { pdfjsAssets } from "./build/pdfjs-assets.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** Compressed script budgets of a first load of any page, in kilobytes (1 000 bytes), one for each entry. */
const BUDGETS = { "index.html": 180, "sign.html": 120 };
const PARTS = [
  // The guest's desk comes once the code is confirmed: with it, all that comes before the PDF viewer, whose files follow.
  { pattern: /signing-desk-/, budgetKb: 120 },
];
/** All but the public pages (`vite.verify.config.ts`) and the page that is one file (`vite.verifier.config.ts`); in development, those too. */
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
        budgetsKb: BUDGETS,
        parts: PARTS,
        beside: ["theme.js"],
        frame: { pattern: /top-bar-/, visitorPages: /(login|register|password-reset|reset-password|conditions|privacy)-page-/ },
        preload: FIRST_FONTS,
      }),
    ],
    build: {
      target: "baseline-widely-available",
      rolldownOptions: {
        output: { codeSplitting: { groups: CHUNKS } },
        input: Object.keys(BUDGETS).map((name) => `${import.meta.dirname}/${name}`),
      },
      reportCompressedSize: false,
      // Every browser of the target has it.
      modulePreload: { polyfill: false },
    },
    server: {
      ...(command === "serve" && mode !== "test" ? { https: localTls(env["DATA_DIR"]) } : {}),
      proxy: Object.fromEntries(
        ["/api", "/pki", "/politique-de-certification"].map((path) => [path, { target: server, secure: false, changeOrigin: true }]),
      ),
    },
  };
});
