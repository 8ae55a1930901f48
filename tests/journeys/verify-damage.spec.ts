import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { lookTwice } from "../support/look-at.ts";
import { makePrint, type Printed } from "../support/make-print.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { button, expectText } from "../support/controls.ts";

/** Never « valide » once the stored file differs from the signed one. */
const SENDER = person("salome.damage", "Salomé Œuvrard-Lévêque");
const COME = invitee("come", "Côme Lefèvre");
const TITLE = "Contrat de prestation – Pêche & Forêt";
const stage = useSenderStage(SENDER);
const verdict = (page: Page) => page.locator("[data-verdict]");

type Stored = { readonly path: string; readonly url: string };

async function storedFile({ verify }: Printed): Promise<Stored> {
  const { json } = story.expectStatus(await stage.sender.get(verify), 200, "proof");
  expect(json.verdict).toBe("valid");
  const hash = String(json.hash_sha256);
  return {
    path: join(stage.server.dataDir, "files", hash.slice(0, 2), hash.slice(2, 4), hash),
    url: json.document_url,
  };
}

type Damage = {
  readonly name: "replaced" | "altered" | "deleted";
  readonly says: string;
  readonly window: { readonly width: number; readonly height: number };
  /** `next`: another file that the service signed. */
  damage(path: string, next: string): Promise<void>;
};

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
const OTHER_FILE =
  "Le fichier conservé n’est pas celui qui a été signé. Ne vous fiez pas à ce document.";

const DAMAGES: readonly Damage[] = [
  {
    name: "replaced",
    says: OTHER_FILE,
    window: DESK,
    damage: async (path, next) => writeFile(path, await readFile(next)),
  },
  {
    name: "altered",
    says: OTHER_FILE,
    window: PHONE,
    async damage(path) {
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(700) ^ 1, 700);
      await writeFile(path, bytes);
    },
  },
  {
    name: "deleted",
    says: "Le fichier conservé est introuvable",
    window: DESK,
    damage: (path) => rm(path),
  },
];

test("the public page reports a stored file that was replaced, altered or deleted @desk", async ({
  page,
}) => {
  const printed: Printed[] = [];
  for (const { name } of DAMAGES)
    printed.push(
      await makePrint(stage, { title: `${TITLE}, ${name}`, guest: COME, isSigned: true }),
    );
  const stored = await Promise.all(printed.map(storedFile));
  for (const [index, { name, says, window, damage }] of DAMAGES.entries()) {
    await test.step(name, async () => {
      await page.setViewportSize(window);
      await page.goto(printed[index]?.url ?? "");
      await expect(verdict(page)).toContainText("Signature valide");
      await damage(stored[index]?.path ?? "", stored[index + 1]?.path ?? "");

      await page.reload();
      await expect(verdict(page)).toContainText("Signature non valide");
      await expect(verdict(page)).toContainText(says);
      await expectText(page, "Signature introuvable");
      await expect(page.getByText(/Signature valide|En attente de signature/)).toHaveCount(0);
      // On the wide screen the document opens by itself.
      if (window === PHONE) await button(page, "Voir le document").click();
      await expectText(page, "Le document signé n'a pas pu être chargé.");
      await lookTwice(page, `verify-damage-${name}`);

      const answer = await stage.sender.get(stored[index]?.url ?? "");
      expect([answer.status, answer.json.code]).toEqual([500, "stored_file_lost"]);
    });
  }
});
