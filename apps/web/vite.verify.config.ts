import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { PUBLIC_CHUNKS } from "./build/chunks.ts";
import { FIRST_FONTS, firstLoad } from "./build/first-load.ts";
import { PUBLIC_ALIAS } from "./build/public-alias.ts";

/** What brings the viewer; and the log's page, which is another one. */
const BESIDE_THE_PROOF = [/\/signed-document-/, /\/public-log-page-/];

/** The public pages, `/verify/…` and the log's, added to what is built already (`vite.config.ts`): drawn by Preact, they weigh a third. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    firstLoad({
      budgetsKb: { "verify.html": 80 },
      until: { "verify.html": BESIDE_THE_PROOF },
      parts: [{ pattern: /public-log-page-/, budgetKb: 80 }],
      beside: ["theme.js"],
      preload: FIRST_FONTS,
      isAdded: true,
    }),
  ],
  resolve: { alias: PUBLIC_ALIAS },
  build: {
    target: "baseline-widely-available",
    emptyOutDir: false,
    copyPublicDir: false,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: `${import.meta.dirname}/verify.html`,
      output: { codeSplitting: { groups: PUBLIC_CHUNKS } },
    },
  },
});
