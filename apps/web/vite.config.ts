import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv, type EnvironmentOptions, type Plugin, type UserConfig } from "vite";
import { firstLoad } from "./build/first-load.ts";
import {
  entryRoutes,
  localTls,
  pdfjsAssets,
  serviceWorker,
  shakePdfjs,
  shakeSchemas,
  singleFile,
} from "./build/plugins.ts";

const BASE_LIB =
  "lib/(api/(api|fetch-file|load-part)|browser/(accessibility|announce|save-blob|theme|use-media-query)|class-names|format/format-(dates|numbers)|use-delayed)";
const BASE_UI =
  "ui/(alert|avatar|badge|brand/brand-mark|button/button|dialog/lazy-dialog|error-boundary|focus|icon|lazy-step/lazy-step|page-heading|skeleton/skeleton|skip-link|toast)";
const WORDS = "packages/(kernel|contracts)/src/french-(dates|numbers|words)";
const inFolders = (...paths: readonly string[]) =>
  new RegExp(`apps/web/src/(${paths.join("|")})|${WORDS}|vite/preload-helper`);
const BASE = {
  name: "base",
  test: inFolders("entries/start", BASE_LIB, BASE_UI, "features/privacy/legal/legal-links"),
  priority: 0,
};
/** One chunk for most member pages, instead of dozens of tiny files. */
const MEMBER = inFolders(
  "ui/(checkbox|doc-cell|drawer|editor-frame|field|link|progress|segmented|stepper)/",
  "ui/dialog/(lazy-dialog|dialog|confirm-dialog|use-modal)\\.",
  "lib/(api/service-rules|browser/tab-memory)",
  "features/(accounts/(password-minimum|use-session)|envelopes/reached-words)",
);
/** One chunk for what every page has: smaller ones add requests. */
const MEMBER_WORDS = "packages/contracts/src/(field-kinds|person-rules)";
const CHUNKS = [
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
  { name: "pages", test: /node_modules\/(react-router|@tanstack)/, priority: 1 },
  { ...BASE, test: new RegExp(`${BASE.test.source}|${MEMBER.source}|${MEMBER_WORDS}`) },
  { name: "files", test: /apps\/web\/src\/(ui\/(dropzone|file-item)\/|.*\/use-uploads)/ },
];
/** The base comes first, because component styles build on it. */
const PUBLIC_CHUNKS = [BASE];

type Build = NonNullable<EnvironmentOptions["build"]>;
type Output = NonNullable<NonNullable<Build["rolldownOptions"]>["output"]>;

/** Short, because every first load lists all parts; 42 bits of hash tell them apart. */
const NAMES = {
  chunkFileNames: "assets/[name]-[hash:7].js",
  assetFileNames: "assets/[name]-[hash:7][extname]",
};

/** One of the builds of the client. Every browser of the target preloads modules by itself. */
const build = (page: string, output: Output, options: Build = {}): EnvironmentOptions => ({
  consumer: "client",
  build: {
    target: "baseline-widely-available",
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: `${import.meta.dirname}/${page}`,
      output: { ...NAMES, ...output },
    },
    ...options,
  },
});

/** Builds that add to the members' output. */
const ADDED = { emptyOutDir: false, copyPublicDir: false } as const;

/**
 * `client` is the members' pages, by the name that the development server wants, and comes first.
 * `guest` is one script and one style before the PDF engine: a phone waits for each file that it
 * asks for. `public` shares no file with the members' pages, whose chunks weigh more.
 * `verifier` is one file, with fonts and pictures as data. `embed` is the element for other sites.
 */
const BUILDS = {
  client: build("index.html", { codeSplitting: { groups: CHUNKS } }),
  guest: build(
    "sign.html",
    { codeSplitting: { groups: [{ name: "sign", tags: ["$initial"] }] } },
    ADDED,
  ),
  public: build("verify.html", { codeSplitting: { groups: PUBLIC_CHUNKS } }, ADDED),
  verifier: build(
    "verifier.html",
    { codeSplitting: false },
    {
      ...ADDED,
      cssCodeSplit: false,
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      modulePreload: false,
    },
  ),
  embed: build(
    "src/entries/paraphe-sign.ts",
    { format: "iife", entryFileNames: "embed.js" },
    ADDED,
  ),
};

/** Limits on a plugin to one build; the development server runs those of the members' pages. */
const onlyIn = (name: keyof typeof BUILDS, plugin: Plugin): Plugin => ({
  ...plugin,
  applyToEnvironment: (environment) => environment.name === name,
});

/** Compressed script of a first load of any page, in kilobytes (1 000 bytes). */
const budgets = firstLoad({
  client: {
    budgetsKb: { "index.html": 180 },
    frame: {
      pattern: /top-bar-/,
      visitorPages: /(login|register|password-reset|reset-password|conditions|privacy)-page-/,
    },
  },
  guest: { budgetsKb: { "sign.html": 120 }, fontsLater: true },
  public: {
    budgetsKb: { "verify.html": 80 },
    part: { pattern: /log-page-/, budgetKb: 90 },
  },
});

export default defineConfig(({ command, mode }): UserConfig => {
  const env = loadEnv(mode, process.cwd(), "");
  const server = env["PUBLIC_URL"] ?? `https://localhost:${env["PORT"] ?? "8443"}`;
  return {
    root: import.meta.dirname,
    plugins: [
      react(),
      entryRoutes(),
      shakePdfjs(),
      shakeSchemas(),
      onlyIn("client", pdfjsAssets()),
      onlyIn("client", serviceWorker()),
      onlyIn("verifier", singleFile({ page: "verifier.html", budgetKb: 420 })),
      budgets,
    ],
    environments: command === "build" ? BUILDS : {},
    builder: {
      /** Builds that share files run in turn: one would compress what the other writes anew. */
      async buildApp({ environments, build }) {
        const inLine = async (...names: readonly (keyof typeof BUILDS)[]) => {
          for (const environment of names.flatMap((name) => environments[name] ?? []))
            await build(environment);
        };
        await inLine("client");
        await Promise.all([inLine("guest", "public"), inLine("verifier", "embed")]);
      },
    },
    server: {
      ...(command === "serve" && mode !== "test" ? { https: localTls(env["DATA_DIR"]) } : {}),
      proxy: Object.fromEntries(
        ["/api", "/pki", "/politique-de-certification", "/organisation.css"].map((path) => [
          path,
          { target: server, secure: false, changeOrigin: true },
        ]),
      ),
    },
  };
});
