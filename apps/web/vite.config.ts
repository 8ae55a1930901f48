import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv, type UserConfig } from "vite";
import { entryRoutes } from "./build/entry-routes.ts";
import { firstLoad } from "./build/first-load.ts";
import { localTls } from "./build/local-tls.ts";
import { pdfjsAssets } from "./build/pdfjs-assets.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** Compressed script budgets of a first load of any page, in kilobytes (1 000 bytes), one for each entry. */
const BUDGETS = { "index.html": 180, "sign.html": 120, "verify.html": 80 };
const PARTS = [
  // The guest's desk comes once the code is confirmed: with it, all that comes before the PDF viewer, whose files follow.
  { pattern: /signing-desk-/, budgetKb: 120 },
  // The log's page reads lists: what holds them comes with it alone.
  { pattern: /public-log-page-/, budgetKb: 120 },
];
/** A scanned page brings its statement, which is checked at once; what is further down, and the QR code after the viewer, are asked for later. */
const ALONGSIDE = { "verify.html": [/\/paper-card-/, /\/statement-/] };
const BASE_LIB =
  "lib/(accessibility|announce|api|call-message|class-names|fetch-file|format-dates|format-numbers|hex|load-part|read-|save-blob|theme|use-delayed|use-media-query|use-page-title)";
const BASE_UI =
  "ui/(alert|avatar|badge|brand/brand-mark|button/button|copy-field|dialog/lazy-dialog|error-boundary|focus|full-loader|icon|lazy-step/(lazy-step|part-away)|page-heading|skeleton/skeleton|skip-link|start-refusal|toast)";
const inFolders = (...paths: readonly string[]) => new RegExp(`apps/web/src/(${paths.join("|")})|vite/preload-helper`);
/** One file for what every entry has, one for what the public page does without: cut finer they weigh more. */
const CHUNKS = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
  { name: "pages", test: /node_modules\/(react-router|@tanstack)/, priority: 1 },
  { name: "base", test: inFolders("entries/start", BASE_LIB, BASE_UI, "features/legal/legal-links"), priority: 0 },
];

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
        alongside: ALONGSIDE,
        beside: ["theme.js"],
        frame: { pattern: /top-bar-/, visitorPages: /(login|register|password-reset|reset-password|conditions|privacy)-page-/ },
        preload: [/instrument-sans-latin-wght-normal/, /spectral-latin-500-normal/],
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
