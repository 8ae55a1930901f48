import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readZip } from "../../apps/server/testing/zip.ts";
import type { FailPoint } from "../../apps/server/src/platform/fail-point.ts";
import { signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { EVERY_INVARIANT_HOLDS, runHere, verifyStoreOf } from "../support/run-here.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { personOf } from "../support/of-this-worker.ts";

/** The service is killed (SIGKILL) at each named point and restarted on the same folder. */
const API = "/api/signature";
const OWNER = personOf("clemence", "Clémence Aubry");
const GUESTS = [
  { email: "come@exemple.fr", full_name: "Côme Œuvrard" },
  { email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" },
] as const;
/** The sweep at start takes seconds; on a busy machine, more. */
const SEALED_WITHIN_MS = 60_000;
const HEALED_WITHIN_MS = 30_000;
/** A job is taken up once its process has missed a heartbeat. */
const TAKEN_UP_WITHIN_MS = 120_000;

const folders: string[] = [];
let server: RunningServer;
let owner: ApiClient;
let world: story.World;
let failFile: string;
let copies: string;
let contract: Uint8Array;

async function start(dataDir: string, port: number): Promise<RunningServer> {
  return startServer({
    env: { RATE_LIMITS: "off", CHECKPOINT_DIR: copies, PARAPHE_FAIL_FILE: failFile },
    dataDir,
    port,
  });
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-kills-"));
  folders.push(folder);
  return folder;
}

beforeAll(async () => {
  copies = await temporaryFolder();
  failFile = join(await temporaryFolder(), "fail-at");
  server = await start(await temporaryFolder(), await findFreePort());
  world = { url: server.url, mails: readLocalMailbox(server.url) };
  owner = await story.signUp(server.url, OWNER);
  contract = await makeContract("1");
}, 240_000);
afterAll(async () => {
  owner?.close();
  await server?.close();
  for (const folder of folders)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

const failAt = (point: FailPoint, time = 1) => writeFile(failFile, `${point}:${time}`);

/** Waits for the process to die at its point, then restarts on its folder. */
async function restartAfterKill(): Promise<void> {
  await server.died();
  server = await start(server.dataDir, Number(new URL(server.localUrl).port));
}

type Query = <Row extends object>(statement: string, values?: unknown[]) => Promise<Row[]>;

/** The database ends with the service: no connection is open at a kill. */
async function withDatabase<Found>(ask: (query: Query) => Promise<Found>): Promise<Found> {
  const database = await openDatabase(server.dataDir);
  try {
    return await ask(database.query);
  } finally {
    await database.close();
  }
}

type Signing = { readonly visit: story.GuestVisit; readonly body: object };
type Row = {
  readonly recipients: number;
  readonly signatures: number;
  readonly events: number;
  readonly unsealed: number;
};

const BOTH_SIGNED: Row = { recipients: 2, signatures: 2, events: 2, unsealed: 0 };

/** An envelope whose two guests have confirmed their codes. */
async function prepareSigning(
  title: string,
): Promise<{ readonly id: string; readonly signings: readonly Signing[] }> {
  const id = await story.sendContract(owner, title, GUESTS);
  const signings: Signing[] = [];
  for (const guest of GUESTS) {
    const visit = await story.openInvitation(world, guest, id);
    await story.confirmGuest(world, visit);
    const { json } = await visit.client.get(`${visit.path}/guest/`);
    const own = json.fields.filter(
      ({ own, type }: { own: boolean; type: string }) => own && ["date", "name"].includes(type),
    );
    const fields = own.map(({ id: field, type }: { id: string; type: string }) => ({
      id: field,
      value: type === "name" ? guest.full_name : "2026-11-21",
    }));
    signings.push({
      visit,
      body: { fields, signature: story.typed(guest.full_name), consent: true },
    });
  }
  return { id, signings };
}

/** True when acknowledged; false when the connection died first. */
async function sign({ visit, body }: Signing): Promise<boolean> {
  try {
    const { status } = await visit.client.post(`${visit.path}/sign/`, { json: body });
    return status === 200 || status === 202;
  } catch {
    return false;
  }
}

async function waitUntilSealed(envelopeId: string): Promise<Row> {
  return withDatabase(async (query) => {
    const count = async () =>
      (
        await query<Row>(
          `select (select count(*)::int from recipients where envelope_id = $1 and status = 'signed') as recipients,
            (select count(*)::int from signatures where envelope_id = $1) as signatures,
            (select count(*)::int from audit_events where envelope_id = $1 and action = 'recipient_signed') as events,
            (select count(*)::int from signing_acts where envelope_id = $1 and sealed_at is null) as unsealed`,
          [envelopeId],
        )
      )[0] as Row;
    await expect
      .poll(async () => (await count()).unsealed, { timeout: SEALED_WITHIN_MS, interval: 200 })
      .toBe(0);
    return count();
  });
}

/** A completed file bears a document time-stamp besides. */
const peopleIn = (file: Uint8Array) =>
  signaturesIn(file).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached");

async function fileOf(envelopeId: string): Promise<Uint8Array> {
  const { json } = await owner.get(`${API}/envelopes/${envelopeId}/`);
  return (await owner.get(`${API}/envelopes/${envelopeId}/documents/${json.documents[0].id}/file/`))
    .bytes;
}

/** After the kill no acknowledged signature is missing or doubled; the other guest asks again. */
async function expectSignedOnce(
  id: string,
  signings: readonly Signing[],
  acknowledged: readonly boolean[],
): Promise<void> {
  const row = await waitUntilSealed(id);
  expect(row.signatures).toBeGreaterThanOrEqual(acknowledged.filter(Boolean).length);
  expect(row).toMatchObject({ unsealed: 0, recipients: row.signatures, events: row.signatures });
  expect(peopleIn(await fileOf(id))).toHaveLength(row.signatures);
  for (const [index, { visit, body }] of signings.entries()) {
    const { json } = await visit.client.get(`${visit.path}/guest/`);
    if (acknowledged[index]) expect(json.recipient.signed).toBe(true);
    const again = await visit.client.post(`${visit.path}/sign/`, { json: body });
    if (json.recipient.signed)
      expect([again.status, again.json.code]).toEqual([409, "already_signed"]);
    else expect([200, 202]).toContain(again.status);
  }
  expect(await waitUntilSealed(id)).toEqual(BOTH_SIGNED);
  const file = await fileOf(id);
  expect(signaturesIn(file).at(-1)?.revisionLength).toBe(file.length);
  expect(peopleIn(file)).toHaveLength(2);
  expect((await owner.get(`${API}/envelopes/${id}/`)).json.status).toBe("completed");
  for (const { visit } of signings) visit.client.close();
}

describe("a kill during two signatures loses no acknowledged one and doubles none", () => {
  test.each<[FailPoint, number]>([
    ["act_committed", 1],
    ["act_committed", 2],
    ["file_stored", 1],
    ["signature_written", 2],
    ["signature_committed", 1],
  ])(
    "at the named point %s, passed %i times",
    async (point, time) => {
      const { id, signings } = await prepareSigning(`Contrat ${point} ${time}`);
      await failAt(point, time);
      const acknowledged = await Promise.all(signings.map(sign));
      await restartAfterKill();
      await expectSignedOnce(id, signings, acknowledged);
    },
    180_000,
  );

  test("at an arbitrary moment of the work on a PDF", async () => {
    const { id, signings } = await prepareSigning("Contrat de cet instant");
    const answers = signings.map(sign);
    await sleep(150);
    await server.kill();
    const acknowledged = await Promise.all(answers);
    await restartAfterKill();
    await expectSignedOnce(id, signings, acknowledged);
    await expect
      .poll(async () => (await createApiClient(server.url).get("/api/health/")).status, {
        timeout: 30_000,
      })
      .toBe(200);
    expect(await verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
  }, 180_000);
});

test("a repeated request of a killed process is answered within seconds by another and by the restarted process, and signs nothing twice", async () => {
  const { id, signings } = await prepareSigning("Contrat répété");
  const other = await startServer({
    env: { ROLE: "web", RATE_LIMITS: "off" },
    dataDir: server.dataDir,
  });
  const signAt = (url: string, { visit, body }: Signing) => {
    const client = createApiClient(url, visit.token);
    const cookie = [...visit.client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "idempotency-key": `signer-${visit.email}` };
    return client
      .post(`${visit.path}/sign/`, { json: body, headers })
      .finally(() => client.close());
  };
  const [first, second] = signings as [Signing, Signing];
  await failAt("act_committed", 2);
  expect(
    (await Promise.allSettled(signings.map((signing) => signAt(server.url, signing)))).map(
      ({ status }) => status,
    ),
  ).toEqual(["rejected", "rejected"]);
  await server.died();
  const expectAnswered = async (url: string, signing: Signing) => {
    const asked = performance.now();
    const { status, json } = await signAt(url, signing);
    expect([200, 202, "already_signed"]).toContain(status < 300 ? status : json.code);
    expect(performance.now() - asked).toBeLessThan(HEALED_WITHIN_MS);
  };
  await expectAnswered(other.url, first);
  await restartAfterKill();
  await expectAnswered(server.url, second);
  expect(await waitUntilSealed(id)).toEqual(BOTH_SIGNED);
  expect(peopleIn(await fileOf(id))).toHaveLength(2);
  await other.stop();
  for (const { visit } of signings) visit.client.close();
}, 180_000);

/** The acknowledged envelope; null when the connection died first. */
async function selfSign(): Promise<string | null> {
  try {
    const { status, json } = await story.postSelfSign(owner, "Clémence Aubry");
    return status === 201 ? json.id : null;
  } catch {
    return null;
  }
}

/** Counts own documents that lack a signature, a seal, a certificate or a journal. */
async function countHalf(): Promise<{ readonly half: number; readonly orphans: number }> {
  const half = `select (count(*) filter (where e.status <> 'completed' or e.level <> 'B-LTA'
        or (select count(*) from signatures s where s.envelope_id = e.id) <> 1
        or (select count(*) from signing_acts a where a.envelope_id = e.id and a.sealed_at is not null) <> 1
        or (select count(*) from audit_events a where a.envelope_id = e.id) <> 4
        or (select count(*) from recipients r where r.envelope_id = e.id and r.status = 'signed') <> 1))::int as half,
      (select count(*)::int from signatures s where not exists (select 1 from envelopes e where e.id = s.envelope_id)) as orphans
    from envelopes e where exists (select from signing_acts a where a.envelope_id = e.id and a.method = 'self')`;
  const [row] = await withDatabase((query) => query<{ half: number; orphans: number }>(half));
  return row ?? { half: -1, orphans: -1 };
}

test.each([1, 3])(
  "a kill between the files and the rows of %i out of four own documents leaves none half done",
  async (time) => {
    await failAt("own_file_stored", time);
    const acknowledged = (await Promise.all(Array.from({ length: 4 }, selfSign))).filter(
      (id) => id !== null,
    );
    await restartAfterKill();
    expect(await countHalf()).toEqual({ half: 0, orphans: 0 });
    for (const id of acknowledged)
      expect((await owner.get(`${API}/envelopes/${id}/`)).json).toMatchObject({
        status: "completed",
        level: "B-LTA",
      });
    const again = await selfSign();
    expect((await owner.get(`${API}/envelopes/${again}/signed-document/`)).status).toBe(200);
  },
  120_000,
);

const DOCUMENTS = 24;

/** Counts per kind: one for each document signed once, and the completion messages. */
async function tallyOf(query: Query, batch: string): Promise<object | undefined> {
  const [tally] = await query(
    `select (select count(*)::int from batch_items where job_id = $1 and status = 'done') as done,
      (select count(distinct envelope_id)::int from batch_items where job_id = $1) as envelopes,
      (select count(*)::int from signing_acts where method = 'bulk') as acts,
      (select count(*)::int from signatures s join signing_acts a on a.id = s.act_id where a.method = 'bulk') as signatures,
      (select count(*)::int from audit_events e join signing_acts a on a.envelope_id = e.envelope_id
        where a.method = 'bulk' and e.action = 'envelope_completed') as events,
      (select count(*)::int from notices where kind = 'batch_ended') as messages`,
    [batch],
  );
  return tally;
}

test("a batch whose process is killed three times signs each document once and notifies its owner once", async () => {
  await failAt("own_file_stored", 5);
  const id = await story.signBatch(owner, contract, DOCUMENTS);
  await server.died();
  for (const [point, time] of [
    ["group_written", 2],
    ["group_committed", 2],
  ] as const) {
    await restartAfterKill();
    await failAt(point, time);
    await server.died();
  }
  await restartAfterKill();
  const kinds = ["done", "envelopes", "acts", "signatures", "events"];
  const once = { ...Object.fromEntries(kinds.map((kind) => [kind, DOCUMENTS])), messages: 1 };
  await withDatabase((query) =>
    expect
      .poll(() => tallyOf(query, id), { timeout: TAKEN_UP_WITHIN_MS, interval: 200 })
      .toEqual(once),
  );
  const address = `${API}/batch-jobs/${id}/`;
  expect((await owner.get(address)).json).toMatchObject({
    status: "completed",
    total: DOCUMENTS,
    done: DOCUMENTS,
    failed: 0,
  });
  const archive = readZip(
    story.expectStatus(await owner.get(`${address}download/`), 200, "archive").bytes,
  );
  const signed = [...archive].filter(([name]) => name.endsWith(".pdf"));
  expect(signed).toHaveLength(DOCUMENTS);
  for (const [, bytes] of signed)
    expect(signaturesIn(bytes).map(({ subFilter }) => subFilter)).toEqual([
      "ETSI.CAdES.detached",
      "ETSI.RFC3161",
    ]);
}, 400_000);

/** 1,000 lines take five minutes more. */
const LINES = Number(process.env["MAILING_LINES"] ?? 60);
const isFaulty = (index: number) => index % 33 === 7 && index < 990;

/** Prepares a template and a file of which three lines in a hundred lack their address. */
async function prepareMailing(): Promise<string> {
  const draft = { title: "Lettre", pdf: contract, guests: [GUESTS[0]] };
  const { id: envelope } = await story.createEnvelope(owner, draft);
  const kept = { json: { envelope, name: "Lettre" } };
  const template = story.expectStatus(await owner.post(`${API}/templates/`, kept), 201, "template");
  const lines = Array.from({ length: LINES }, (_, index) =>
    isFaulty(index) ? `Client ${index};` : `Client ${index};client${index}@liste.fr`,
  );
  const content = Buffer.from(["Nom;Email", ...lines].join("\n")).toString("base64");
  const json = { template: template.json.id, file: { name: "liste.csv", content } };
  return story.expectStatus(await owner.post(`${API}/mailings/`, { json }), 201, "mailing").json.id;
}

test(
  "a mailing whose process is killed three times invites each person once and reports every line",
  async () => {
    const id = await prepareMailing();
    const address = `${API}/mailings/${id}/`;
    await failAt("mailing_drafted", 10);
    story.expectStatus(await owner.post(`${address}start/`, { json: {} }), 202, "start");
    await server.died();
    for (const [point, time] of [
      ["mailing_sent", 12],
      ["mailing_drafted", 8],
    ] as const) {
      await restartAfterKill();
      await failAt(point, time);
      await server.died();
    }
    await restartAfterKill();
    const faulty = Array.from({ length: LINES }, (_, index) => index).filter(isFaulty).length;
    const sent = LINES - faulty;
    await expect
      .poll(async () => (await owner.get(address)).json, {
        timeout: TAKEN_UP_WITHIN_MS + LINES * 1_000,
        interval: 500,
      })
      .toMatchObject({ state: "done", sent, refused: faulty, failed: 0, left: 0 });
    const [once] = await withDatabase((query) =>
      query(
        `select count(*)::int as envelopes, count(distinct r.email)::int as people,
        count(*) filter (where e.status = 'draft')::int as drafts,
        sum((select count(*) from notices n where n.recipient_id = r.id and n.kind = 'invitation'))::int as invitations,
        (select count(*)::int from notices where kind = 'mailing_ended') as messages
      from recipients r join envelopes e on e.id = r.envelope_id where r.email like '%@liste.fr'`,
      ),
    );
    expect(once).toEqual({
      envelopes: sent,
      people: sent,
      drafts: 0,
      invitations: sent,
      messages: 1,
    });
    const report = new TextDecoder().decode((await owner.get(`${address}report/`)).bytes);
    expect(report.match(/;Envoyée;;http/g)).toHaveLength(sent);
    expect(report.match(/;À revoir;Adresse email absente;/g)).toHaveLength(faulty);
  },
  400_000 + LINES * 1_000,
);

/** Completed envelopes that no checkpoint covers. */
async function countUncovered(query: Query): Promise<number> {
  const [row] = await query<{ count: number }>(
    `select count(*)::int as count from audit_events e where e.action = 'envelope_completed' and not exists (
      select from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence >= e.sequence
        and l.leaf_index < (select max(size) from transparency_checkpoints))`,
  );
  return row?.count ?? -1;
}

test("kills around a checkpoint lose and double no tree head, and the next process makes it", async () => {
  for (const point of ["leaves_appended", "checkpoint_written", "checkpoint_committed"] as const) {
    await failAt(point);
    await selfSign();
    await restartAfterKill();
    await withDatabase((query) =>
      expect
        .poll(() => countUncovered(query), { timeout: TAKEN_UP_WITHIN_MS, interval: 500 })
        .toBe(0),
    );
  }
  await expect
    .poll(
      async () => (await readdir(copies)).filter((name) => name.startsWith("checkpoint-")).length,
    )
    .toBeGreaterThan(0);
  const audit = await runHere(["audit", "check"], {
    DATA_DIR: server.dataDir,
    CHECKPOINT_DIR: copies,
  });
  expect(audit.output).toContain("Rien n’a été modifié, déplacé ni retiré.");
  expect(audit.code).toBe(0);
  expect(await verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
}, 400_000);
