import type { Proof } from "@paraphe/contracts";
import { type ProofReport, verifyProof } from "@paraphe/proof";
import { type RawBuilder, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { signIn } from "../../../testing/member.ts";
import { bytesAt, openProven, printOf, PRINTS, type Proven, proofIn } from "../../../testing/proven-envelope.ts";
import { appendEvent, SYSTEM_ACTOR } from "../audit/index.ts";
import { commitment, eventHash } from "../audit/event-hash.ts";
import { makeCheckpoint } from "../transparency/index.ts";
import { createTrust } from "../trust/index.ts";

/** Each moves the clock, or writes where nobody may. */
let proven: Proven;
beforeEach(async () => {
  proven = await openProven();
  await proven.test.settle({ deferred: "run" });
}, 60_000);
afterEach(() => proven.test.close());

const pageOf = async ({ id, sig } = proven.print): Promise<Proof> => (await proven.anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;

async function offlineOf({ proof_url } = proven.print): Promise<ProofReport> {
  const proof = await bytesAt(proven.anybody, proof_url);
  const files = [];
  for (const { document_url } of proofIn(proof).proof.documents)
    if (document_url !== null) files.push({ name: "bail.pdf", bytes: await bytesAt(proven.anybody, document_url) });
  return verifyProof({ proof, files, roots: proven.roots, now: proven.test.platform.clock() });
}

const failedIn = ({ checks }: ProofReport) => checks.filter(({ state }) => state === "failed").map(({ sentence }) => sentence);

/** With the rights of whoever operates the database, its triggers off. */
const write = (...statements: readonly RawBuilder<unknown>[]) =>
  proven.test.platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await statement.execute(trx);
  });

type Rewriting = { readonly to?: string; readonly shiftMs?: number; readonly values?: Readonly<Record<string, unknown>> };

/** Writes an envelope's journal anew, its chain whole: under another envelope, at other moments, with other values, as one event after the other would have been. */
async function rewrite(id: string, { to = id, shiftMs = 0, values = {} }: Rewriting): Promise<void> {
  const { db } = proven.test.platform;
  const events = await db.selectFrom("audit_events").selectAll().where("envelope_id", "=", id).orderBy("sequence").execute();
  const salts = await db.selectFrom("audit_details").selectAll().where("envelope_id", "=", id).execute();
  const statements: RawBuilder<unknown>[] = [sql`update audit_details set envelope_id = ${to} where envelope_id = ${id}`];
  let previous: Uint8Array | null = null;
  for (const event of events) {
    const detail = structuredClone(event.detail) as Record<string, unknown> & { commitments?: Record<string, string> };
    for (const { name, salt } of salts.filter(({ sequence }) => sequence === event.sequence)) {
      if (!(name in values) || detail.commitments === undefined) continue;
      detail.commitments[name] = Buffer.from(commitment(salt, values[name] as string)).toString("hex");
      statements.push(
        sql`update audit_details set value = ${JSON.stringify(values[name])}::jsonb where envelope_id = ${to} and sequence = ${event.sequence} and name = ${name}`,
      );
    }
    const at = new Date(event.at.getTime() + shiftMs).toISOString();
    if (typeof detail["consented_at"] === "string")
      detail["consented_at"] = new Date(Date.parse(detail["consented_at"]) + shiftMs).toISOString();
    const hash: Uint8Array = eventHash(previous, {
      envelope_id: to,
      at,
      actor: event.actor,
      action: event.action,
      detail: detail as never,
    });
    statements.push(
      sql`update audit_events set envelope_id = ${to}, at = ${at}, detail = ${JSON.stringify(detail)}::jsonb, hash = ${Buffer.from(hash)},
        previous_hash = ${previous === null ? null : Buffer.from(previous)} where envelope_id = ${id} and sequence = ${event.sequence}`,
    );
    previous = hash;
  }
  const [last] = events.slice(-1);
  // What the log has of the journal that was is somebody else's from now on, and the new one is due.
  statements.push(
    sql`update transparency_leaves set envelope_id = ${proven.test.platform.newId()} where envelope_id = ${id}`,
    sql`delete from transparency_due where envelope_id in (${id}, ${to})`,
    sql`insert into transparency_due (envelope_id, sequence, head) values (${to}, ${last?.sequence ?? 0}, ${Buffer.from(previous ?? [])})`,
  );
  await write(...statements);
  await makeCheckpoint({ platform: proven.test.platform, trust: await createTrust(proven.test.platform) });
}

