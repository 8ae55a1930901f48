import { verifyProof } from "@paraphe/proof";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { asOperator, makeJournalOfBefore } from "../../../testing/journal-of-before.ts";
import { recipientCalls } from "../../../testing/recipient-calls.ts";
import { bytesAt, completeEnvelope, openProven, printOf, PRINTS, type Proven, proofIn } from "../../../testing/proven-envelope.ts";
import { openSoftHsm } from "../../../testing/soft-hsm.ts";
import { openHsm } from "../../platform/hsm/open-hsm.ts";

let proven: Proven;
beforeAll(async () => {
  proven = await openProven();
}, 60_000);
afterAll(() => proven.test.close());

const pageOf = async ({ anybody }: Proven, { id, sig }: { id: string; sig: string }) =>
  (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;

async function offlineOf({ anybody, roots, test }: Proven, { proof_url }: { proof_url: string }) {
  const proof = await bytesAt(anybody, proof_url);
  const files = [];
  for (const { document_url, name } of proofIn(proof).proof.documents)
    if (document_url !== null) files.push({ name: String(name), bytes: await bytesAt(anybody, document_url) });
  return verifyProof({ proof, files, roots, now: test.platform.clock() });
}

describe("held against its journal, an envelope of which nothing was touched", () => {
  it("stays valid in order, with people in copy, an address corrected and an approver", async () => {
    const { test, owner } = proven;
    const recipients = [
      { ...PAUL, order: 1 },
      { ...ELOISE, order: 2, role: "approver" },
      { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "viewer", order: 2 },
    ];
    const envelope = await createSent(owner, { recipients, flow: "sequential" });
    const moved = { ...envelope, recipients: envelope.recipients.filter(({ email }) => email === ELOISE.email) };
    expect((await recipientCalls(test, () => owner).correct(moved, { email: "e.lefevre@exemple.fr" })).status).toBe(200);
    await signAsGuest(test, envelope.id, PAUL.email);
    await signAsGuest(test, envelope.id, "e.lefevre@exemple.fr");
    await test.settle({ deferred: "run" });
    const print = await printOf(owner, envelope);
    expect(await pageOf(proven, print)).toMatchObject({ verdict: "valid", completed: true, warnings: [] });
    expect((await offlineOf(proven, print)).verdict).toBe("valid");
  });

  it("stays valid with a journal of before the title was committed to, and says that it is not", async () => {
    const { test, owner } = proven;
    const envelope = await completeEnvelope({ test, owner });
    await makeJournalOfBefore(test, envelope.id);
    const print = await printOf(owner, envelope);
    expect(await pageOf(proven, print)).toMatchObject({
      verdict: "valid",
      warnings: [expect.stringContaining("n’engage ni son titre")],
    });
    const facts = (await offlineOf(proven, print)).checks.find(({ name }) => name === "journal_facts");
    expect(facts).toMatchObject({ state: "ok", sentence: expect.stringContaining("ne sont pas vérifiés") });
  });

  it("stays valid when it is cancelled once completed, and restored", async () => {
    const { test, owner } = proven;
    const envelope = await completeEnvelope({ test, owner });
    const print = await printOf(owner, envelope);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await pageOf(proven, print)).toMatchObject({ verdict: "indeterminate", cancelled: true });
    expect((await owner.post(`${ENVELOPES}${envelope.id}/restore/`)).status).toBe(200);
    expect(await pageOf(proven, print)).toMatchObject({ verdict: "valid", cancelled: false });
  });

  it("stays valid with a file that was signed here before, in another envelope", async () => {
    const { test, owner, pdf } = proven;
    const envelope = await completeEnvelope({ test, owner }, { files: [{ name: "Signé.pdf", bytes: pdf }] });
    await test.settle({ deferred: "run" });
    const print = await printOf(owner, envelope);
    expect(await pageOf(proven, print)).toMatchObject({ verdict: "valid" });
    expect((await offlineOf(proven, print)).verdict).toBe("valid");
  });
});

describe("signed by the organisation’s key", () => {
  it("is valid, and not with another name in the rows", { timeout: 60_000 }, async () => {
    const token = await openSoftHsm();
    const hsm = await openHsm(token.settings);
    const own = await openProven({ platform: { hsm } });
    try {
      const envelope = await createSent(own.owner, { recipients: [PAUL, ELOISE] });
      for (const { email } of [PAUL, ELOISE]) {
        const guest = await openMailedGuest(own.test, envelope.id, email);
        await guest.confirm();
        await guest.post("hsm_sign/", TYPED);
        await own.test.settle();
      }
      await own.test.settle({ deferred: "run" });
      const print = await printOf(own.owner, envelope);
      expect(await pageOf(own, print)).toMatchObject({ verdict: "valid", signers: [{ full_name: "Paul Morel" }, { signed: true }] });
      expect((await offlineOf(own, print)).verdict).toBe("valid");
      await asOperator(
        own.test,
        sql`update recipients set full_name = 'Victime' where envelope_id = ${envelope.id} and full_name = 'Paul Morel'`,
        sql`update signatures set signer_name = 'Victime' where envelope_id = ${envelope.id} and signer_name = 'Paul Morel'`,
      );
      expect(await pageOf(own, print)).toMatchObject({ verdict: "invalid", signers: [{ full_name: "Paul Morel" }, {}] });
      expect((await offlineOf(own, print)).verdict).toBe("invalid");
    } finally {
      await own.test.close();
      hsm.close();
      await token.close();
    }
  });
});

describe("what stays of a purged envelope", () => {
  it("is what the journal says, whatever became of its rows", async () => {
    const { test, owner } = proven;
    const envelope = await completeEnvelope({ test, owner });
    const print = await printOf(owner, envelope);
    const { hash_sha256 } = await pageOf(proven, print);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect((await owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`)).status).toBe(204);
    const before = await pageOf(proven, print);
    expect(before).toMatchObject({ verdict: "indeterminate", hash_sha256, purged: true });
    await asOperator(
      test,
      sql`update document_revisions set blob_sha256 = sha256('autre') where document_id = ${envelope.documents[0]?.id}`,
      sql`update envelopes set completed_at = '2020-01-01' where id = ${envelope.id}`,
    );
    const { hash_sha256: hash, completed_at, verdict, reason } = await pageOf(proven, print);
    expect([hash, completed_at, verdict]).toEqual([hash_sha256, before.completed_at, "invalid"]);
    expect(reason).toMatch(/d’autres empreintes/);
    expect((await offlineOf(proven, print)).verdict).toBe("invalid");
  });
});
