import { defineConfig } from "@playwright/test";
import { findBrowser } from "./packages/pades/testing/find-browser.ts";

/**
 * Node runs the stories' TypeScript itself, from its compile cache: Playwright would translate it
 * in each process, and map each call's stack back.
 */
process.env["PW_DISABLE_TS_ESM"] = "1";
Reflect.deleteProperty(Error, "prepareStackTrace");

/**
 * Chromium uses the last list: Playwright's relevant ones, then the address bar's pages, which each
 * context would load.
 */
const DISABLED_FEATURES = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
  "SpareRendererForSitePerProcess",
];

/** Stories at a phone's and a desk's width on one service; each process has its own people. */
export default defineConfig({
  testDir: "tests/journeys",
  testMatch: "**/*.spec.ts",
  globalSetup: "./tests/journeys/global-setup.ts",
  outputDir: "test-results/journeys",
  workers: 2,
  // A second pass is reported as unsteady.
  retries: 1,
  timeout: 480_000,
  expect: { timeout: 15_000 },
  forbidOnly: Boolean(process.env["CI"]),
  reporter: process.env["PLAYWRIGHT_JSON_OUTPUT_FILE"] ? [["list"], ["json"]] : [["list"]],
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    ignoreHTTPSErrors: true,
    locale: "fr-FR",
    timezoneId: "Europe/Paris",
    // Recording costs each story, a film a third of its time without a graphics card.
    trace: { mode: "on-first-retry", screenshots: false, snapshots: true, sources: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        "--no-sandbox",
        // Set for the browser, not the context, so that it caches and accepts a service worker.
        "--ignore-certificate-errors",
        "--disable-gpu",
        // Pages are drawn without a graphics card: a process for it costs a tenth of the CPU.
        "--in-process-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        `--disable-features=${DISABLED_FEATURES.join(",")}`,
      ],
    },
  },
  // Mouse and touch stories have a tag, and do not run elsewhere.
  projects: [
    {
      name: "390",
      grepInvert: /@desk/,
      use: {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        // Drawing twice as many points costs a fifth of these stories' CPU without a graphics card.
        deviceScaleFactor: 1,
      },
    },
    {
      name: "1440",
      grepInvert: /@touch/,
      // Animations cost 60 frames a second: they run at the phone's width alone.
      use: { viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: "reduce" } },
    },
  ],
});
