import { writeTogether } from "../../../platform/database/in-transaction.ts";
import { execFileSync } from "node:child_process";
import type { Envelope, Print, Proof } from "@paraphe/contracts";
import { type ProofReport, verifyProof } from "@paraphe/proof";
import { type RawBuilder, sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import {
  createSent,
  ELOISE,
  ENVELOPES,
  type EnvelopeValues,
  PAUL,
} from "../../../../testing/envelope.ts";
import { signAsGuest, TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import {
  asOperator,
  FORGED_ROWS,
  REMOVED_ROWS,
  rememberRows,
} from "../../../../testing/forged-rows.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import {
  bytesAt,
  completeEnvelope,
  openProven,
  printOf,
  PRINTS,
  proofIn,
  type Proven,
} from "../../../../testing/proven-envelope.ts";
import { recipientCalls } from "../../../../testing/recipient-calls.ts";
import { openSoftHsm } from "../../../../testing/soft-hsm.ts";
import { openHsm } from "../../../platform/hsm/hsm.ts";
import { appendEvents, SYSTEM_ACTOR } from "../../journal/public.ts";

let proven: Proven;

beforeAll(async () => {
  proven = await openProven();
});

afterAll(() => proven.test.close());

describe("rows and events that were forged", { timeout: 60_000 }, () => {
  type Stage = { readonly envelope: Envelope; readonly print: Print };

  async function signedBy(
    people: readonly { readonly email: string }[],
    values: EnvelopeValues = {},
  ): Promise<Stage> {
    const envelope = await createSent(proven.owner, values);
    for (const { email } of people) await signAsGuest(proven.test, envelope.id, email);
    await proven.test.settle({ deferred: "run" });
    return { envelope, print: await printOf(proven.owner, envelope) };
  }

  /** Signed by the only recipient; by one of two; by both. */
  let alone: Stage;
  let waiting: Stage;
  let both: Stage;
  let ofTwoFiles: Stage;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    alone = await signedBy([PAUL], { recipients: [PAUL] });
    waiting = await signedBy([PAUL]);
    both = await signedBy([PAUL, ELOISE]);
    const files = ["Bail.pdf", "Annexe.pdf"].map((name) => ({ name, bytes: makePdf() }));
    ofTwoFiles = await signedBy([PAUL, ELOISE], { files });
    putBack = await rememberRows(proven.test.platform);
  }, 60_000);
  afterEach(async () => {
    await proven.test.settle({ deferred: "run", failures: "keep" });
    await putBack();
  });

  /** Writes with the rights of the service's own role, or of whoever operates the database. */
  async function change(...statements: readonly RawBuilder<unknown>[]): Promise<void> {
    await proven.test.platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      for (const statement of statements) await statement.execute(trx);
    });
  }

  const pageOf = async ({ print }: Stage): Promise<Proof> =>
    (await proven.anybody.get(`${PRINTS}${print.id}/verify/?sig=${print.sig}`)).body;

  /** Checks the proof file as it is served now, with the files served with it. */
  async function offlineOf({ print }: Stage): Promise<ProofReport> {
    const proof = await bytesAt(proven.anybody, print.proof_url);
    const { documents } = (JSON.parse(Buffer.from(proof).toString()) as { proof: Proof }).proof;
    const files: { name: string; bytes: Uint8Array }[] = [];
    for (const { document_url } of documents)
      if (document_url !== null)
        files.push({
          name: `${files.length}.pdf`,
          bytes: await bytesAt(proven.anybody, document_url),
        });
    return verifyProof({ proof, files, roots: proven.roots, now: proven.test.platform.clock() });
  }

  async function assertFalse(stage: Stage, reason: RegExp): Promise<void> {
    const page = await pageOf(stage);
    expect([page.verdict, page.reason]).toEqual(["invalid", expect.stringMatching(reason)]);
    expect((await offlineOf(stage)).verdict).toBe("invalid");
  }

  /**
   * Every answer about an envelope: the public page, `preuve.json`, its signatures and its evidence
   * file.
   */
  async function answersAbout(stage: Stage) {
    const { envelope, print } = stage;
    const proof = proofIn(await bytesAt(proven.anybody, print.proof_url)).proof;
    const signatures = await proven.owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
    const evidence = await proven.owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
    const words = execFileSync("pdftotext", ["-", "-"], { input: evidence.bytes });
    return {
      page: await pageOf(stage),
      proof,
      offline: (await offlineOf(stage)).checks.map(({ name, state }) => [name, state]),
      signatures: signatures.body.results,
      // The files attached are sealed anew each time.
      evidence: String(words).split("11. Vérifier ce dossier")[0],
    };
  }

  async function assertUnchanged(stage: Stage, ...forged: readonly RawBuilder<unknown>[]) {
    const before = await answersAbout(stage);
    await change(...forged);
    expect(await answersAbout(stage)).toEqual(before);
  }

  test("an untouched envelope with several people and files is valid everywhere", async () => {
    const stage = ofTwoFiles;
    expect(await pageOf(stage)).toMatchObject({ verdict: "valid", completed: true, warnings: [] });
    const report = await offlineOf(stage);
    expect(report.checks.filter(({ state }) => state !== "ok")).toEqual([]);
  });

  test("an event that renames a file does not prove another genuine one", async () => {
    const [stage, other] = [alone, await signedBy([ELOISE], { recipients: [ELOISE] })];
    const [to = "", from = ""] = [stage, other].map(({ envelope }) => envelope.documents[0]?.id);
    const { platform } = proven.test;
    await change(
      sql`update document_revisions r set blob_sha256 = f.blob_sha256, size = f.size from document_revisions f, documents t, documents o
        where o.id = ${from} and f.document_id = o.id and f.number = o.current_revision
          and t.id = ${to} and r.document_id = t.id and r.number = t.current_revision`,
      sql`update signatures s set certificate_der = f.certificate_der, serial_number = f.serial_number, signer_name = f.signer_name
        from signatures f where f.document_id = ${from} and s.document_id = ${to}`,
    );
    const { rows } = await sql<{
      hash: string;
    }>`select encode(r.blob_sha256, 'hex') as hash from document_revisions r
      join documents d on d.id = r.document_id and d.current_revision = r.number where d.id = ${to}`.execute(
      platform.db,
    );
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(platform, [
          {
            envelopeId: stage.envelope.id,
            action: "archive_renewed",
            actor: SYSTEM_ACTOR,
            detail: { document: `${to}:${rows[0]?.hash}` },
          },
        ]),
      ]),
    );
    await assertFalse(stage, /n’est pas celui que l’historique/);
    expect((await proven.anybody.get(stage.print.document_url)).status).not.toBe(200);
  });

  test("a completion event without a signature completes nothing", async () => {
    const stage = waiting;
    const { id } = stage.envelope;
    await change(
      sql`update recipients set role = 'viewer' where envelope_id = ${id} and full_name = ${ELOISE.full_name}`,
      sql`update envelopes set status = 'completed', completed_at = now() where id = ${id}`,
    );
    const { platform } = proven.test;
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(platform, [
          {
            envelopeId: id,
            action: "envelope_completed",
            actor: SYSTEM_ACTOR,
            detail: { documents: [] },
          },
        ]),
      ]),
    );
    await assertFalse(stage, /termine une enveloppe que tous n’avaient pas signée/);
  });

  const forging = (stage: Stage, rows: typeof FORGED_ROWS) =>
    rows.map(([, statement]) => sql.raw(statement.replaceAll(":envelope", stage.envelope.id)));

  test("changed rows change no answer", async () => {
    expect((await pageOf(alone)).verdict).toBe("valid");
    await assertUnchanged(alone, ...forging(alone, FORGED_ROWS));
  });

  test("removed rows change no answer", async () => {
    expect((await pageOf(ofTwoFiles)).verdict).toBe("valid");
    await assertUnchanged(ofTwoFiles, ...forging(ofTwoFiles, REMOVED_ROWS));
  });

  test("rows that complete unsigned or cancelled envelopes change no answer", async () => {
    const { id } = waiting.envelope;
    const completing = [
      sql`delete from recipients where envelope_id = ${id} and full_name = ${ELOISE.full_name}`,
      sql`update envelopes set status = 'completed', cancelled_at = null, status_before_cancel = null, completed_at = now() where id = ${id}`,
    ];
    await assertUnchanged(waiting, ...completing);
    expect(await pageOf(waiting)).toMatchObject({
      verdict: "indeterminate",
      completed: false,
      signers: [{ signed: true }, { full_name: ELOISE.full_name, signed: false }],
    });
    await putBack();
    await proven.owner.post(`/api/signature/envelopes/${id}/cancel/`, {});
    await assertUnchanged(waiting, ...completing);
    expect(await pageOf(waiting)).toMatchObject({ verdict: "indeterminate", cancelled: true });
  });

  test("rows that add people or signatures change no answer", async () => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = 'recipients' and is_generated = 'NEVER'`.execute(
      proven.test.platform.owner,
    );
    const values: Record<string, string> = {
      id: `'${proven.test.platform.newId()}'`,
      full_name: "'Maître Durand'",
      email: "'durand@notaires.example'",
      email_key: "'durand@notaires.example'",
      position: "9",
    };
    const names = rows.map(({ name }) => name);
    const { id } = both.envelope;
    await assertUnchanged(
      both,
      sql.raw(
        `insert into recipients (${names.join()}) select ${names.map((name) => values[name] ?? name).join()} from recipients where envelope_id = '${id}' limit 1`,
      ),
    );
  });

  test("an earlier file without a removed signer is not the document", async () => {
    const { id } = both.envelope;
    await assertUnchanged(
      both,
      sql`update documents set current_revision = 2 where envelope_id = ${id}`,
      sql`delete from signatures where envelope_id = ${id} and signer_name = ${ELOISE.full_name}`,
      sql`delete from recipients where envelope_id = ${id} and full_name = ${ELOISE.full_name}`,
    );
  });

  test("a print row moved to another envelope or kind opens nothing, and its owner is warned", async () => {
    const [stage, other] = [alone, await signedBy([PAUL], { recipients: [PAUL] })];
    const { id } = stage.print;
    const ownerSees = async (): Promise<Proof> =>
      (await proven.owner.get(`${PRINTS}${id}/verify/`)).body;
    await change(sql`update prints set qr_type = 'last' where id = ${id}`);
    expect((await ownerSees()).verdict).toBe("valid");
    await expectStatus(proven.anybody.get(stage.print.proof_url), 404);
    await change(sql`update prints set envelope_id = ${other.envelope.id} where id = ${id}`);
    expect(await ownerSees()).toMatchObject({
      verdict: "invalid",
      reason: expect.stringContaining("ne connaît pas cette impression"),
    });
    await expectStatus(proven.anybody.get(stage.print.proof_url), 404);
    expect((await pageOf(other)).verdict).toBe("valid");
  });

  test("an erased value is reported as unchecked", async () => {
    const stage = alone;
    await change(
      sql`delete from audit_details where envelope_id = ${stage.envelope.id} and name = 'title'`,
      sql`update envelopes set title = 'Cession de parts' where id = ${stage.envelope.id}`,
    );
    expect(await pageOf(stage)).toMatchObject({
      verdict: "indeterminate",
      reason: expect.stringContaining("le titre"),
    });
    expect((await offlineOf(stage)).verdict).toBe("indeterminate");
  });

  test("a declined envelope awaits nobody", async () => {
    const stage = waiting;
    const guest = await openConfirmedGuest(proven.test, stage.envelope.id, ELOISE.email);
    await expectStatus(guest.post("decline/", { reason: "Non" }), 200);
    const page = await pageOf(stage);
    expect(page).toMatchObject({ verdict: "indeterminate", declined: true, completed: false });
    expect(page.reason).toMatch(/a refusé sa signature ou son visa/);
    expect(
      (await offlineOf(stage)).checks.find(({ name }) => name === "completion")?.sentence,
    ).toMatch(/a refusé sa signature ou son visa/);
  });
});

const pageOf = async ({ anybody }: Proven, { id, sig }: { id: string; sig: string }) =>
  (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;

async function offlineOf({ anybody, roots, test }: Proven, { proof_url }: { proof_url: string }) {
  const proof = await bytesAt(anybody, proof_url);
  const files = [];
  for (const { document_url, name } of proofIn(proof).proof.documents)
    if (document_url !== null)
      files.push({ name: String(name), bytes: await bytesAt(anybody, document_url) });
  return verifyProof({ proof, files, roots, now: test.platform.clock() });
}

test("sequential signing with copies, an approver and a corrected address is valid", async () => {
  const { test, owner } = proven;
  const recipients = [
    { ...PAUL, order: 1 },
    { ...ELOISE, order: 2, role: "approver" },
    { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "viewer", order: 2 },
  ];
  const envelope = await createSent(owner, { recipients, flow: "sequential" });
  const moved = {
    ...envelope,
    recipients: envelope.recipients.filter(({ email }) => email === ELOISE.email),
  };
  await expectStatus(
    recipientCalls(test, () => owner).correct(moved, { email: "e.lefevre@exemple.fr" }),
    200,
  );
  await signAsGuest(test, envelope.id, PAUL.email);
  await signAsGuest(test, envelope.id, "e.lefevre@exemple.fr");
  await test.settle({ deferred: "run" });
  const print = await printOf(owner, envelope);
  expect(await pageOf(proven, print)).toMatchObject({
    verdict: "valid",
    completed: true,
    warnings: [],
  });
  expect((await offlineOf(proven, print)).verdict).toBe("valid");
});

test("a completed envelope cancelled and restored is valid", async () => {
  const { test, owner } = proven;
  const envelope = await completeEnvelope({ test, owner });
  const print = await printOf(owner, envelope);
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  expect(await pageOf(proven, print)).toMatchObject({
    verdict: "indeterminate",
    cancelled: true,
  });
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/restore/`), 200);
  expect(await pageOf(proven, print)).toMatchObject({ verdict: "valid", cancelled: false });
});

