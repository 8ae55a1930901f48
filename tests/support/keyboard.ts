import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any page has. */
const MOST_STOPS = 80;

/** DOM types are not loaded beside Node's. */
type PageElement = { readonly isConnected: boolean; matches(selector: string): boolean };

function focusOf(element: unknown): "gone" | "here" | "elsewhere" {
  const one = element as PageElement;
  return one.isConnected ? (one.matches(":focus") ? "here" : "elsewhere") : "gone";
}

/** Tabs until the control has the focus; looked up again only when the page replaced it. */
export async function tabTo(control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  let target = await control.elementHandle();
  for (let press = 0; press < MOST_STOPS; press += 1) {
    const focus = await target?.evaluate(focusOf);
    if (focus === "here") return;
    if (focus === "gone") target = await control.elementHandle();
    else await control.page().keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${String(control)}`);
}

export async function press(control: Locator, key = "Enter"): Promise<void> {
  await tabTo(control);
  await control.page().keyboard.press(key);
}

export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page.getByLabel(label, { exact: true }).first());
  await page.keyboard.press("ControlOrMeta+A");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(text);
}
