import { type Download, expect, type FileChooser, type Locator, type Page } from "@playwright/test";

type Place = Page | Locator;
type Name = string | RegExp;

export const button = (at: Place, name: Name) => at.getByRole("button", { name });
/** The control in sight where a layout has two: at the side and in the dock. */
export const shown = (locator: Locator) => locator.filter({ visible: true }).first();
export const exactButton = (at: Place, name: Name) => at.getByRole("button", { name, exact: true });
export const shownButton = (at: Place, name: Name) => shown(button(at, name));
export const link = (at: Place, name: Name) => at.getByRole("link", { name });
export const exactLink = (at: Place, name: string) => at.getByRole("link", { name, exact: true });
export const heading = (at: Place, name: Name) => at.getByRole("heading", { level: 1, name });
export const title = (at: Place) => at.getByRole("heading", { level: 1 });
export const modal = (at: Place, name: Name) => at.getByRole("dialog", { name });
export const region = (at: Place, name: Name) => at.getByRole("region", { name });
export const exactRegion = (at: Place, name: string) =>
  at.getByRole("region", { name, exact: true });

export const exactText = (at: Place, text: string) => at.getByText(text, { exact: true });

export async function expectVisible(...locators: readonly Locator[]): Promise<void> {
  for (const locator of locators) await expect(locator).toBeVisible();
}

export async function expectText(at: Place, ...texts: readonly Name[]): Promise<void> {
  for (const text of texts) await expect(at.getByText(text)).toBeVisible();
}

export const expectInSight = (locator: Locator) => expect(locator).toBeInViewport({ ratio: 1 });

/** Nothing stands in front of a paragraph's middle. */
export async function expectUncovered(paragraph: Locator): Promise<void> {
  await expectInSight(paragraph);
  const words = await paragraph.textContent();
  const wordsThere = async () => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await paragraph.boundingBox()) ?? {};
    const middle = `${x + width / 2}, ${y + height / 2}`;
    return paragraph
      .page()
      .evaluate<string>(`document.elementFromPoint(${middle})?.closest("p")?.textContent`);
  };
  await expect.poll(wordsThere).toBe(words);
}

/** A changed window is laid out within two frames. */
export const nextFrames = (page: Page) =>
  page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );

export async function download(page: Page, press: () => Promise<void>): Promise<Download> {
  const coming = page.waitForEvent("download");
  await press();
  return coming;
}

type Files = Parameters<FileChooser["setFiles"]>[0];

export async function chooseFiles(
  page: Page,
  press: () => Promise<void>,
  files: Files,
): Promise<void> {
  const coming = page.waitForEvent("filechooser");
  await press();
  await (await coming).setFiles(files);
}

/** Draws a wave on the pad of a signature. */
export async function drawMark(page: Page): Promise<void> {
  const box = await page.getByTestId("signature-pad").boundingBox();
  if (!box) throw new Error("no pad to draw on");
  const move = (step: number) =>
    page.mouse.move(
      box.x + box.width * (0.2 + step * 0.02),
      box.y + box.height * (0.5 + 0.3 * Math.sin(step / 3)),
    );
  await move(0);
  await page.mouse.down();
  for (let step = 1; step <= 30; step += 1) await move(step);
  await page.mouse.up();
}
