import { expect, type Page } from "@playwright/test";

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
