import { existsSync } from "node:fs";

/** Debian's Chromium, there or not. */
export const CHROMIUM = "/usr/bin/chromium";
/** The same without what is around a page, which hardly any test looks at: the same pages for a fifth less CPU. */
const PAGES_ALONE = "/usr/bin/chromium-headless-shell";

/** Gives the path of the browser that tests use: that of `CHROMIUM`, or Debian's. */
export function findBrowser(): string {
  return process.env["CHROMIUM"] ?? (existsSync(PAGES_ALONE) ? PAGES_ALONE : CHROMIUM);
}
