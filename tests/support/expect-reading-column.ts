import { expect, type Page } from "@playwright/test";

/** On a desk what a page of proof says stands in one column that is read without moving the head, in the middle. */
export async function expectReadingColumn(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const column = await page.locator("main > :first-child").boundingBox();
  expect([column?.width, column?.x]).toEqual([820, (1440 - 820) / 2]);
  if (before) await page.setViewportSize(before);
}