describe("a journal that was written anew, its chain whole and taken up by the log", () => {
  it("at other moments: the time-stamps of the signatures say otherwise", async () => {
    proven.test.platform.clock.advance({ hours: 24 });
    const { id } = proven.envelope;
    await rewrite(id, { shiftMs: 23 * 3_600_000 });
    await write(
      sql`update envelopes set completed_at = completed_at + interval '23 hours' where id = ${id}`,
      sql`update signatures set signed_at = signed_at + interval '23 hours' where envelope_id = ${id}`,
      sql`update prints set created_at = created_at + interval '23 hours' where envelope_id = ${id}`,
    );
    const said = /^Le journal dit la signature de «\u00a0Paul Morel\u00a0» du .*, et son horodatage du /;
    expect(await pageOf()).toMatchObject({ verdict: "invalid", reason: expect.stringMatching(said) });
    expect(failedIn(await offlineOf())).toContainEqual(expect.stringMatching(said));
  });

  it("with another name: the certificate says otherwise", async () => {
    const { id } = proven.envelope;
    await rewrite(id, { values: { signer_names: [`${proven.envelope.recipients[0]?.id}:Marcel Faux`], full_name: "Marcel Faux" } });
    const signing = sql`select sequence from audit_events where envelope_id = ${id} and action = 'recipient_signed'`;
    expect((await signing.execute(proven.test.platform.db)).rows).toHaveLength(1);
    await rewrite(id, { values: { actor_name: "Marcel Faux" } });
    await write(
      sql`update recipients set full_name = 'Marcel Faux' where envelope_id = ${id}`,
      sql`update signatures set signer_name = 'Marcel Faux' where envelope_id = ${id}`,
      sql`update envelopes set created_by_name = 'Marcel Faux' where id = ${id}`,
    );
    const said =
      "Le journal dit que «\u00a0Marcel Faux\u00a0» a signé, et le certificat de la signature est celui de «\u00a0Paul Morel\u00a0».";
    expect(await pageOf()).toMatchObject({ verdict: "invalid", reason: expect.stringContaining(said) });
    expect(failedIn(await offlineOf())).toContain(said);
  });

  it("at its own moments, with another title: checkpoints made since did not cover it", async () => {
    const { test, envelope } = proven;
    test.platform.clock.advance({ hours: 3 });
    await createSent(await signIn(test, proven.member), { recipients: [ELOISE] });
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    expect((await pageOf()).verdict).toBe("valid");
    test.platform.clock.advance({ minutes: 5 });
    await rewrite(envelope.id, { values: { title: "Cession de fonds" } });
    await write(sql`update envelopes set title = 'Cession de fonds' where id = ${envelope.id}`);
    expect(await pageOf()).toMatchObject({ verdict: "indeterminate", reason: expect.stringContaining("ne la couvrait pas à temps") });
  });

  it("under another envelope: the fields of the signatures name theirs", async () => {
    const { test, envelope } = proven;
    const to = test.platform.newId();
    const tables = ["documents", "recipients", "signatures", "signing_acts", "fields", "prints"];
    await write(
      sql`update envelopes set id = ${to}, title = 'Cession de fonds' where id = ${envelope.id}`,
      ...tables.map((table) => sql`update ${sql.table(table)} set envelope_id = ${to} where envelope_id = ${envelope.id}`),
    );
    await rewrite(envelope.id, { to, values: { title: "Cession de fonds" } });
    const print = await printOf(await signIn(test, proven.member), { id: to });
    expect(await pageOf(print)).toMatchObject({ verdict: "invalid", title: "Cession de fonds" });
    expect(failedIn(await offlineOf(print))).toContain("Une signature que le journal nomme ne se trouve pas dans ce fichier.");
  });
});

