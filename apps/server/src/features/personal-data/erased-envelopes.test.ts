import { type Envelope, EVIDENCE_RETENTION_YEARS } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, recordTestSignature } from "../../../testing/envelope.ts";
import { type ErasureStage, ME, openErasureStage } from "../../../testing/erasure-stage.ts";
import { openMailedGuest } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { closeAccount } from "../accounts/index.ts";
import { verifyChain } from "../audit/index.ts";
import { loadDocuments } from "../documents/index.ts";
import { eraseOwnedEnvelopes } from "../envelopes/index.ts";
import { endRetention } from "../envelopes/jobs.ts";
import { sweepErased } from "./jobs.ts";

let stage: ErasureStage;
let service: ErasureStage["service"];
let someone: ErasureStage["someone"];
let erase: ErasureStage["erase"];
let rowsOf: ErasureStage["rowsOf"];
let ownPdf: ErasureStage["ownPdf"];
let newcomer: ErasureStage["newcomer"];
let completedOf: ErasureStage["completedOf"];
let everything: ErasureStage["everything"];

beforeAll(async () => {
  stage = await openErasureStage();
  ({ service, someone, erase, rowsOf, ownPdf, newcomer, completedOf, everything } = stage);
});
afterAll(() => stage.close());

describe("the envelopes of an erased account", () => {
  test("purges drafts, the bin and what was refused or expired: names, files and values go, chains still hold", async () => {
    const { browser } = await newcomer();
    const values = () => ({ title: "Projet secret", files: [{ name: "Projet secret.pdf", bytes: ownPdf() }] });
    const draft = await createDraft(browser, values());
    const binned = await createSent(browser, values());
    await browser.post(`${ENVELOPES}${binned.id}/cancel/`);
    const expired = await createSent(browser, values());
    await service.platform.db.updateTable("envelopes").set({ status: "expired" }).where("id", "=", expired.id).execute();
    const files = await Promise.all([draft, binned, expired].map(({ id }) => loadDocuments(service.platform.db, id)));
    expect((await erase(browser)).status).toBe(204);
    await service.settle();
    for (const [index, { id }] of [draft, binned, expired].entries()) {
      const row = await rowsOf(id);
      expect([row.title, row.created_by_name, row.search_text, row.purged_at === null]).toEqual(["", "", "", false]);
      for (const { current } of files[index] ?? []) expect(await service.platform.files.size(current.sha256)).toBeNull();
      expect((await verifyChain(service.platform.db, id)).ok).toBe(true);
    }
    expect((await everything()).includes("Projet secret")).toBe(false);
  });

  test("keeps completed envelopes as evidence: by prints and for the other parties, with the names, without the owner's addresses", async () => {
    const { member, browser } = await newcomer();
    const zoe = await createMember(service.platform, { firstName: "Zoé", lastName: "Martin" });
    const envelope = await completedOf(browser, { title: "Bail", recipients: [{ email: zoe.email, full_name: "Zoé Martin" }] });
    const print = (await browser.post("/api/signature/prints/generate/", { envelope: envelope.id, qr_type: "page" })).body;
    expect((await erase(browser)).status).toBe(204);
    await service.settle();

    const row = await rowsOf(envelope.id);
    expect([row.title, row.created_by_name, row.status, row.purged_at]).toEqual(["Bail", "Anne Roux", "completed", null]);
    const other = await signIn(service, zoe);
    const seen = await other.get(`${ENVELOPES}${envelope.id}/`);
    expect([seen.status, seen.body.created_by_name, seen.body.status]).toEqual([200, "Anne Roux", "completed"]);
    expect((await other.get(`${ENVELOPES}${envelope.id}/signed-document/`)).status).toBe(200);
    const proof = await openBrowser(service.app).get(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`);
    expect([proof.status, proof.body.title, proof.body.purged]).toEqual([200, "Bail", false]);
    expect((await verifyChain(service.platform.db, envelope.id)).ok).toBe(true);

    const details = await service.platform.db
      .selectFrom("audit_details as d")
      .innerJoin("audit_events as e", (join) => join.onRef("e.envelope_id", "=", "d.envelope_id").onRef("e.sequence", "=", "d.sequence"))
      .select(["e.actor", "e.action", "d.name"])
      .where("d.envelope_id", "=", envelope.id)
      .execute();
    const own = details.filter(({ actor }) => actor === `user:${member.id}`);
    expect(own.map(({ name }) => name)).toContain("actor_name");
    expect(own.filter(({ name }) => name === "ip" || name === "user_agent")).toEqual([]);
    // The signer's own are what proves the consent.
    expect(details.some(({ actor, name }) => actor.startsWith("recipient:") && name === "ip")).toBe(true);
  });

  test("leaves other people's data as it was: their envelopes, and what the erased person signed or was asked there", async () => {
    const { member, browser } = await newcomer();
    const boss = await newcomer();
    const [signed, open] = [
      await completedOf(boss.browser, { title: "Contrat", recipients: [{ email: member.email, full_name: "Anne Roux" }] }),
      await createSent(boss.browser, { title: "Avenant", recipients: [{ email: member.email, full_name: "Anne Roux" }, ELOISE] }),
    ];
    await service.settle();
    expect((await erase(browser)).status).toBe(204);
    await service.settle();
    for (const { id } of [signed, open]) {
      const seen = (await boss.browser.get(`${ENVELOPES}${id}/`)).body;
      expect(seen.recipients[0]).toMatchObject({ email: member.email, full_name: "Anne Roux" });
    }
    expect((await boss.browser.get(ME)).status).toBe(200);
    // Who was asked may still sign, as a guest: the request is its sender's.
    const guest = await openMailedGuest(service, open.id, member.email);
    expect((await guest.get("guest/")).status).toBe(200);
  });

  test("an envelope that was sent while the account was being closed is cancelled and purged all the same", async () => {
    const { member, browser } = await newcomer();
    const recipient = someone();
    const draft = await createDraft(browser, { recipients: [recipient] });
    expect((await erase(browser)).status).toBe(204);
    const sent = await createSent((await newcomer()).browser, { recipients: [recipient] });
    await service.platform.db.updateTable("envelopes").set({ owner_id: member.id }).where("id", "=", sent.id).execute();
    await service.settle();
    expect([(await rowsOf(draft.id)).purged_at === null, (await rowsOf(sent.id)).purged_at === null]).toEqual([false, false]);
    // The request had not left: nobody is told of the end of what they never received.
    expect(await mailFor(service.platform, recipient.email)).toEqual([]);
  });

  test("its request that had not left is withdrawn, and nobody is told of the end of what they never received", async () => {
    const { member, browser } = await newcomer();
    const recipient = someone();
    const sent = await createSent(browser, { recipients: [recipient] });
    await service.platform.db
      .transaction()
      .execute((trx) => closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }));
    await eraseOwnedEnvelopes(service.platform, member.id);
    expect(await mailFor(service.platform, recipient.email)).toEqual([]);
    const kinds = await service.platform.db.selectFrom("notices").select("destination").where("envelope_id", "=", sent.id).execute();
    expect(kinds.map(({ destination }) => destination)).not.toContain("");
  });

  test("of what happens later to what they left nobody writes to them: they have no address any more", async () => {
    const { member, browser } = await newcomer();
    const recipient = someone();
    const sent = await createSent(browser, { recipients: [recipient] });
    await service.platform.db
      .transaction()
      .execute((trx) => closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }));
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const rows = await service.platform.db
      .selectFrom("notices")
      .select(["kind", "destination"])
      .where("envelope_id", "=", sent.id)
      .where("kind", "=", "completed")
      .execute();
    expect(rows).toEqual([{ kind: "completed", destination: recipient.email }]);
    await service.settle();
  });

  test("one whose consent is being sealed holds up no other; it is looked at again every day", async () => {
    const { member, browser } = await newcomer();
    const stuck = await createSent(browser, { recipients: [someone()] });
    service.platform.clock.advance({ seconds: 1 });
    const later = await createDraft(browser, { title: "Brouillon privé" });
    const act = await waitingAct(stuck);
    await service.platform.db
      .transaction()
      .execute((trx) => closeAccount(trx, service.platform, { userId: member.id, keepsEvidence: false }));
    await expect(eraseOwnedEnvelopes(service.platform, member.id)).rejects.toThrow("1 envelopes");
    expect([(await rowsOf(stuck.id)).purged_at, (await rowsOf(later.id)).purged_at === null]).toEqual([null, false]);
    await expect(sweepErased(service.platform)).rejects.toThrow("1 erased accounts");
    await service.platform.db.deleteFrom("signing_acts").where("id", "=", act).execute();
    await sweepErased(service.platform);
    expect((await rowsOf(stuck.id)).purged_at).not.toBeNull();
    await service.settle();
  });
});

/** A consent that was given and is not sealed yet. */
async function waitingAct(envelope: Envelope): Promise<string> {
  const id = service.platform.newId();
  await service.platform.db
    .insertInto("signing_acts")
    .values({
      id,
      envelope_id: envelope.id,
      recipient_id: envelope.recipients[0]?.id ?? "",
      method: "guest",
      consent_version: "1",
      documents_sha256: Buffer.alloc(32),
      content: "{}",
      signed_at: service.platform.clock(),
    })
    .execute();
  return id;
}

describe("evidence past its retention", () => {
  test(`is erased after ${EVIDENCE_RETENTION_YEARS} years, not a moment before: its dates, hashes and chain stay`, async () => {
    const { browser } = await newcomer();
    const envelope = await completedOf(browser, { title: "Bail ancien", files: [{ name: "Bail.pdf", bytes: ownPdf() }] });
    const drafted = await createDraft(browser, { title: "Toujours là" });
    const [document] = await loadDocuments(service.platform.db, envelope.id);
    const start = service.platform.clock();
    const end = new Date(start);
    end.setUTCFullYear(end.getUTCFullYear() + EVIDENCE_RETENTION_YEARS);

    service.platform.clock.set(new Date(end.getTime() - 60_000));
    await endRetention(service.platform);
    expect((await rowsOf(envelope.id)).purged_at).toBeNull();

    service.platform.clock.set(new Date(end.getTime() + 60_000));
    expect(await endRetention(service.platform)).toBeGreaterThan(0);
    expect(await endRetention(service.platform)).toBe(0);
    await service.settle();
    const row = await rowsOf(envelope.id);
    expect([row.title, row.purged_at === null, row.completed_at === null]).toEqual(["", false, false]);
    expect(await service.platform.files.size(document?.current.sha256 ?? new Uint8Array(32))).toBeNull();
    expect((await verifyChain(service.platform.db, envelope.id)).ok).toBe(true);
    expect((await rowsOf(drafted.id)).purged_at).toBeNull();
    expect((await everything()).includes("Bail ancien")).toBe(false);
    service.platform.clock.set(start);
  });
});
