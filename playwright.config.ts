import { defineConfig } from "@playwright/test";
import { findBrowser } from "./packages/pades/testing/find-browser.ts";

/**
 * Chromium takes the last list it is given: these are Playwright's own that matter here, then the pages behind the address bar, which would be loaded for
 * every context and cost as much as a page of ours.
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

/** The stories in a real browser, at a phone's and at a desk's width. All share one service, where each process has people of its own: two go side by side. */
export default defineConfig({
  testDir: "tests/journeys",
  testMatch: "**/*.spec.ts",
  globalSetup: "./tests/journeys/global-setup.ts",
  outputDir: "test-results/journeys",
  workers: 2,
  // A story that passes the second time only is named as unsteady at the end of `npm test`.
  retries: 1,
  timeout: 480_000,
  expect: { timeout: 15_000 },
  forbidOnly: Boolean(process.env["CI"]),
  reporter: process.env["PLAYWRIGHT_JSON_OUTPUT_FILE"] ? [["list"], ["json"]] : [["list"]],
  use: {
    actionTimeout: 60_000,
    ignoreHTTPSErrors: true,
    locale: "fr-FR",
    timezoneId: "Europe/Paris",
    // Kept of the second try only: watching every step costs each story, and a film of the screen a third of its time on two cores without a graphics card.
    trace: { mode: "on-first-retry", screenshots: false, snapshots: true, sources: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        "--no-sandbox",
        // The browser itself accepts the certificate: it then stores what it loads, and takes a service worker. The lenience of a context does neither.
        "--ignore-certificate-errors",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        `--disable-features=${DISABLED_FEATURES.join(",")}`,
      ],
    },
  },
  // A story of the mouse or of a finger bears a tag: it is not run, rather than skipped, where there is none.
  projects: [
    {
      name: "390",
      grepInvert: /@desk/,
      use: {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        deviceScaleFactor: 2,
      },
    },
    {
      name: "1440",
      grepInvert: /@touch/,
      // What moves is drawn sixty times a second: it does at the phone's width alone, and here is seen as those who ask for less motion see it.
      use: { viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: "reduce" } },
    },
  ],
});
