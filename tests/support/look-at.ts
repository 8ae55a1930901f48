import { join } from "node:path";
import axe from "axe-core";
import { type Page, type TestInfo, expect } from "@playwright/test";

/** The rules of axe's own, and two that it leaves off: a control's name holds the words it shows (WCAG 2.5.3), and a target has its room (2.5.8). */
const RULES: axe.RunOptions = {
  resultTypes: ["violations"],
  rules: { "label-content-name-mismatch": { enabled: true }, "target-size": { enabled: true } },
};

/** Those of a mail: its reader's own page is around it, with the landmarks and the first heading. */
export const MAIL_RULES: axe.RunOptions = {
  ...RULES,
  rules: {
    ...RULES.rules,
    "landmark-one-main": { enabled: false },
    "page-has-heading-one": { enabled: false },
    region: { enabled: false },
  },
};

/** The rules that a page's colours decide: in the dark the elements, their names and their sizes are those of the light. */
export const COLOUR_RULES: axe.RunOptions = {
  resultTypes: ["violations"],
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

/**
 * The names of the primary buttons in sight: of the dialog on top, else of the page. A screen has one (the design's rule); the rows of a list, which offer
 * each the same, count as one, and what cannot be pressed yet, which is grey, as none.
 */
const PRIMARY_BUTTONS = `(() => {
  const root = [...document.querySelectorAll("dialog:modal, [role=dialog]")].filter((dialog) => dialog.checkVisibility()).at(-1) ?? document;
  const shown = [...root.querySelectorAll(":is(a, button)[class*=_primary_]:not([aria-disabled=true], :disabled)")].filter((button) => button.checkVisibility({ visibilityProperty: true }));
  const inRows = shown.filter((button) => button.closest("[data-row]"));
  return [...shown.filter((button) => !inRows.includes(button)), ...inRows.slice(0, 1)].map((button) => button.textContent.trim());
})()`;

/** Refuses a page, or a dialog over it, with two primary buttons. */
export async function expectOnePrimaryButton(page: Page, name: string): Promise<void> {
  const [, ...others] = await page.evaluate<string[]>(PRIMARY_BUTTONS);
  expect.soft(others, `primary buttons of ${name} beside its first`).toEqual([]);
}

/** Keeps a picture of the page under `test-results/screens/<width>/`, a JPEG, which costs less to write than a PNG, and refuses the page when axe finds a fault or two primary buttons stand on it. */
export async function lookAt(
  page: Page,
  name: string,
  info: TestInfo,
  rules = RULES,
): Promise<void> {
  await page.screenshot({
    path: join("test-results/screens", info.project.name, `${name}.jpg`),
    type: "jpeg",
    quality: 80,
    animations: "disabled",
  });
  if (rules === RULES) await expectOnePrimaryButton(page, name);
  const faults = await faultsOf(page, rules);
  // Soft: the story goes on, and tells every page's faults at its end.
  expect.soft(faults, `accessibility of ${name}`).toEqual([]);
}

/** Runs axe in the page itself: a result is worked out where its frame is, with no second page opened for it, and read once by each document. Gives a line a fault. */
async function faultsOf(page: Page, rules: axe.RunOptions): Promise<readonly string[]> {
  await Promise.all(
    page.frames().map((frame) => frame.evaluate(`if (!("axe" in window)) { ${axe.source} }`)),
  );
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(rules)})`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/** Refuses a page that scrolls sideways at this width. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, window.innerWidth]",
  );
  expect.soft(content, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(window);
}

/** Looks at a page in the light and, for what its colours decide, in the dark, and refuses it when it scrolls sideways. */
export async function lookTwice(page: Page, name: string, info: TestInfo): Promise<void> {
  await lookAt(page, name, info);
  await page.emulateMedia({ colorScheme: "dark" });
  await lookAt(page, `${name}-dark`, info, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: "light" });
  await expectNoSidewaysScroll(page);
}

/** On a desk what a page of proof says stands in one column that is read without moving the head, in the middle. */
export async function expectReadingColumn(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const column = await page.locator("main > :first-child").boundingBox();
  expect([column?.width, column?.x]).toEqual([820, (1440 - 820) / 2]);
  if (before) await page.setViewportSize(before);
}

/** The windows a page is pressed in: a small phone, a phone upright and lying, a small laptop, a desk's screen and a large one. */
const WINDOWS = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1100, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
] as const;

/**
 * Gives a line for each control in sight whose middle belongs to something else once it is scrolled to: a bar that stays in front of it, a neighbour, the
 * edge of what holds it. While a modal dialog is open, its controls are those of the page. A control of the browser's that is not shown (a box to tick, a
 * file to choose) is pressed by its label.
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

/** Refuses a page, in the state it is in, where a control that one sees cannot be pressed in its middle, whatever the window. The window is given back as it was. */
export async function everythingCanBeHit(page: Page, what: string): Promise<void> {
  const before = page.viewportSize();
  for (const size of WINDOWS) {
    // One window after the other.
    // oxlint-disable-next-line no-await-in-loop
    await page.setViewportSize(size);
    // The page answers a new width before its second frame.
    // oxlint-disable-next-line no-await-in-loop
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    // oxlint-disable-next-line no-await-in-loop
    expect
      .soft(
        await page.evaluate<string[]>(LIST_UNREACHABLE),
        `${what}, ${size.width} × ${size.height}`,
      )
      .toEqual([]);
  }
  if (before) await page.setViewportSize(before);
}

/** How much of what was in sight has moved by itself (web.dev/cls), of what nobody pressed for: noted from the page's start by this script. */
export const MOVES = `globalThis.moves = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.moves.push(value);
}).observe({ type: "layout-shift", buffered: true })`;

export const MOST_MOVED = 0.05;

export function movedIn(page: Page): Promise<number> {
  return page.evaluate<number>("globalThis.moves.reduce((sum, value) => sum + value, 0)");
}
