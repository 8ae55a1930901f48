import { expect, type Page } from "@playwright/test";
import { press } from "./keyboard.ts";
import { readLocalMailbox } from "./read-local-mailbox.ts";

/** Verifies the number of `/profile`, +33612345678: the text comes to the local mailbox, as this service has no gateway. */
export async function verifyNumber(page: Page, url: string): Promise<void> {
  await press(page, page.getByRole("button", { name: "Vérifier ce numéro", exact: true }));
  const code = page.getByLabel("Code reçu par SMS");
  await expect(code).toBeFocused();
  const { text } = await readLocalMailbox(url).waitFor("+33612345678", ({ text: words }) => words.includes("vérifier votre numéro"));
  await page.keyboard.type(text.slice(0, 6));
  await expect(page.getByText("numéro vérifié.")).toBeVisible();
}
