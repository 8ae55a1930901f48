import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import type axe from "axe-core";
import { expect, type Page } from "@playwright/test";
import { nextFrames } from "./controls.ts";

/** Axe's rules, with label in name (WCAG 2.5.3) and target size (2.5.8). */
const RULES: axe.RunOptions = {
  resultTypes: ["violations"],
  rules: { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } },
};

/** A mail has no landmarks nor first heading of its own. */
export const MAIL_RULES: axe.RunOptions = {
  ...RULES,
  rules: {
    ...RULES.rules,
    "landmark-one-main": { enabled: false },
    "page-has-heading-one": { enabled: false },
    region: { enabled: false },
  },
};

/** Rules that depend on colours: in the dark the elements are the same. */
export const COLOUR_RULES: axe.RunOptions = {
  resultTypes: ["violations"],
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

/**
 * Primary buttons in sight, of the top dialog or of the page. Equal row buttons count once,
 * disabled ones not.
 */
const PRIMARY_BUTTONS = `(() => {
  const root = [...document.querySelectorAll("dialog:modal, [role=dialog]")].filter((dialog) => dialog.checkVisibility()).at(-1) ?? document;
  const shown = [...root.querySelectorAll(":is(a, button)[class*=_primary_]:not([aria-disabled=true], :disabled)")].filter((button) => button.checkVisibility({ visibilityProperty: true }));
  const inRows = shown.filter((button) => button.closest("[data-row]"));
  return [...shown.filter((button) => !inRows.includes(button)), ...inRows.slice(0, 1)].map((button) => button.textContent.trim());
})()`;

/** The design's rule: one primary button a screen. */
export async function expectOnePrimaryButton(page: Page, name: string): Promise<void> {
  const [, ...others] = await page.evaluate<string[]>(PRIMARY_BUTTONS);
  expect.soft(others, `primary buttons of ${name} beside its first`).toEqual([]);
}

const PICTURED = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1440, height: 900 },
] as const;

/** Takes pictures of a state in three windows and both themes: `test-results/screens/<name>/`. */
async function takePictures(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  for (const window of PICTURED) {
    await page.setViewportSize(window);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await nextFrames(page);
      const file = `${window.width}-${colorScheme}.jpg`;
      const path = join("test-results/screens", name, file);
      await page.screenshot({ path, type: "jpeg", quality: 80, animations: "disabled" });
    }
  }
  if (size) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
}

/**
 * Refuses faults of axe and two primary buttons. With `PICTURES` set, keeps pictures of the state.
 */
export async function lookAt(page: Page, name: string, rules = RULES): Promise<void> {
  if (process.env["PICTURES"]) await takePictures(page, name);
  if (rules === RULES) await expectOnePrimaryButton(page, name);
  const faults = await faultsOf(page, rules);
  // Soft: the story goes on and reports all faults at its end.
  expect.soft(faults, `accessibility of ${name}`).toEqual([]);
}

/** Ends transitions, which begin within two frames: axe would measure a colour between two. */
const END_TRANSITIONS = `await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
for (const animation of document.getAnimations())
  if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();`;

/** Packed: sent as it is, axe was a sixth of the CPU of Playwright's processes. */
const AXE = deflateRawSync(
  readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js")),
).toString("base64");
const UNPACK_AXE = `new Response(
  new Blob([Uint8Array.from(atob("${AXE}"), (letter) => letter.charCodeAt(0))])
    .stream().pipeThrough(new DecompressionStream("deflate-raw"))
).text().then((text) => { globalThis.axeSource = text; })`;

/** Runs axe in the page, loaded once a document. Gives a line a fault. */
async function faultsOf(page: Page, rules: axe.RunOptions): Promise<readonly string[]> {
  await Promise.all(
    page.frames().map(async (frame) => {
      if (await frame.evaluate<boolean>('"axe" in window')) return;
      await frame.evaluate(UNPACK_AXE);
      // A call of its own, because the page's policy forbids it to evaluate text later.
      await frame.evaluate("(0, eval)(axeSource); delete globalThis.axeSource;");
    }),
  );
  const { violations } = await page.evaluate<axe.AxeResults>(
    `(async () => { ${END_TRANSITIONS} return axe.run(${JSON.stringify(rules)}); })()`,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/** Does not use `innerWidth`, which on a phone grows with what does not fit. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect.soft(content, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(window);
}

/** Looks in the light, then in the dark with the colour rules. */
export async function lookTwice(page: Page, name: string): Promise<void> {
  await lookAt(page, name);
  await page.emulateMedia({ colorScheme: "dark" });
  await lookAt(page, `${name}-dark`, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: "light" });
  await expectNoSidewaysScroll(page);
}

/** On a desk a proof is one centred column. */
export async function expectReadingColumn(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const column = await page.locator("main > :first-child").boundingBox();
  expect([column?.width, column?.x]).toEqual([820, (1440 - 820) / 2]);
  if (before) await page.setViewportSize(before);
}

const WINDOWS = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1100, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
] as const;

