import { expect, type Page } from "@playwright/test";
import { press } from "./keyboard.ts";
import { PHONE } from "./of-this-worker.ts";
import { readLocalMailbox } from "./read-local-mailbox.ts";

/** Verifies the number of `/profile`, which is `PHONE`: the text comes to the local mailbox, as this service has no gateway. */
export async function verifyNumber(page: Page, url: string): Promise<void> {
  const mailbox = readLocalMailbox(url);
  await mailbox.takeAll(PHONE.destination);
  await press(page, page.getByRole("button", { name: "Vérifier ce numéro", exact: true }));
  const code = page.getByLabel("Code reçu par SMS");
  await expect(code).toBeFocused();
  const { text } = await mailbox.waitFor(PHONE.destination, ({ text: words }) =>
    words.includes("vérifier votre numéro"),
  );
  await page.keyboard.type(text.slice(0, 6));
  await expect(page.getByText("numéro vérifié.")).toBeVisible();
}
