import { createHash } from "node:crypto";
import { problemSentence } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { verifyChain } from "../audit/index.ts";
import { loadDocuments } from "../documents/index.ts";
import { invalidState } from "./index.ts";
import { expireOverdue, purgeDue } from "./jobs.ts";

let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  anne = await signIn(service, anneMember);
});
afterAll(() => service.close());

const act = (id: string, action: string) => anne.post(`${ENVELOPES}${id}/${action}/`);
const purge = (id: string) => anne.send("DELETE", `${ENVELOPES}${id}/purge/`);
const read = (id: string) => anne.get(`${ENVELOPES}${id}/`);
const someone = () => ({ ...PAUL, email: `c${++tag}@exemple.fr` });
/** Moves the clock; Anne signs in again, for a session ends. */
async function at(moment: Date | string): Promise<void> {
  service.platform.clock.set(new Date(moment));
  anne = await signIn(service, anneMember);
}
const later = (hours: number) => at(new Date(service.platform.clock().getTime() + hours * 3_600_000));

const SERIAL = "5a".repeat(16);

/** What sealing keeps of a signer, without a sealing: the bytes only have to be found again, or not. */
async function keepCertificate(envelope: { id: string; recipients: { id: string }[] }, documentId: string, der: Uint8Array): Promise<void> {
  const { db, clock, newId } = service.platform;
  const { id: issuer } = await db.selectFrom("authority_keys").select("id").where("purpose", "=", "ca").executeTakeFirstOrThrow();
  const dates = { not_before: clock(), not_after: clock() };
  await db
    .insertInto("certificates")
    .values({ serial_number: SERIAL, issuer_id: issuer, subject: "CN=Paul Morel", certificate_der: der, ...dates })
    .execute();
  const signature = { id: newId(), envelope_id: envelope.id, document_id: documentId, recipient_id: envelope.recipients[0]?.id ?? "" };
  const rest = { revision: 2, signer_name: "Paul Morel", level: "B-T", certificate_der: der, serial_number: SERIAL, signed_at: clock() };
  await db
    .insertInto("signatures")
    .values({ ...signature, ...rest })
    .execute();
}

