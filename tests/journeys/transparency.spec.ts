import { readFile } from "node:fs/promises";
import { expect, type Page, type TestInfo } from "@playwright/test";
import { press } from "../support/keyboard.ts";
import { lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { type MailServer, startMailServer } from "../support/start-mail-server.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** The transparency log, as anybody finds it: by a finger on the small screen, by the keyboard alone on the wide one. */
const OWNER = { username: "yaelle", email: "yaelle@exemple.fr", firstName: "Yaëlle", lastName: "Nîmes" };
const PAGE = "/journal-de-transparence";
/** A checkpoint comes some seconds after a completion. */
const CHECKPOINT_MS = 60_000;

let server: RunningServer;
let mails: MailServer;
let owner: Awaited<ReturnType<typeof story.logIn>>;

test.beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
  await story.registerPerson({ url: server.url, mails }, OWNER);
  owner = await story.logIn(server.url, OWNER.username);
});
test.afterAll(async () => {
  owner?.close();
  await server?.close();
  await mails?.close();
});

const isWide = (info: TestInfo) => info.project.name === "1440";
const heading = (page: Page, name: string) => page.getByRole("heading", { name });

async function activate(page: Page, name: string | RegExp, info: TestInfo): Promise<void> {
  const control = page.getByRole("button", { name }).filter({ visible: true }).first();
  if (isWide(info)) await press(page, control, "Enter");
  else await control.tap();
}

/** Signs a document alone, and waits for the checkpoint that covers it. */
async function complete(by = owner): Promise<void> {
  const before = await sizeOfLog(by);
  const form = new FormData();
  form.append("signature", JSON.stringify(story.typed("Yaëlle Nîmes")));
  form.append("file", new Blob([new Uint8Array(await makeContract("1"))], { type: "application/pdf" }), "contrat.pdf");
  story.expectStatus(await by.post("/api/signature/self-sign/", { form }), 201, "self-sign");
  await expect.poll(() => sizeOfLog(by), { timeout: CHECKPOINT_MS, intervals: [500] }).toBeGreaterThan(before);
}

const LATEST = "/api/signature/transparency/checkpoints/latest/";

async function sizeOfLog(reader: typeof owner): Promise<number> {
  const { status, json } = await reader.get(LATEST);
  return status === 200 ? json.size : 0;
}

/** The checkpoint of another service, sound in itself. */
async function foreignCheckpoint(): Promise<string> {
  const other = await startServer({ entry: "main", env: { SMTP_URL: mails.url } });
  try {
    await story.registerPerson({ url: other.url, mails }, { ...OWNER, email: "yaelle.ailleurs@exemple.fr" });
    const reader = await story.logIn(other.url, OWNER.username);
    await complete(reader);
    const { json } = await reader.get(LATEST);
    reader.close();
    return JSON.stringify(json);
  } finally {
    await other.close();
  }
}

test("anybody reads the log, keeps a checkpoint, and later sees that the past still stands, or that it does not", async ({
  page,
}, info) => {
  await page.goto(`${server.url}${PAGE}`);
  await expect(heading(page, "Journal de transparence")).toBeVisible();
  await expect(page.getByText("Aucun point de contrôle n’a encore été établi")).toBeVisible();
  await lookTwice(page, "transparency-1-none", info);

  await complete();
  await page.goto(`${server.url}/conditions`);
  await page.getByRole("link", { name: "Journal de transparence" }).click();
  await expect(heading(page, "Dernier point de contrôle")).toBeVisible();
  await expect(page.getByText("Valide, par Paraphe Cachet")).toBeVisible();
  await expect(page.getByText("par Paraphe Horodatage (non qualifié)")).toBeVisible();
  const saving = page.waitForEvent("download");
  await activate(page, "Garder ce point de contrôle", info);
  const kept = await saving;
  expect(kept.suggestedFilename()).toMatch(/^checkpoint-\d{12}\.json$/);
  const keptPath = await kept.path();
  const keptText = await readFile(keptPath, "utf8");

  await complete();
  await complete();
  await page.reload();
  await expect(page.getByText("Valide, par Paraphe Cachet")).toBeVisible();
  await activate(page, /^Vérifier la suite depuis/, info);
  await expect(page.getByText("Continuité vérifiée")).toBeVisible();
  await lookTwice(page, "transparency-2-list", info);

  const drop = page.getByLabel("Déposez un point de contrôle gardé");
  await drop.setInputFiles({ name: "checkpoint.json", mimeType: "application/json", buffer: Buffer.from(keptText) });
  await expect(page.getByText("aucune n’a été retirée ni changée")).toBeVisible();
  await drop.setInputFiles({ name: "autre.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await expect(page.getByText("Ce fichier n’est pas un point de contrôle de ce journal.")).toBeVisible();
  const altered = keptText.replace(/"root": ".{4}/, '"root": "0000');
  await drop.setInputFiles({ name: "altere.json", mimeType: "application/json", buffer: Buffer.from(altered) });
  await expect(page.getByText("Point de contrôle inexploitable")).toBeVisible();
  // Another service's word accuses this one of nothing.
  await drop.setInputFiles({ name: "ailleurs.json", mimeType: "application/json", buffer: Buffer.from(await foreignCheckpoint()) });
  await expect(page.getByText("Point de contrôle d’un autre journal")).toBeVisible();

  // The operator's case: the past rewritten, and signed again by the same seal.
  await rewritePast();
  await complete();
  await page.reload();
  await expect(page.getByText("Valide, par Paraphe Cachet")).toBeVisible();
  await drop.setInputFiles({ name: "checkpoint.json", mimeType: "application/json", buffer: Buffer.from(keptText) });
  await expect(page.getByText("Le journal a été réécrit")).toBeVisible();
  await lookTwice(page, "transparency-3-rewritten", info);
});

async function rewritePast(): Promise<void> {
  const database = await openDatabase(server.dataDir);
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
