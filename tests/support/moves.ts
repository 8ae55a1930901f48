import type { Page } from "@playwright/test";

/** How much of what was in sight has moved by itself (web.dev/cls), of what nobody pressed for: noted from the page's start by this script. */
export const MOVES = `globalThis.moves = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.moves.push(value);
}).observe({ type: "layout-shift", buffered: true })`;

export const MOST_MOVED = 0.05;

export function movedIn(page: Page): Promise<number> {
  return page.evaluate<number>("globalThis.moves.reduce((sum, value) => sum + value, 0)");
}