describe("purging", () => {
  it("is only for what is cancelled", async () => {
    const sent = await createSent(anne);
    expect((await purge(sent.id)).body).toMatchObject({ status: 409, code: "invalid_state" });
  });

  it("erases names and files for good; a tombstone of ids, dates and hashes stays", async () => {
    const { platform } = service;
    const paul = someone();
    const sent = await createSent(anne, {
      title: "Secret d’Anne",
      recipients: [paul],
      files: [{ name: "Secret.pdf", bytes: makePdf({ text: "unique" }) }],
    });
    await recordTestSignature(platform, sent.id, sent.recipients[0]?.id ?? "");
    const [document] = await loadDocuments(platform.db, sent.id);
    const certificate = Buffer.from("CN=Paul Morel, paul@exemple.fr");
    await keepCertificate(sent, document?.id ?? "", certificate);
    await anne.post(`${ENVELOPES}${sent.id}/remind/`, undefined, { headers: { "idempotency-key": "une-fois" } });
    await platform.settle();
    await act(sent.id, "cancel");
    expect(await platform.db.selectFrom("idempotency_keys").selectAll().where("key", "=", "une-fois").execute()).toHaveLength(1);
    expect(await purge(sent.id)).toMatchObject({ status: 204, text: "" });
    expect((await purge(sent.id)).status).toBe(404);
    for (const path of ["", "events/", "download/", "original-document/", `documents/${document?.id}/file/`])
      expect((await anne.get(`${ENVELOPES}${sent.id}/${path}`)).status).toBe(404);
    await platform.settle();
    expect(await platform.files.size(document?.original.sha256 ?? new Uint8Array())).toBeNull();
    expect(await platform.files.size(document?.current.sha256 ?? new Uint8Array())).toBeNull();
    const rows = await Promise.all([
      platform.db.selectFrom("envelopes").selectAll().where("id", "=", sent.id).execute(),
      platform.db.selectFrom("recipients").selectAll().where("envelope_id", "=", sent.id).execute(),
      platform.db.selectFrom("documents").selectAll().where("envelope_id", "=", sent.id).execute(),
      platform.db.selectFrom("audit_events").selectAll().where("envelope_id", "=", sent.id).execute(),
      platform.db.selectFrom("notices").selectAll().where("envelope_id", "=", sent.id).execute(),
      platform.db.selectFrom("audit_details").selectAll().where("envelope_id", "=", sent.id).execute(),
    ]);
    expect(await platform.db.selectFrom("idempotency_keys").selectAll().where("key", "=", "une-fois").execute()).toEqual([]);
    expect(await platform.db.selectFrom("certificates").selectAll().where("serial_number", "=", SERIAL).execute()).toMatchObject([
      { subject: "", certificate_der: Buffer.alloc(0), certificate_hash: createHash("sha256").update(certificate).digest() },
    ]);
    expect(await platform.db.selectFrom("signatures").selectAll().where("envelope_id", "=", sent.id).execute()).toMatchObject([
      { signer_name: "", certificate_der: Buffer.alloc(0), serial_number: SERIAL },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/Secret|Paul|Anne|exemple\.fr|192\.0\.2|127\.0\.0/);
    expect(rows[0]).toMatchObject([{ status: "cancelled", purged_at: expect.any(Date) }]);
    const tombstone = await platform.db
      .selectFrom("document_revisions")
      .selectAll()
      .where("document_id", "=", document?.id ?? "")
      .orderBy("number")
      .execute();
    expect(tombstone.map((row) => row.kind)).toEqual(["original", "prepared", "signed"]);
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
  });

  it("leaves a file that another envelope shares", async () => {
    const bytes = makePdf({ text: "partage" });
    const [first, second] = [
      await createDraft(anne, { files: [{ name: "a.pdf", bytes }] }),
      await createDraft(anne, { files: [{ name: "b.pdf", bytes }] }),
    ];
    await act(first.id, "cancel");
    await purge(first.id);
    await service.settle();
    expect((await anne.get(`${ENVELOPES}${second.id}/original-document/`)).bytes).toEqual(Buffer.from(bytes));
    await act(second.id, "cancel");
    await purge(second.id);
    await service.settle();
    expect(await service.platform.files.size(Buffer.from(second.documents[0]?.sha256 ?? "", "hex"))).toBeNull();
  });

  it("against a restoration at the same moment ends with one winner", async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await createDraft(anne);
      await act(draft.id, "cancel");
      const [purged, restored] = await Promise.all([purge(draft.id), act(draft.id, "restore")]);
      expect([purged.status, restored.status]).toSatisfy(
        ([left, right]: number[]) => (left === 204 && right === 404) || (left === 409 && right === 200),
      );
    }
  });
});

describe("scheduled jobs", () => {
  it("purge an envelope ten whole days of Paris after its cancellation, over the autumn change too", async () => {
    await at("2027-10-28T12:30:00Z");
    await purgeDue(service.platform);
    const draft = await createDraft(anne);
    await act(draft.id, "cancel");
    // 14 h 30 in Paris is 12:30 UTC in summer, 13:30 once the clocks went back on 31 October.
    await at("2027-11-07T13:29:59Z");
    expect(await purgeDue(service.platform)).toBe(0);
    expect((await read(draft.id)).status).toBe(200);
    await at("2027-11-07T13:30:00Z");
    expect(await purgeDue(service.platform)).toBe(1);
    expect(await purgeDue(service.platform)).toBe(0);
    expect((await read(draft.id)).status).toBe(404);
  });

  it("close an envelope whose deadline has passed, and tell the sender and who had not signed", async () => {
    const { platform } = service;
    const [paul, other] = [someone(), someone()];
    await later(24);
    const deadline = new Date(platform.clock().getTime() + 3_600_000);
    const sent = await createSent(anne, { recipients: [paul, { ...other, full_name: "Autre" }], deadline_at: deadline.toISOString() });
    await service.settle();
    await recordTestSignature(platform, sent.id, sent.recipients[0]?.id ?? "");
    await at(new Date(deadline.getTime() - 1));
    expect(await expireOverdue(platform)).toBe(0);
    await at(deadline);
    expect(await expireOverdue(platform)).toBe(1);
    expect(await expireOverdue(platform)).toBe(0);
    expect((await read(sent.id)).body).toMatchObject({ status: "expired", recipients: [{ status: "signed" }, { status: "notified" }] });
    expect((await mailFor(platform, paul.email)).length).toBe(1);
    expect((await mailFor(platform, other.email)).length).toBe(2);
    expect((await act(sent.id, "remind")).body).toMatchObject({ code: "invalid_state", detail: problemSentence(invalidState("expired")) });
  });
});
