import { join } from "node:path";
import axe from "axe-core";
import { expect, type Page, type TestInfo } from "@playwright/test";

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
