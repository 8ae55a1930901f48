import { expect, type Locator, type Page } from "@playwright/test";

type Place = Page | Locator;
type Name = string | RegExp;

export const button = (at: Place, name: Name) => at.getByRole("button", { name });
export const exactButton = (at: Place, name: Name) => at.getByRole("button", { name, exact: true });
/** The side's control on a wide screen, the dock's on a small one. */
export const shownButton = (at: Place, name: Name) =>
  button(at, name).filter({ visible: true }).first();
export const link = (at: Place, name: Name) => at.getByRole("link", { name });
export const exactLink = (at: Place, name: string) => at.getByRole("link", { name, exact: true });
export const heading = (at: Place, name: Name) => at.getByRole("heading", { level: 1, name });
export const modal = (at: Place, name: Name) => at.getByRole("dialog", { name });
export const region = (at: Place, name: Name) => at.getByRole("region", { name });
export const exactRegion = (at: Place, name: string) =>
  at.getByRole("region", { name, exact: true });

export async function expectVisible(...locators: readonly Locator[]): Promise<void> {
  for (const locator of locators) await expect(locator).toBeVisible();
}

export async function expectText(at: Place, ...texts: readonly Name[]): Promise<void> {
  for (const text of texts) await expect(at.getByText(text)).toBeVisible();
}
