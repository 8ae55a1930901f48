import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { takeFile, waitForInclusion } from "../support/make-print.ts";
import { expectReadingColumn, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { openDatabase } from "../support/open-database.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import {
  button,
  download,
  expectText,
  expectVisible,
  link,
  region,
  shown,
} from "../support/controls.ts";

const OWNER = person("yaelle", "Yaëlle Nîmes");
const PAGE = "/journal-de-transparence";
/** A checkpoint follows a completion within seconds. */
const CHECKPOINT_MS = 60_000;

const stage = useSenderStage(OWNER);
type Client = typeof stage.sender;

const heading = (page: Page, name: string) => page.getByRole("heading", { name });

const tap = (page: Page, name: string | RegExp) => shown(button(page, name)).tap();

const json = (name: string, text: string) => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(text),
});
const openDetails = (page: Page) =>
  page.locator("summary", { hasText: "Détails techniques" }).tap();

const selfSign = (owner: Client) => story.selfSign(owner, "Yaëlle Nîmes");

/** Proof and signed file of a self-signed document, once logged. */
async function ownDocument(owner: Client) {
  const made = await story.makePrintOf(owner, await selfSign(owner), "page");
  await waitForInclusion(owner, made);
  return [
    await takeFile(owner, "preuve.json", made.proof_url),
    await takeFile(owner, "contrat.pdf", made.document_url),
  ] as const;
}

async function complete(owner: Client, count = 1): Promise<void> {
  const before = await sizeOfLog(owner);
  for (let each = 0; each < count; each += 1) await selfSign(owner);
  await expect
    .poll(() => sizeOfLog(owner), { timeout: CHECKPOINT_MS, intervals: [250] })
    .toBeGreaterThanOrEqual(before + count);
}

const LATEST = "/api/signature/transparency/checkpoints/latest/";

async function sizeOfLog(reader: Client): Promise<number> {
  const { status, json } = await reader.get(LATEST);
  return status === 200 ? json.size : 0;
}

/** A checkpoint of the other stories' service. */
async function foreignCheckpoint(): Promise<string> {
  await expect
    .poll(async () => (await stage.sender.get(LATEST)).status, {
      timeout: CHECKPOINT_MS,
      intervals: [250],
    })
    .toBe(200);
  return JSON.stringify((await stage.sender.get(LATEST)).json);
}

test("anybody keeps a checkpoint of the log and later sees whether the past was rewritten @touch", async ({
  page,
  ownService,
}) => {
  const { server, mails } = ownService;
  await selfSign(stage.sender);
  await story.registerPerson({ url: server.url, mails }, OWNER);
  const owner = await story.logIn(server.url, OWNER.username);
  await page.goto(`${server.url}${PAGE}`);
  await expectVisible(
    heading(page, "Journal de transparence"),
    page.getByText("Aucun point de contrôle n’a encore été établi"),
  );
  await lookTwice(page, "transparency-1-none");
  await expectReadingColumn(page);

  await complete(owner);
  await page.goto(`${server.url}/conditions`);
  await link(page, "Journal de transparence").click();
  await expectText(
    page,
    /^Ce registre public prouve qu’un document signé existait à sa date\. Toute modification/,
  );
  const figures = page.getByRole("list", { name: "Le journal en trois chiffres" });
  await expect(figures).toContainText(/Aucune\s*rupture depuis le premier point/);
  const tops = (await figures.getByRole("listitem").all()).map(
    async (figure) => (await figure.boundingBox())?.y,
  );
  expect(new Set(await Promise.all(tops)).size).toBe(1);
  await openDetails(page);
  await expectVisible(
    heading(page, "Dernier point de contrôle"),
    page.getByText("Valide, par Paraphe Cachet"),
    page.getByText("par Paraphe Horodatage (non qualifié)"),
  );
  const kept = await download(page, () => tap(page, "Garder ce point de contrôle"));
  expect(kept.suggestedFilename()).toMatch(/^checkpoint-\d{12}\.json$/);
  const keptPath = await kept.path();
  const keptText = await readFile(keptPath, "utf8");

  await complete(owner, 2);
  await page.reload();
  await tap(page, /^Contrôler le point du/);
  await expectText(page, "Continuité vérifiée");
  await lookTwice(page, "transparency-2-list");
  await test.step("one's own document", async () => {
    const [proof, document] = await ownDocument(owner);
    const own = region(page, "Votre document y figure-t-il");
    const answer = own.getByRole("status", { name: "Votre document" });
    await own.getByLabel("Déposez preuve.json et le PDF signé").setInputFiles(document);
    await expect(answer).toContainText("Il manque preuve.json");
    await own.getByLabel("Ajoutez son preuve.json").setInputFiles(proof);
    await expect(answer).toContainText("Oui, ce document figure au journal");
    await expect(answer).toContainText("Votre fichier est bien celui qui y a été enregistré.");
    await lookTwice(page, "transparency-3-present");
    await button(own, "Vérifier un autre fichier").tap();
    const altered = {
      ...document,
      name: "contrat-v2.pdf",
      buffer: Buffer.from([...document.buffer, 10]),
    };
    await own.getByLabel("Déposez preuve.json et le PDF signé").setInputFiles([proof, altered]);
    await expect(answer).toContainText("Non, ce document n’y figure pas");
    await lookTwice(page, "transparency-4-absent");
    await button(own, "Vérifier un autre fichier").tap();
    await own
      .getByLabel("Déposez preuve.json et le PDF signé")
      .setInputFiles({ ...proof, buffer: Buffer.from("{}") });
    await expect(answer).toContainText("Fichier non reconnu");
  });
  await openDetails(page);
  await expectText(page, "Valide, par Paraphe Cachet");
  await lookTwice(page, "transparency-5-details");

  const drop = page.getByLabel("Déposez un point de contrôle gardé");
  await drop.setInputFiles(json("checkpoint.json", keptText));
  await expectText(page, "aucune n’a été retirée ni changée");
  await drop.setInputFiles(json("autre.json", "{}"));
  await expectText(page, "Ce fichier n’est pas un point de contrôle de ce journal.");
  const altered = keptText.replace(/"root": ".{4}/, '"root": "0000');
  await drop.setInputFiles(json("altere.json", altered));
  await expectText(page, "Point de contrôle inexploitable");
  await drop.setInputFiles(json("ailleurs.json", await foreignCheckpoint()));
  await expectText(page, "Point de contrôle d’un autre journal");

  // The operator rewrote the past and signed it again.
  await rewritePast(server.dataDir);
  await complete(owner);
  await page.reload();
  await openDetails(page);
  await expectText(page, "Valide, par Paraphe Cachet");
  await drop.setInputFiles(json("checkpoint.json", keptText));
  await expectText(page, "Le journal a été réécrit");
  await expect(page.getByRole("list", { name: "Le journal en trois chiffres" })).toContainText(
    /Rupture\s*ce que vous avez gardé le montre/,
  );
  await lookTwice(page, "transparency-6-rewritten");
  owner.close();
});

async function rewritePast(dataDir: string): Promise<void> {
  const database = await openDatabase(dataDir);
  try {
    await database.query(`
      begin;
      set local session_replication_role = replica;
      delete from transparency_checkpoints;
      delete from transparency_nodes;
      update audit_events set hash = sha256(hash);
      insert into transparency_due (envelope_id, sequence, head) select envelope_id, sequence, sha256(head) from transparency_leaves order by leaf_index;
      delete from transparency_leaves;
      commit`);
  } finally {
    await database.close();
  }
}
