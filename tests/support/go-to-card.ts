import { expect, type Locator, type Page } from "@playwright/test";

/** Goes down to a card of the public page, whose content takes its place meanwhile. */
export async function goToCard(page: Page, name: string): Promise<Locator> {
  const card = page.getByRole("region", { name, exact: true });
  await expect(() => card.scrollIntoViewIfNeeded({ timeout: 1_000 })).toPass();
  await expect(card.locator("[data-waiting]")).toHaveCount(0);
  return card;
}
