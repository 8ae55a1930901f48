import { execFileSync } from "node:child_process";
import { expect, type Page } from "@playwright/test";

/** Words of each A4 sheet. */
export async function printedSheets(page: Page): Promise<readonly string[]> {
  const input = Buffer.from(await page.pdf({ format: "A4" }));
  const words = execFileSync("pdftotext", ["-layout", "-", "-"], { input, encoding: "utf8" });
  return words
    .split("\f")
    .slice(0, -1)
    .map((sheet) => sheet.normalize("NFC").replaceAll(/\s+/g, " ").trim());
}

/** A sheet with fewer characters than its heading and a part or two is not worth a page. */
const LEAST_CHARACTERS = 200;

/** At most `most` sheets, none nearly empty; gives their words. */
export async function expectFullSheets(page: Page, most: number): Promise<readonly string[]> {
  const sheets = await printedSheets(page);
  expect.soft(sheets.length, page.url()).toBeLessThanOrEqual(most);
  for (const [index, sheet] of sheets.entries())
    expect
      .soft(sheet.length, `${page.url()}, sheet ${index + 1}`)
      .toBeGreaterThan(LEAST_CHARACTERS);
  return sheets;
}
