import { expect, type Locator, type Page } from "@playwright/test";
import { boxOf, middle } from "./placement-stage.ts";

/** Holds a file's handle over the upper half of another one. */
export async function slide(page: Page, handle: Locator, row: Locator): Promise<void> {
  await handle.scrollIntoViewIfNeeded();
  const over = await takeOver(page, handle, row);
  await page.mouse.move(over.x + 60, over.y + 8, { steps: 6 });
  await expect(row).toHaveAttribute("data-landing", "before");
}

/** Takes a row by its handle; gives where the other row stands. */
async function takeOver(
  page: Page,
  handle: Locator,
  row: Locator,
): Promise<{ x: number; y: number; height: number }> {
  const [from, over] = [await boxOf(handle), await boxOf(row)];
  const grip = middle(from);
  await page.mouse.move(grip.x, grip.y);
  await page.mouse.down();
  return over;
}

/** Drops a row on the top edge of another, which stands in sight with it. */
export async function drag(page: Page, handle: Locator, row: Locator): Promise<void> {
  const at = await row.boundingBox();
  await page.evaluate(`window.scrollBy({ top: ${(at?.y ?? 0) - 220}, behavior: "instant" })`);
  const over = await takeOver(page, handle, row);
  await page.mouse.move(over.x + 60, over.y + over.height / 2, { steps: 6 });
  await expect(row).toHaveAttribute("data-landing", "with");
  await page.mouse.move(over.x + 60, over.y + 20, { steps: 4 });
  await expect(row).toHaveAttribute("data-landing", "before");
  await page.mouse.up();
}
