import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any page has: a control that Tab has not reached by then is never reached. */
const MOST_STOPS = 80;

/** What is asked of an element of the page: its own types do not live beside Node's. */
type PageElement = { readonly isConnected: boolean; matches(selector: string): boolean };

function focusOf(element: unknown): "gone" | "here" | "elsewhere" {
  const one = element as PageElement;
  return one.isConnected ? (one.matches(":focus") ? "here" : "elsewhere") : "gone";
}

/** Tab until the control has the focus. It is found once, and again when the page has replaced it: finding it by its name costs more than the key. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  let target = await control.elementHandle();
  for (let press = 0; press < MOST_STOPS; press += 1) {
    const focus = await target?.evaluate(focusOf);
    if (focus === "here") return;
    if (focus === "gone") target = await control.elementHandle();
    else await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${String(control)}`);
}

/** Reaches a control and presses it. */
export async function press(page: Page, control: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press(key);
}

/** Reaches a field by its label and writes over what it holds. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }).first());
  await page.keyboard.press("ControlOrMeta+A");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(text);
}
