import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { lookTwice } from "../support/look-at.ts";
import { makePrint, type Printed } from "../support/make-print.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { useSenderStage } from "../support/sender-stage.ts";
import { test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** What the public page says when the stored file is not what was signed: never that it is valid, in words that a clerk understands. */
const SENDER = ofThisWorker({
  username: "salome.damage",
  email: "salome.damage@exemple.fr",
  firstName: "Salomé",
  lastName: "Œuvrard-Lévêque",
});
const COME = ofThisWorker({ email: "come@exemple.fr", full_name: "Côme Lefèvre" });
const TITLE = "Contrat de prestation – Pêche & Forêt";
const stage = useSenderStage(SENDER);
const verdict = (page: Page) => page.locator("[data-verdict]");

type Stored = { readonly path: string; readonly url: string };

/** Where the signed file is kept, and where the page takes it from. */
async function storedFile({ verify }: Printed): Promise<Stored> {
  const { json } = story.expectStatus(await stage.sender.get(verify), 200, "proof");
  expect(json.verdict).toBe("valid");
  const hash = String(json.hash_sha256);
  return { path: join(stage.server.dataDir, "files", hash.slice(0, 2), hash.slice(2, 4), hash), url: json.document_url };
}

const DAMAGES: readonly (readonly [name: string, damage: (path: string) => Promise<void>])[] = [
  ["deleted", (path) => rm(path)],
  [
    "altered",
    async (path) => {
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(700) ^ 1, 700);
      await writeFile(path, bytes);
    },
  ],
  // By another document that was truly signed here.
  [
    "replaced",
    async (path) => {
      const other = await storedFile(await makePrint(stage, { title: "Autre contrat", guest: COME, isSigned: true }));
      await writeFile(path, await readFile(other.path));
    },
  ],
];

for (const [name, damage] of DAMAGES) {
  test(`a stored file that was ${name} is not what was signed, and the page says so`, async ({ page }, info) => {
    const printed = await makePrint(stage, { title: TITLE, guest: COME, isSigned: true });
    const stored = await storedFile(printed);
    await page.goto(printed.url);
    await expect(verdict(page)).toContainText("Signature valide");
    await damage(stored.path);

    await page.reload();
    await expect(verdict(page)).toContainText("Signature non valide");
    const said =
      name === "deleted"
        ? "Le fichier conservé est introuvable"
        : "Le fichier conservé n’est pas celui qui a été signé. Ne vous fiez pas à ce document.";
    await expect(verdict(page)).toContainText(said);
    await expect(page.getByText("Signature introuvable")).toBeVisible();
    await expect(page.getByText(/Signature valide|En attente de signature/)).toHaveCount(0);
    if (info.project.name === "390") await page.getByRole("button", { name: "Voir le document" }).tap();
    await expect(page.getByText("Le document signé n'a pas pu être chargé.")).toBeVisible();
    await lookTwice(page, `verify-damage-${name}`, info);

    // The bytes that took its place leave the service nowhere.
    const answer = await stage.sender.get(stored.url);
    expect([answer.status, answer.json.code]).toEqual([500, "stored_file_lost"]);
  });
}
