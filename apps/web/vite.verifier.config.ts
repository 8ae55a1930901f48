import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { singleFile } from "./build/single-file.ts";

/** The page that checks proofs by itself, as one file, added to what is built already (`vite.config.ts`). */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), singleFile({ page: "verifier.html", budgetKb: 415 })],
  build: {
    target: "baseline-widely-available",
    emptyOutDir: false,
    cssCodeSplit: false,
    // Fonts and pictures as data: nothing is beside the page.
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: `${import.meta.dirname}/verifier.html`,
      output: { codeSplitting: false },
    },
  },
});
