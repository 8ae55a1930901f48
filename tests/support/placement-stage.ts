import { expect, type Locator, type Page } from "@playwright/test";
import { person } from "./of-this-worker.ts";
import { useSenderStage } from "./stories.ts";
import { expectStatus } from "./story.ts";
import { button, expectVisible } from "./controls.ts";

const SENDER = person("solene.places", "Solène Guérin");
export const GUESTS = [
  { full_name: "Côme Œuvrard", email: "come@exemple.fr" },
  { full_name: "Maëlys N'Guessan", email: "maelys@exemple.fr" },
];
export type SavedField = {
  type: string;
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
  document_id: string;
  recipient_id: string;
};
export type Draft = {
  id: string;
  documents: { id: string; name: string }[];
  recipients: { id: string }[];
  fields: SavedField[];
};

export function usePlacementStage() {
  const stage = useSenderStage(SENDER);
  const read = async (id: string): Promise<Draft> =>
    expectStatus(await stage.sender.get(`/api/signature/envelopes/${id}/`), 200, "read").json;
  return {
    read,
    async makeDraft(files: Readonly<Record<string, Uint8Array>>): Promise<Draft> {
      const form = new FormData();
      form.append("title", "Contrat de prestation – Pêche & Forêt");
      form.append("recipients", JSON.stringify(GUESTS));
      for (const [name, bytes] of Object.entries(files))
        form.append(
          "files",
          new File([bytes as Uint8Array<ArrayBuffer>], name, { type: "application/pdf" }),
        );
      return expectStatus(
        await stage.sender.post("/api/signature/envelopes/", { form }),
        201,
        "create",
      ).json;
    },
    /** The draft as stored, once the page has saved it. */
    async expectSaved(id: string, check: (fields: SavedField[]) => void): Promise<void> {
      await expect(async () => check((await read(id)).fields)).toPass({ timeout: 15_000 });
    },
    async openFields(page: Page, id: string): Promise<void> {
      await stage.signIn(page);
      await page.goto(`/signature/workflow/${id}?etape=champs`);
      await expectVisible(page.locator("[data-pdf-page='1'] canvas"));
    },
  };
}

export const said = (page: Page, words: string | RegExp) =>
  expect(page.locator("#annonces")).toHaveText(words);
export const fields = (page: Page) => page.locator("[data-field] > button");
export const field = (page: Page, name: RegExp) => fields(page).and(button(page, name));
export const palette = (page: Page, tool: string): Locator =>
  button(page.getByRole("group", { name: "Champs à placer" }), new RegExp(`^${tool}`)).filter({
    visible: true,
  });

export async function boxOf(
  locator: Locator,
): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("it is nowhere");
  return box;
}
export const middle = ({
  x,
  y,
  width,
  height,
}: {
  x: number;
  y: number;
  width: number;
  height: number;
}) => ({
  x: x + width / 2,
  y: y + height / 2,
});

export async function drag(
  page: Page,
  from: { x: number; y: number },
  to: { x: number; y: number },
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
}

/** DOM types are not loaded beside Node's. */
export type Scroller = {
  scrollTop: number;
  readonly scrollHeight: number;
  scrollTo(place: { top: number }): void;
  querySelectorAll(selector: string): { readonly length: number };
};

export async function slide(page: Page, handle: Locator, row: Locator): Promise<void> {
  await handle.scrollIntoViewIfNeeded();
  const over = await takeOver(page, handle, row);
  await page.mouse.move(over.x + 60, over.y + 8, { steps: 6 });
  await expect(row).toHaveAttribute("data-landing", "before");
}

/** Takes a row by its handle; gives the other row's place. */
async function takeOver(
  page: Page,
  handle: Locator,
  row: Locator,
): Promise<{ x: number; y: number; height: number }> {
  const [from, over] = [await boxOf(handle), await boxOf(row)];
  const grip = middle(from);
  await page.mouse.move(grip.x, grip.y);
  await page.mouse.down();
  return over;
}

export async function dragRow(page: Page, handle: Locator, row: Locator): Promise<void> {
  const at = await row.boundingBox();
  await page.evaluate(`window.scrollBy({ top: ${(at?.y ?? 0) - 220}, behavior: "instant" })`);
  const over = await takeOver(page, handle, row);
  await page.mouse.move(over.x + 60, over.y + over.height / 2, { steps: 6 });
  await expect(row).toHaveAttribute("data-landing", "with");
  await page.mouse.move(over.x + 60, over.y + 20, { steps: 4 });
  await expect(row).toHaveAttribute("data-landing", "before");
  await page.mouse.up();
}
