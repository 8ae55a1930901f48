import type { Page } from "@playwright/test";
import { PASSWORD } from "./story.ts";

/** Signs somebody in through the login page, to the dashboard. */
export async function signIn(page: Page, { url, username }: { readonly url: string; readonly username: string }): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel("Nom d'utilisateur").fill(username);
  await page.getByLabel("Mot de passe", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/dashboard/);
}
