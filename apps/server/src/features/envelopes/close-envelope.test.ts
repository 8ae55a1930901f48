import { problemSentence } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";
import { declineEnvelope, findRecipientByToken, invalidState, limitAction } from "./index.ts";

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
const read = (id: string) => anne.get(`${ENVELOPES}${id}/`);
const someone = () => ({ ...PAUL, email: `c${++tag}@exemple.fr` });
const client = { ip: "192.0.2.9", userAgent: "Safari" };
/** Moves the clock; Anne signs in again, for a session ends. */
async function at(moment: Date | string): Promise<void> {
  service.platform.clock.set(new Date(moment));
  anne = await signIn(service, anneMember);
}
const later = (hours: number) => at(new Date(service.platform.clock().getTime() + hours * 3_600_000));
const setStatus = (id: string, status: string) =>
  service.platform.db.updateTable("envelopes").set({ status }).where("id", "=", id).execute();

describe("cancelling", () => {
  it("puts an envelope under 'Supprimé' for ten days, from any state", async () => {
    const [draft, sent, signed, completed, declined, expired] = [
      await createDraft(anne),
      await createSent(anne),
      await createSent(anne),
      await createSent(anne),
      await createSent(anne),
      await createSent(anne),
    ];
    await recordTestSignature(service.platform, signed.id, signed.recipients[0]?.id ?? "");
    for (const recipient of completed.recipients) await recordTestSignature(service.platform, completed.id, recipient.id);
    await declineEnvelope(service.platform, {
      envelopeId: declined.id,
      recipientId: declined.recipients[0]?.id ?? "",
      reason: "Non",
      client,
    });
    await setStatus(expired.id, "expired");
    const states = ["draft", "sent", "pending", "completed", "declined", "expired"];
    for (const [index, envelope] of [draft, sent, signed, completed, declined, expired].entries()) {
      expect((await read(envelope.id)).body.status).toBe(states[index]);
      expect((await act(envelope.id, "cancel")).body).toMatchObject({
        status: "cancelled",
        cancelled_at: expect.stringMatching(/^2026-11-21T10:00:00/),
        days_remaining: 10,
      });
      expect((await act(envelope.id, "cancel")).body).toMatchObject({
        status: 409,
        code: "invalid_state",
        detail: problemSentence(invalidState("cancelled")),
      });
      expect((await act(envelope.id, "restore")).body).toMatchObject({ status: states[index], cancelled_at: null, days_remaining: null });
    }
  });

  it("tells those who had been asked, and stops what had not left yet", async () => {
    const paul = someone();
    const sent = await createSent(anne, { recipients: [paul] });
    await mailFor(service.platform, paul.email);
    await act(sent.id, "cancel");
    const mails = await mailFor(service.platform, paul.email);
    expect(mails).toHaveLength(2);
    const quick = someone();
    const gone = await createSent(anne, { recipients: [quick] });
    await act(gone.id, "cancel");
    // Of a request that never left one is not told that it is cancelled.
    expect(await mailFor(service.platform, quick.email)).toEqual([]);
  });

  it("tells nobody of a draft or a completed envelope", async () => {
    const paul = someone();
    const sent = await createSent(anne, { recipients: [paul] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const before = await mailFor(service.platform, paul.email);
    await act(sent.id, "cancel");
    expect(await mailFor(service.platform, paul.email)).toHaveLength(before.length);
  });

  it.each([
    ["after twenty tries", { failed_tries: 20 }, 0],
    ["after a day", { failed_tries: 3 }, 24],
  ])("no longer waits %s for a consent that cannot be sealed: it is withdrawn, and its person told", async (_when, waiting, hours) => {
    const { platform } = service;
    const paul = someone();
    const sent = await createSent(anne, { recipients: [paul] });
    const recipientId = sent.recipients[0]?.id ?? "";
    await mailFor(platform, paul.email);
    const row = { id: platform.newId(), envelope_id: sent.id, recipient_id: recipientId, method: "guest", consent_version: "1" };
    await platform.db
      .insertInto("signing_acts")
      .values({ ...row, documents_sha256: Buffer.alloc(32), signed_at: platform.clock(), failed_tries: waiting.failed_tries - 1 })
      .execute();
    expect((await act(sent.id, "cancel")).body).toMatchObject({ code: "signature_in_progress" });
    await platform.db.updateTable("signing_acts").set(waiting).where("id", "=", row.id).execute();
    if (hours > 0) await later(hours);
    expect((await act(sent.id, "cancel")).body).toMatchObject({ status: "cancelled" });
    expect(await platform.db.selectFrom("signing_acts").selectAll().where("envelope_id", "=", sent.id).execute()).toEqual([]);
    const events = await platform.db.selectFrom("audit_events").selectAll().where("envelope_id", "=", sent.id).execute();
    expect(events.find(({ action }) => action === "consent_void")).toMatchObject({
      actor: `user:${anneMember.id}`,
      detail: { recipient: recipientId },
    });
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
    expect(JSON.stringify(await mailFor(platform, paul.email))).toContain("cet accord est retiré");
    expect((await act(sent.id, "restore")).body).toMatchObject({ status: "sent", recipients: [{ status: "notified" }] });
    if (hours > 0) await at("2026-11-21T10:00:00Z");
  });

  it("waits for a consent that is committed: that signature is sealed first", async () => {
    const sent = await createSent(anne);
    const recipientId = sent.recipients[0]?.id ?? "";
    await service.platform.db
      .insertInto("signing_acts")
      .values({
        id: service.platform.newId(),
        envelope_id: sent.id,
        recipient_id: recipientId,
        method: "guest",
        consent_version: "1",
        documents_sha256: Buffer.alloc(32),
        signed_at: new Date(),
      })
      .execute();
    expect(await act(sent.id, "cancel")).toMatchObject({
      status: 409,
      body: { code: "signature_in_progress" },
      headers: { "retry-after": "5" },
    });
    expect(
      await declineEnvelope(service.platform, { envelopeId: sent.id, recipientId: sent.recipients[1]?.id ?? "", reason: "Non", client }),
    ).toMatchObject({ error: { code: "signature_in_progress" } });
  });

  it("against a signature at the same moment ends with one winner", async () => {
    for (let round = 0; round < 5; round++) {
      const sent = await createSent(anne, { recipients: [someone()] });
      const [cancelled, signed] = await Promise.all([
        act(sent.id, "cancel"),
        recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? ""),
      ]);
      const after = (await read(sent.id)).body;
      // A completed envelope may be cancelled; a cancelled one never gains a signature.
      expect(after.progress.signed).toBe(signed.ok ? 1 : 0);
      expect(cancelled.status).toBe(200);
      expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
    }
  });
});

describe("restoring", () => {
  it("makes the links of a sent envelope work again, and asks anew those who were told that it was cancelled", async () => {
    const paul = someone();
    const sent = await createSent(anne, { recipients: [paul] });
    const token = new URL(linkIn((await mailFor(service.platform, paul.email))[0], "https://")).searchParams.get("token") ?? "";
    await act(sent.id, "cancel");
    expect(await findRecipientByToken(service.platform.db, sent.id, token)).toMatchObject({
      recipient: { awaited: false },
      aggregate: { envelope: { status: "cancelled" } },
    });
    await act(sent.id, "restore");
    expect(await findRecipientByToken(service.platform.db, sent.id, token)).toMatchObject({
      recipient: { awaited: true },
      aggregate: { envelope: { status: "sent" } },
    });
    expect(await mailFor(service.platform, paul.email)).toHaveLength(3);
  });

  it("finds the deadline passed", async () => {
    const sent = await createSent(anne, { recipients: [someone()], deadline_at: "2026-11-21T10:30:00Z" });
    await act(sent.id, "cancel");
    await later(1);
    expect((await act(sent.id, "restore")).body).toMatchObject({ status: "expired", recipients: [{ status: "notified" }] });
  });

  it("security line 61: of what people are asked anew for stops at five a day: they would be written to without end", async () => {
    const who = someone();
    const sent = await createSent(anne, { recipients: [who] });
    const round = async () => {
      expect((await act(sent.id, "cancel")).status).toBe(200);
      return act(sent.id, "restore");
    };
    for (let time = 1; time <= 5; time++) expect((await round()).status).toBe(200);
    const mails = async () => (await mailFor(service.platform, who.email)).length;
    const before = await mails();
    const refused = await round();
    expect([refused.status, refused.body.code, Number(refused.headers["retry-after"]) > 0]).toEqual([429, "too_many_requests", true]);
    expect((await read(sent.id)).body.status).toBe("cancelled");
    expect((await mails()) - before).toBe(1);
    await later(24);
    expect((await act(sent.id, "restore")).body.status).toBe("sent");
  });

  it("security line 61: counts those it asks among the people an account may ask in a day; what asks nobody is not counted", async () => {
    const member = await createMember(service.platform);
    const own = await signIn(service, member);
    const sent = await createSent(own, { recipients: [someone()] });
    const draft = await createDraft(own);
    for (const { id } of [sent, draft]) await own.post(`${ENVELOPES}${id}/cancel/`);
    const rest = { kind: "invite", id: member.id, count: 4_998 } as const;
    expect(await limitAction(service.platform, rest)).toMatchObject({ ok: true });
    expect((await own.post(`${ENVELOPES}${sent.id}/restore/`)).status).toBe(200);
    await own.post(`${ENVELOPES}${sent.id}/cancel/`);
    expect((await own.post(`${ENVELOPES}${sent.id}/restore/`)).body.code).toBe("too_many_requests");
    for (let time = 1; time <= 6; time++) {
      expect((await own.post(`${ENVELOPES}${draft.id}/restore/`)).body.status).toBe("draft");
      await own.post(`${ENVELOPES}${draft.id}/cancel/`);
    }
  });

  it("is refused for what is not cancelled, and after ten whole days", async () => {
    const draft = await createDraft(anne);
    expect((await act(draft.id, "restore")).body).toMatchObject({
      status: 409,
      code: "invalid_state",
      detail: problemSentence(invalidState("draft")),
    });
    await act(draft.id, "cancel");
    await later(9 * 24 + 23);
    expect((await read(draft.id)).body.days_remaining).toBe(1);
    await later(1);
    expect((await read(draft.id)).body.days_remaining).toBe(0);
    expect((await act(draft.id, "restore")).status).toBe(409);
  });
});
