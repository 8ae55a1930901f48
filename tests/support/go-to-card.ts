import { expect, type Locator, type Page } from "@playwright/test";

/** Goes down to a part of the public page, whose content takes its place meanwhile; opens what it is folded in. */
export async function goToCard(page: Page, name: string): Promise<Locator> {
  const card = page.getByRole("region", { name, exact: true });
  const fold = page.getByRole("group", { name: "Détails techniques" });
  const isFolded = () =>
    fold.evaluate((details, title) => {
      const { open, textContent } = details as unknown as {
        readonly open: boolean;
        readonly textContent: string;
      };
      return !open && textContent.includes(title);
    }, name);
  // What comes in above may move the fold from under a press.
  await expect(async () => {
    if (await isFolded()) await fold.getByText("Détails techniques").click();
    await card.scrollIntoViewIfNeeded({ timeout: 1_000 });
  }).toPass();
  await expect(card.locator("[data-waiting]")).toHaveCount(0);
  return card;
}
