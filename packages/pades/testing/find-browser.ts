import { existsSync } from "node:fs";

export const CHROMIUM = "/usr/bin/chromium";
/** Chromium without its interface: the same pages for a fifth less CPU. */
const PAGES_ALONE = "/usr/bin/chromium-headless-shell";

/** The browser of the tests: `CHROMIUM`, or Debian's. */
export function findBrowser(): string {
  return process.env["CHROMIUM"] ?? (existsSync(PAGES_ALONE) ? PAGES_ALONE : CHROMIUM);
}