describe("a row that was changed beside a file and a journal that hold", () => {
  it("does not say how long the file is, nor whose certificate signed it", async () => {
    const { test, owner } = proven;
    const envelope = await createSent(owner, {});
    for (const { email } of [PAUL, ELOISE]) await signAsGuest(test, envelope.id, email);
    const print = await printOf(owner, envelope);
    const document = envelope.documents[0]?.id ?? "";
    expect((await pageOf(print)).verdict).toBe("valid");
    await write(sql`update document_revisions set size = size + 7 where document_id = ${document}`);
    expect(await pageOf(print)).toMatchObject({ verdict: "invalid", reason: expect.stringMatching(/octets, et la base en dit/) });
    await write(
      sql`update document_revisions set size = size - 7 where document_id = ${document}`,
      sql`update signatures s set certificate_der = o.certificate_der from signatures o
        where s.envelope_id = ${envelope.id} and o.envelope_id = ${envelope.id} and s.signer_name = ${ELOISE.full_name} and o.signer_name = ${PAUL.full_name}`,
    );
    expect(await pageOf(print)).toMatchObject({
      verdict: "invalid",
      reason: expect.stringContaining("de la signature de «\u00a0Éloïse Lefèvre\u00a0» n’est pas celui du fichier"),
    });
    const listed = (await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`)).body.results;
    expect(listed.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["invalid", "invalid"]);
  });

  it("shows nothing of what the journal withholds, or says to be deleted", async () => {
    const { owner, envelope, print } = proven;
    const put = (proof_only: boolean) => owner.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, { body: { proof_only } });
    expect((await put(true)).status).toBe(200);
    await write(sql`update envelopes set proof_only = false where id = ${envelope.id}`);
    expect(await pageOf()).toMatchObject({ verdict: "invalid", proof_only: true, document_url: null });
    expect((await proven.anybody.get(print.document_url)).status).toBe(404);
    expect(proofIn(await bytesAt(proven.anybody, print.proof_url)).proof.certificates.signers).toEqual([]);
    await write(sql`update envelopes set proof_only = true where id = ${envelope.id}`);
    expect((await put(false)).status).toBe(200);
    expect(await pageOf()).toMatchObject({ verdict: "valid", proof_only: false });
    // Its rows and its file put back, of one that was deleted.
    const { platform } = proven.test;
    await platform.db
      .transaction()
      .execute((trx) =>
        appendEvent(trx, platform, { envelopeId: envelope.id, action: "envelope_purged", actor: SYSTEM_ACTOR, detail: {} }),
      );
    expect(await pageOf()).toMatchObject({ verdict: "invalid", reason: expect.stringContaining("a été supprimée le") });
    expect((await proven.anybody.get(print.document_url)).status).toBe(404);
  });
});

it("a log that covers the beginning of an envelope says nothing of its end, and is said to", async () => {
  const { test, owner } = proven;
  const envelope = await createSent(owner, { recipients: [PAUL] });
  await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
  // Without what follows a signature: the next checkpoint waits.
  const guest = await openMailedGuest(test, envelope.id, PAUL.email);
  await guest.confirm();
  expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
  await expect.poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 }).toBe(true);
  const print = await printOf(owner, envelope);
  expect(await pageOf(print)).toMatchObject({ verdict: "valid", completed: true, completion_logged: false });
  const report = await offlineOf(print);
  expect(report.verdict).toBe("indeterminate");
  expect(report.checks.find(({ name }) => name === "inclusion")).toMatchObject({
    state: "not_checked",
    sentence: expect.stringContaining("et non la fin de l’enveloppe"),
  });
  expect((await pageOf()).completion_logged).toBe(true);
});
