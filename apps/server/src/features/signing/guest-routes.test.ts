import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { codeIn, openGuest, openMailedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import type { Member } from "../../../testing/member.ts";
import { openSenderApp, sendToGuest } from "../../../testing/sent-to-guest.ts";
import { mintRecipientToken } from "../envelopes/index.ts";

let test: TestApp;
let member: Member;
let owner: TestBrowser;
let envelope: Envelope;
let guest: TestGuest;

beforeAll(async () => {
  ({ test, member } = await openSenderApp());
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ owner, envelope, guest } = await sendToGuest({ test, member }));
});

const idOf = (email: string) => envelope.recipients.find((recipient) => recipient.email === email)?.id as string;
const CALLS: readonly (readonly ["GET" | "POST", string])[] = [
  ["GET", "guest/"],
  ["POST", "send_otp/"],
  ["POST", "verify_otp/"],
  ["POST", "sign/"],
  ["POST", "decline/"],
  ["POST", "hsm_sign/"],
];
const callAs = (who: TestGuest, [method, call]: readonly ["GET" | "POST", string]) =>
  method === "GET" ? who.get(call) : who.post(call, { nonsense: true });

describe("the guest's door", () => {
  it.each(CALLS)("security line 35: %s %s tells nothing of a link that is not good, before its body is looked at", async (method, call) => {
    const other = await createSent(owner);
    const unknown = "019aa000-0000-7000-8000-000000000000";
    const doors = [
      { envelopeId: envelope.id, token: "x".repeat(43) },
      { envelopeId: envelope.id, token: "" },
      { envelopeId: other.id, token: guest.token },
      { envelopeId: unknown, token: guest.token },
      { envelopeId: "pas-un-identifiant", token: guest.token },
    ];
    const bodies = new Set<string>();
    for (const door of doors) {
      const answer = await callAs(openGuest(test, { ...door, email: PAUL.email }), [method, call]);
      expect(refusal(answer)).toEqual([404, "not_found"]);
      bodies.add(JSON.stringify({ ...answer.body, request_id: "" }));
    }
    expect(bodies.size).toBe(1);
  });

  it("answers 404 without any token", async () => {
    const answer = await test.app.inject(`${ENVELOPES}${envelope.id}/guest/`);
    expect(answer.statusCode).toBe(404);
  });

  it("security line 35: answers 404 for a draft and for a purged envelope", async () => {
    const draft = await createDraft(owner);
    const token = await test.platform.db
      .transaction()
      .execute((trx) => mintRecipientToken(trx, test.platform, draft.recipients[0]?.id as string));
    expect((await openGuest(test, { envelopeId: draft.id, token, email: PAUL.email }).get("guest/")).status).toBe(404);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    await owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`);
    expect((await guest.get("guest/")).status).toBe(404);
  });

  it.each(CALLS)("security line 35: %s %s answers 410 with the reason once the sender cancelled", async (method, call) => {
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(refusal(await callAs(guest, [method, call]))).toEqual([410, "envelope_cancelled"]);
  });

  it("opens again with the same link when the sender restores", async () => {
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    await owner.post(`${ENVELOPES}${envelope.id}/restore/`);
    expect((await guest.get("guest/")).status).toBe(200);
  });

  it("closes at the second of the deadline, before any job has run", async () => {
    const now = test.platform.clock();
    const short = await createSent(owner, { deadline_at: new Date(now.getTime() + 3_600_000).toISOString() });
    const late = await openMailedGuest(test, short.id, PAUL.email);
    await late.confirm();
    test.platform.clock.advance({ hours: 1 });
    expect(refusal(await late.get("guest/"))).toEqual([410, "envelope_expired"]);
    expect(refusal(await late.post("sign/", TYPED))).toEqual([410, "envelope_expired"]);
  });

  it("ignores the browser's session: the owner's cookies open nothing", async () => {
    const answer = await owner.get(`${ENVELOPES}${envelope.id}/`, { headers: { "x-signature-token": "x".repeat(43) } });
    expect(answer.status).toBe(401);
  });
});

describe("GET guest/", () => {
  it("security line 35: shows before the code the title, the sender and a masked address, nothing of the documents", async () => {
    const { body } = await guest.get("guest/");
    expect(body).toMatchObject({
      title: "Bail d’habitation",
      sender_name: "Camille Roux",
      status: "sent",
      otp: { channel: "email", failed: null, verified: false, resend_in: 0 },
    });
    expect(body.recipient).toMatchObject({ email: "p•••@exemple.fr", phone_hint: null, status: "notified", signed: false, role: "signer" });
    expect([body.documents, body.fields]).toEqual([undefined, undefined]);
    const eloise = await openMailedGuest(test, envelope.id, ELOISE.email);
    expect((await eloise.get("guest/")).body.recipient.phone_hint).toBe("•• •• •• 56 78");
  });

  it("security line 36: sends no code by being opened, as mail scanners do", async () => {
    for (let times = 0; times < 3; times++) await guest.get("guest/");
    const rows = await test.platform.db.selectFrom("one_time_codes").select("id").where("recipient_id", "=", idOf(PAUL.email)).execute();
    expect(rows).toEqual([]);
  });

  it("shows the documents and everybody's places once the code is confirmed, in this browser only", async () => {
    await guest.confirm();
    const { body } = await guest.get("guest/");
    expect(body.documents).toHaveLength(1);
    expect(body.fields.map((field: { own: boolean }) => field.own).toSorted()).toEqual([false, true]);
    expect(body).toMatchObject({ otp: { verified: true }, recipient: { status: "viewed" } });
    const elsewhere = openGuest(test, { envelopeId: envelope.id, token: guest.token, email: PAUL.email });
    expect((await elsewhere.get("guest/")).body.documents).toBeUndefined();
  });
});

describe("POST decline/ by a guest", () => {
  it("needs the code, then closes the envelope and tells the reason to the sender", async () => {
    expect(refusal(await guest.post("decline/", { reason: "Erreur dans le document" }))).toEqual([403, "otp_required"]);
    await guest.confirm();
    expect(refusal(await guest.post("decline/", { reason: " " }))).toEqual([400, "validation"]);
    // Half of an emoji, as a text cut at a length has it: the journal's canonical JSON knows no such thing.
    const answer = await guest.post("decline/", { reason: "Erreur dans le document \ud83d" });
    expect([answer.status, answer.body.status]).toEqual([200, "declined"]);
    // The one who refused, and the others: each is told whose refusal it was.
    const told = async (link: TestGuest) => {
      const gone = await link.get("guest/");
      return [...refusal(gone), gone.body.declined_by_you];
    };
    expect(await told(guest)).toEqual([410, "envelope_declined", true]);
    expect(await told(await openMailedGuest(test, envelope.id, ELOISE.email))).toEqual([410, "envelope_declined", false]);
    expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body.recipients[0].decline_reason).toBe("Erreur dans le document \ufffd");
  });
});

describe("the files of a guest", () => {
  it("security line 39: are read with the confirmed code only", async () => {
    const file = `documents/${envelope.documents[0]?.id}/file/`;
    expect(refusal(await guest.get(file))).toEqual([403, "otp_required"]);
    expect(refusal(await guest.get("download/"))).toEqual([403, "otp_required"]);
    await guest.confirm();
    const answer = await guest.get(file);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/pdf"]);
  });

  it("download with the token alone once signed, for 90 days after completion", async () => {
    await guest.confirm();
    expect((await guest.post("sign/", TYPED)).status).toBe(200);
    const elsewhere = openGuest(test, { envelopeId: envelope.id, token: guest.token, email: PAUL.email });
    const { body } = await elsewhere.get("download/");
    expect((await test.app.inject(body.download_url)).headers["content-type"]).toBe("application/pdf");
    expect(refusal(await elsewhere.get(`documents/${envelope.documents[0]?.id}/file/`))).toEqual([403, "otp_required"]);
    const eloise = await openMailedGuest(test, envelope.id, ELOISE.email);
    await eloise.confirm();
    expect((await eloise.post("sign/", TYPED)).body.status).toBe("completed");
    test.platform.clock.advance({ days: 89 });
    expect((await elsewhere.get("download/")).status).toBe(200);
    test.platform.clock.advance({ days: 2 });
    expect((await elsewhere.get("download/")).status).toBe(404);
  });
});

it("hsm_sign/ answers 503 without a hardware key, to whoever may sign", async () => {
  expect(refusal(await guest.post("hsm_sign/", TYPED))).toEqual([403, "otp_required"]);
  await guest.confirm();
  const answer = await guest.post("hsm_sign/", TYPED);
  expect([...refusal(answer), answer.body.detail, Number(answer.headers["retry-after"]) > 0]).toEqual([
    503,
    "hsm_unavailable",
    "Impossible de signer via HSM",
    true,
  ]);
  expect(await codeIn(test, PAUL.email)).toMatch(/^\d{6}$/);
});
