import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { FIRST_FONTS, firstLoad } from "./build/first-load.ts";

/**
 * The guest's page, added to what is built already (`vite.config.ts`): one script and one style hold all that comes before the PDF engine. A phone waits for
 * each file that it asks for; shared with the members' pages, the same code came in forty.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    firstLoad({
      budgetsKb: { "sign.html": 120 },
      parts: [],
      beside: ["theme.js"],
      preload: FIRST_FONTS,
      isAdded: true,
    }),
  ],
  build: {
    target: "baseline-widely-available",
    emptyOutDir: false,
    copyPublicDir: false,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: `${import.meta.dirname}/sign.html`,
    },
  },
});
