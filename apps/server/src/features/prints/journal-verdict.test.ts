import type { Envelope, Print, Proof } from "@paraphe/contracts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";

const PRINTS = "/api/signature/prints/";
let test: TestApp;
let owner: TestBrowser;
let anybody: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
  anybody = openBrowser(test.app);
}, 60_000);
afterAll(() => test.close());

/** A signed envelope, its mails sent, its head in the log or not. */
async function completed({ isLogged = false } = {}): Promise<{ envelope: Envelope; print: Print }> {
  const envelope = await createSent(owner, { recipients: [PAUL] });
  const guest = await openMailedGuest(test, envelope.id, PAUL.email);
  await guest.confirm();
  expect((await guest.post("sign/", TYPED)).status).toBe(200);
  const answer = await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type: "page" });
  await test.settle(isLogged ? { deferred: "run" } : {});
  return { envelope, print: answer.body };
}

async function proofOf({ id, sig }: Print): Promise<Proof> {
  return (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;
}

type Change = (envelopeId: string) => ReturnType<typeof sql>;

/** As whoever operates the database may do. */
async function rewriteJournal(change: Change, envelopeId: string): Promise<void> {
  await test.platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await change(envelopeId).execute(trx);
  });
}

describe("the verdict of an envelope whose journal was changed", () => {
  it.each<[string, Change]>([
    ["an edited row", (id) => sql`update audit_events set actor = 'user:0' where envelope_id = ${id} and sequence = 2`],
    ["another time", (id) => sql`update audit_events set at = at - interval '1 day' where envelope_id = ${id} and sequence = 3`],
    ["a deleted row", (id) => sql`delete from audit_events where envelope_id = ${id} and sequence = 2`],
    ["an empty journal", (id) => sql`delete from audit_events where envelope_id = ${id}`],
  ])("is never valid: %s", async (_, change) => {
    const { envelope, print } = await completed();
    expect(await proofOf(print)).toMatchObject({ verdict: "valid", chain: { intact: true } });
    await rewriteJournal(change, envelope.id);
    const proof = await proofOf(print);
    expect(proof).toMatchObject({ verdict: "invalid", integrity: true, chain: { intact: false } });
    expect(proof.reason).toContain("Le journal de cette enveloppe a été modifié après coup");
  });

  it("is not valid either when what is left of it chains, once the log covers what there was", async () => {
    const { envelope, print } = await completed({ isLogged: true });
    const { inclusion } = await proofOf(print);
    const last = inclusion?.entry.sequence ?? 0;
    expect(inclusion?.entry.envelope_id).toBe(envelope.id);
    await rewriteJournal((id) => sql`delete from audit_events where envelope_id = ${id} and sequence >= ${last}`, envelope.id);
    expect(await proofOf(print)).toMatchObject({ verdict: "invalid", chain: { intact: false, count: last - 1 } });
  });
});