/**
 * Controls in sight whose middle belongs to something else once scrolled to. An open modal limits
 * it; a hidden native input is pressed by its label.
 */
const LIST_UNREACHABLE = `(() => {
  const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const nameOf = (element) => (element.tagName.toLowerCase() + " " + (element.getAttribute("aria-label") ?? element.textContent).trim()).slice(0, 60);
  const faults = [];
  for (const control of root.querySelectorAll("a[href], button, select, textarea, summary, input:not([type=hidden]), [role=button], [role=tab]")) {
    if (control.closest("[inert], [aria-hidden=true], .sr") || control.matches("[href='#contenu'], [href='#main']")) continue;
    const target = shown(control) ? control : [...(control.labels ?? [])].find(shown);
    if (!target) continue;
    target.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    // A link that goes over two lines has no middle of its own: the first line's is pressed.
    const box = [...target.getClientRects()].find(({ width }) => width > 1);
    if (!box) continue;
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    // Fields laid one upon the other on a page are their sender's doing.
    if (hit?.closest("[data-field]") && control.closest("[data-field]")) continue;
    const isOwn = hit !== null && (target.contains(hit) || [...(control.labels ?? [])].some((label) => label.contains(hit)));
    if (!isOwn) faults.push(nameOf(control) + " is behind " + (hit ? nameOf(hit) : "the window's edge"));
  }
  return faults;
})()`;

/** Refuses controls that cannot be pressed in their middle in any of the windows. */
export async function everythingCanBeHit(page: Page, what: string): Promise<void> {
  const before = page.viewportSize();
  for (const size of WINDOWS) {
    await page.setViewportSize(size);
    // The page answers a new width before its second frame.
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    expect
      .soft(
        await page.evaluate<string[]>(LIST_UNREACHABLE),
        `${what}, ${size.width} × ${size.height}`,
      )
      .toEqual([]);
  }
  if (before) await page.setViewportSize(before);
}

const LIST_COVERED = `(() => {
  const messages = [...document.querySelectorAll("[aria-label=Notifications] :is([role=status], [role=alert]) > *")];
  const boxes = messages.map((message) => message.getBoundingClientRect());
  if (boxes.length === 0) return ["no message is shown"];
  return [...document.querySelectorAll("a[href], button, input, select, summary, h1, h2, h3")]
    .filter((one) => !messages.some((message) => message.contains(one)))
    .filter((one) => {
      // Of a heading its words: its box is as wide as the page.
      const area = document.createRange();
      area[one.matches("h1, h2, h3") ? "selectNodeContents" : "selectNode"](one);
      const { left, top, right, bottom, width } = area.getBoundingClientRect();
      return width > 1 && boxes.some((box) => left < box.right && right > box.left && top < box.bottom && bottom > box.top);
    })
    .map((one) => one.textContent.trim().slice(0, 60));
})()`;

/** A message covers no heading and no control, also once the window has turned. */
export async function messagesCoverNothing(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const size of [before, { width: 844, height: 390 }, { width: 1440, height: 900 }, before]) {
    if (size) await page.setViewportSize(size);
    await expect.poll(() => page.evaluate<string[]>(LIST_COVERED), { timeout: 2_000 }).toEqual([]);
  }
}

/** Layout shift without input (web.dev/cls), noted from the page's start. */
export const MOVES = `globalThis.moves = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.moves.push(value);
}).observe({ type: "layout-shift", buffered: true })`;

export const MOST_MOVED = 0.05;

export function movedIn(page: Page): Promise<number> {
  return page.evaluate<number>("globalThis.moves.reduce((sum, value) => sum + value, 0)");
}
