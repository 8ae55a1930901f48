import { expect, type Locator, type Page } from "@playwright/test";

/** Scrolls to a part of the public page, opens the fold that it is in, and waits for its content. */
export async function goToCard(page: Page, name: string): Promise<Locator> {
  const card = page
    .getByRole("region", { name, exact: true })
    .or(page.getByRole("group", { name, exact: true }));
  const fold = page.locator("main details.card", { hasText: name }).first();
  const isFolded = async () =>
    (await fold.count()) > 0 &&
    !(await fold.evaluate((details) => (details as unknown as { readonly open: boolean }).open));
  // What loads above may move the fold from under a press.
  await expect(async () => {
    if (await isFolded()) await fold.locator("summary").first().click();
    await card.scrollIntoViewIfNeeded({ timeout: 1_000 });
  }).toPass();
  await expect(card.locator("[data-waiting]")).toHaveCount(0);
  return card;
}
