import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import { press } from "../support/keyboard.ts";
import { lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { useSenderStage } from "../support/sender-stage.ts";
import { test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** A proof checked without the service: on its own page, then by the page that was kept, in a browser that reaches nothing. */
const OWNER = ofThisWorker({ username: "zelie", email: "zelie@exemple.fr", firstName: "Zélie", lastName: "Aubin" });
/** A checkpoint comes some seconds after a completion. */
const CHECKPOINT_MS = 60_000;
type Dropped = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

const stage = useSenderStage(OWNER);

/** Signs a document alone, waits for the checkpoint that covers it, and takes what its holder would. */
async function signed(): Promise<Dropped[]> {
  const [owner, anyone] = [stage.sender, createApiClient(stage.server.url)];
  try {
    const form = new FormData();
    form.append("signature", JSON.stringify(story.typed("Zélie Aubin")));
    form.append("file", new Blob([new Uint8Array(await makeContract("1"))], { type: "application/pdf" }), "contrat.pdf");
    const { json } = story.expectStatus(await owner.post("/api/signature/self-sign/", { form }), 201, "self-sign");
    const made = story.expectStatus(
      await owner.post("/api/signature/prints/generate/", { json: { envelope: json.id, qr_type: "page" } }),
      201,
      "generate",
    ).json;
    await expect
      .poll(async () => (await anyone.get(made.proof_url)).json.proof.inclusion, { timeout: CHECKPOINT_MS, intervals: [500] })
      .not.toBeNull();
    const take = async (name: string, mimeType: string, path: string) => ({
      name,
      mimeType,
      buffer: Buffer.from((await anyone.get(path)).bytes),
    });
    return [
      await take("preuve.json", "application/json", made.proof_url),
      await take("contrat.pdf", "application/pdf", made.document_url),
      await take("root.crt", "application/pkix-cert", "/pki/root.crt"),
    ];
  } finally {
    anyone.close();
  }
}

const drop = (page: Page, ...files: (Dropped | undefined)[]) =>
  page.getByLabel(/^Déposez preuve\.json/).setInputFiles(files.filter((file) => file !== undefined));
const verdict = (page: Page, words: string) => expect(page.getByRole("status").filter({ hasText: words })).toBeVisible();

test("anybody checks a proof where it is, and with the page they kept, which asks the network for nothing @touch", async ({
  page,
}, info) => {
  const [proof, document, root] = await signed();
  await page.goto(`${stage.server.url}/verifier`);
  await expect(page.getByRole("heading", { name: "Vérifier sans le service" })).toBeVisible();
  await lookTwice(page, "verifier-1-empty", info);
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Garder cette page" }).click();
  const kept = join(info.outputDir, "verifier.html");
  await (await saving).saveAs(kept);

  await drop(page, proof, document);
  await verdict(page, "Résultat indéterminé");
  await expect(page.getByText(/empreinte SHA-256 ([0-9A-F]{2}:){31}/)).toBeVisible();
  await lookTwice(page, "verifier-2-no-root", info);
  await drop(page, root);
  await verdict(page, "Signature valide");
  await lookTwice(page, "verifier-3-valid", info);

  await press(page, page.getByRole("button", { name: "Retirer contrat.pdf" }));
  await verdict(page, "Résultat indéterminé");
  const altered = Buffer.from(document?.buffer ?? "");
  altered[500] = (altered[500] ?? 0) ^ 1;
  await drop(page, { name: "contrat.pdf", mimeType: "application/pdf", buffer: altered });
  await verdict(page, "Signature non valide");
  await lookTwice(page, "verifier-4-altered", info);
  await page.getByLabel(/^Adresse lue dans le QR code/).fill("https://exemple.fr/verify/");
  await expect(page.getByText("Cette adresse est incomplète, ou n’est pas celle d’un QR code de ce service")).toBeVisible();

  await page.context().setOffline(true);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(kept).href);
  await drop(page, proof, document, root);
  await verdict(page, "Signature valide");
  expect(asked.filter((url) => !/^(file|blob|data):/.test(url))).toEqual([]);
  await lookTwice(page, "verifier-5-kept", info);
});
