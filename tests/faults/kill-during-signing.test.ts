import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { signaturesIn } from "../../scripts/store/signatures-in.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/verify-store.ts";

const API = "/api/signature";
const SENDER = { username: "clemence", email: "clemence@exemple.fr", firstName: "Clémence", lastName: "Aubry" };
const GUESTS = [
  { email: "come@exemple.fr", full_name: "Côme Œuvrard" },
  { email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" },
] as const;
const ENVELOPES = 3;
/** What a sealing costs lies between the first and the last: the kill falls before, inside and after it. */
const KILL_AFTER_MS = [40, 150, 400, 900] as const;
/** The sweep at start takes seconds; a machine busy with other tests, more. */
const SEALED_WITHIN_MS = 60_000;

let server: RunningServer;
let sender: ApiClient;
let world: story.World;
const options = { env: { RATE_LIMITS: "off" } };

beforeAll(async () => {
  server = await startServer({ ...options, port: await findFreePort() });
  world = { url: server.url, mails: readLocalMailbox(server.url) };
  await story.registerPerson(world, SENDER);
  sender = await story.logIn(server.url, SENDER.username);
}, 240_000);
afterAll(async () => {
  sender?.close();
  await server?.close();
});

type Signing = { readonly envelopeId: string; readonly visit: story.GuestVisit; readonly body: object };
type Row = {
  readonly envelope_id: string;
  readonly recipients: number;
  readonly signatures: number;
  readonly events: number;
  readonly unsealed: number;
};

/** The signatures of people: a completed file bears a document time-stamp besides. */
function peopleIn(file: Uint8Array) {
  return signaturesIn(file).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached");
}

/** Envelopes whose guests have all confirmed their code: they need only sign. */
async function prepareSignings(): Promise<Signing[]> {
  const signings: Signing[] = [];
  for (let index = 0; index < ENVELOPES; index++) {
    const { id } = await story.createEnvelope(sender, {
      title: `Contrat ${index}`,
      pdf: await makeContract(`Contrat ${index}`),
      guests: GUESTS,
    });
    await story.sendEnvelope(sender, id);
    for (const guest of GUESTS) {
      const visit = await story.openInvitation(world, guest, id);
      await story.confirmGuest(world, visit);
      const { json } = await visit.client.get(`${visit.path}/guest/`);
      const own = json.fields.filter(({ own, type }: { own: boolean; type: string }) => own && ["date", "name"].includes(type));
      const fields = own.map(({ id: field, type }: { id: string; type: string }) => ({
        id: field,
        value: type === "name" ? guest.full_name : "2026-11-21",
      }));
      signings.push({ envelopeId: id, visit, body: { fields, signature: story.typed(guest.full_name), consent: true } });
    }
  }
  return signings;
}

/** True when the service acknowledged the signature; false when the connection died first. */
async function sign({ visit, body }: Signing): Promise<boolean> {
  try {
    const { status } = await visit.client.post(`${visit.path}/sign/`, { json: body });
    return status === 200 || status === 202;
  } catch {
    return false;
  }
}

async function countSignatures(envelopeIds: readonly string[]): Promise<Row[]> {
  const database = await openDatabase(server.dataDir);
  try {
    return await database.query<Row>(
      `select e.id as envelope_id,
        (select count(*)::int from recipients r where r.envelope_id = e.id and r.status = 'signed') as recipients,
        (select count(*)::int from signatures s where s.envelope_id = e.id) as signatures,
        (select count(*)::int from audit_events a where a.envelope_id = e.id and a.action = 'recipient_signed') as events,
        (select count(*)::int from signing_acts a where a.envelope_id = e.id and a.sealed_at is null) as unsealed
      from envelopes e where e.id = any($1::uuid[])`,
      [envelopeIds],
    );
  } finally {
    await database.close();
  }
}

async function waitUntilSealed(envelopeIds: readonly string[]): Promise<Row[]> {
  const until = Date.now() + SEALED_WITHIN_MS;
  for (;;) {
    const rows = await countSignatures(envelopeIds);
    if (rows.every((row) => row.unsealed === 0) || Date.now() > until) return rows;
    await sleep(200);
  }
}

async function fileOf(envelopeId: string): Promise<Uint8Array> {
  const { json } = await sender.get(`${API}/envelopes/${envelopeId}/`);
  return (await sender.get(`${API}/envelopes/${envelopeId}/documents/${json.documents[0].id}/file/`)).bytes;
}

describe.each(KILL_AFTER_MS)("kill -9 of the service %i ms after six people pressed « Signer »", (delayMs) => {
  test("no acknowledged signature is missing, none is doubled, and who got no answer signs by asking again", async () => {
    const signings = await prepareSignings();
    const envelopeIds = [...new Set(signings.map(({ envelopeId }) => envelopeId))];
    const answers = signings.map(sign);
    await sleep(delayMs);
    await server.kill();
    const acknowledged = await Promise.all(answers);

    server = await startServer({ ...options, dataDir: server.dataDir, port: Number(new URL(server.localUrl).port) });
    const rows = await waitUntilSealed(envelopeIds);
    for (const row of rows) {
      const expected = signings.filter(({ envelopeId }, index) => envelopeId === row.envelope_id && acknowledged[index]).length;
      expect(row.signatures).toBeGreaterThanOrEqual(expected);
      expect(row).toMatchObject({ unsealed: 0, recipients: row.signatures, events: row.signatures });
      expect(peopleIn(await fileOf(row.envelope_id))).toHaveLength(row.signatures);
    }
    for (const [index, signing] of signings.entries()) {
      const { json } = await signing.visit.client.get(`${signing.visit.path}/guest/`);
      if (acknowledged[index]) expect(json.recipient.signed).toBe(true);
      const again = await signing.visit.client.post(`${signing.visit.path}/sign/`, { json: signing.body });
      expect(json.recipient.signed ? [again.status, again.json.code] : [200, 202].includes(again.status)).toEqual(
        json.recipient.signed ? [409, "already_signed"] : true,
      );
    }
    for (const row of await waitUntilSealed(envelopeIds)) {
      expect(row).toMatchObject({ recipients: 2, signatures: 2, events: 2, unsealed: 0 });
      const file = await fileOf(row.envelope_id);
      expect(
        signaturesIn(file)
          .map(({ revisionLength }) => revisionLength)
          .at(-1),
      ).toBe(file.length);
      expect(peopleIn(file)).toHaveLength(2);
      expect((await sender.get(`${API}/envelopes/${row.envelope_id}/`)).json.status).toBe("completed");
    }
    for (const { visit } of signings) visit.client.close();
    expect((await createApiClient(server.url).get("/api/health/")).status).toBe(200);
    expect(verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
  }, 180_000);
});