test("a file signed here before in another envelope is valid", async () => {
  const { test, owner, pdf } = proven;
  const envelope = await completeEnvelope(
    { test, owner },
    { files: [{ name: "Signé.pdf", bytes: pdf }] },
  );
  await test.settle({ deferred: "run" });
  const print = await printOf(owner, envelope);
  expect(await pageOf(proven, print)).toMatchObject({ verdict: "valid" });
  expect((await offlineOf(proven, print)).verdict).toBe("valid");
});

test("a signature by the organisation’s key is valid, whatever name the rows have", {
  timeout: 60_000,
}, async () => {
  const token = await openSoftHsm();
  const hsm = await openHsm(token.settings);
  const own = await openProven({ platform: { hsm } });
  try {
    const envelope = await createSent(own.owner, { recipients: [PAUL, ELOISE] });
    for (const { email } of [PAUL, ELOISE]) {
      const guest = await openConfirmedGuest(own.test, envelope.id, email);
      await guest.post("hsm_sign/", TYPED);
      await own.test.settle();
    }
    await own.test.settle({ deferred: "run" });
    const print = await printOf(own.owner, envelope);
    expect(await pageOf(own, print)).toMatchObject({
      verdict: "valid",
      signers: [{ full_name: "Paul Morel" }, { signed: true }],
    });
    expect((await offlineOf(own, print)).verdict).toBe("valid");
    await asOperator(
      own.test,
      sql`update recipients set full_name = 'Victime' where envelope_id = ${envelope.id} and full_name = 'Paul Morel'`,
      sql`update signatures set signer_name = 'Victime' where envelope_id = ${envelope.id} and signer_name = 'Paul Morel'`,
    );
    expect(await pageOf(own, print)).toMatchObject({
      verdict: "valid",
      signers: [{ full_name: "Paul Morel" }, {}],
    });
    expect((await offlineOf(own, print)).verdict).toBe("valid");
  } finally {
    await own.test.close();
    hsm.close();
    await token.close();
  }
});

test("a purged envelope is what its journal says, whatever its rows", async () => {
  const { test, owner } = proven;
  const envelope = await completeEnvelope({ test, owner });
  const print = await printOf(owner, envelope);
  const { hash_sha256 } = await pageOf(proven, print);
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  await expectStatus(owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`), 204);
  const before = await pageOf(proven, print);
  expect(before).toMatchObject({ verdict: "indeterminate", hash_sha256, purged: true });
  await asOperator(
    test,
    sql`update document_revisions set blob_sha256 = sha256('autre') where document_id = ${envelope.documents[0]?.id}`,
    sql`update envelopes set completed_at = '2020-01-01' where id = ${envelope.id}`,
  );
  expect(await pageOf(proven, print)).toEqual(before);
  expect((await offlineOf(proven, print)).verdict).toBe("indeterminate");
});
