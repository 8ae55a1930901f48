import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  createDraft,
  createSent,
  ELOISE,
  envelopeForm,
  ENVELOPES,
  PAUL,
  mintRecipientTokens,
} from "../../../testing/envelope.ts";
import {
  codeIn,
  openGuest,
  openMailedGuest,
  type TestGuest,
  TYPED,
  openConfirmedGuest,
} from "../../../testing/guest.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn, openMember } from "../../../testing/member.ts";
import { recipientPath } from "../../../testing/recipient-calls.ts";
import { openSenderApp, sendToGuest } from "../../../testing/sent-to-guest.ts";

let service: TestApp;
let member: Member;
let owner: TestBrowser;
let envelope: Envelope;
let guest: TestGuest;

beforeAll(async () => {
  ({ test: service, member } = await openSenderApp());
});

afterAll(() => service.close());
beforeEach(async () => {
  ({ owner, envelope, guest } = await sendToGuest({ test: service, member }));
});

const idOf = (email: string) =>
  envelope.recipients.find((recipient) => recipient.email === email)?.id as string;

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

it.each(CALLS)(
  "security line 35: %s %s reveals nothing for a bad link, before its body is read",
  async (method, call) => {
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
      const answer = await callAs(openGuest(service, { ...door, email: PAUL.email }), [
        method,
        call,
      ]);
      await expectRefusal(answer, 404, "not_found");
      bodies.add(JSON.stringify({ ...answer.body, request_id: "" }));
    }
    expect(bodies.size).toBe(1);
  },
);

it("a guest call without a token answers 404", async () => {
  const answer = await service.app.inject(`${ENVELOPES}${envelope.id}/guest/`);
  expect(answer.statusCode).toBe(404);
});

it("security line 35: a draft and a purged envelope answer 404", async () => {
  const draft = await createDraft(owner);
  const [token = ""] = await service.platform.db
    .transaction()
    .execute((trx) =>
      mintRecipientTokens(trx, service.platform, [draft.recipients[0]?.id as string]),
    );
  await expectStatus(
    openGuest(service, { envelopeId: draft.id, token, email: PAUL.email }).get("guest/"),
    404,
  );
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  await owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`);
  await expectStatus(guest.get("guest/"), 404);
});

it.each(CALLS)(
  "security line 35: %s %s answers 410 with the reason once the sender cancelled",
  async (method, call) => {
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    const refused = await callAs(guest, [method, call]);
    await expectRefusal(refused, 410, "envelope_cancelled");
    // The right link names the document, a wrong one nothing.
    expect(refused.body).toMatchObject({
      document_title: envelope.title,
      sender_name: envelope.created_by_name,
    });
  },
);

it("a restored envelope opens with the same link", async () => {
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  await owner.post(`${ENVELOPES}${envelope.id}/restore/`);
  await expectStatus(guest.get("guest/"), 200);
});

it("a link closes at the second of the deadline, before any job", async () => {
  const now = service.platform.clock();
  const short = await createSent(owner, {
    deadline_at: new Date(now.getTime() + 3_600_000).toISOString(),
  });
  const late = await openConfirmedGuest(service, short.id, PAUL.email);
  service.platform.clock.advance({ hours: 1 });
  await expectRefusal(late.get("guest/"), 410, "envelope_expired");
  await expectRefusal(late.post("sign/", TYPED), 410, "envelope_expired");
});

it("a guest call ignores the owner's session", async () => {
  const answer = await owner.get(`${ENVELOPES}${envelope.id}/`, {
    headers: { "x-signature-token": "x".repeat(43) },
  });
  expect(answer.status).toBe(401);
});

it("security line 35: before the code only title, sender and masked address are shown", async () => {
  const { body } = await guest.get("guest/");
  expect(body).toMatchObject({
    title: "Bail d’habitation",
    sender_name: "Camille Roux",
    status: "sent",
    otp: { channel: "email", failed: null, verified: false, resend_in: 0 },
  });
  expect(body.recipient).toMatchObject({
    email: "p•••@exemple.fr",
    phone_hint: null,
    status: "notified",
    signed: false,
    role: "signer",
  });
  expect([body.documents, body.fields]).toEqual([undefined, undefined]);
  const eloise = await openMailedGuest(service, envelope.id, ELOISE.email);
  expect((await eloise.get("guest/")).body.recipient.phone_hint).toBe("•• •• •• 56 78");
});

it("security line 36: opening the link sends no code", async () => {
  for (let times = 0; times < 3; times++) await guest.get("guest/");
  const rows = await service.platform.db
    .selectFrom("one_time_codes")
    .select("id")
    .where("recipient_id", "=", idOf(PAUL.email))
    .execute();
  expect(rows).toEqual([]);
});

it("a confirmed code shows documents and places, in this browser only", async () => {
  await guest.confirm();
  const { body } = await guest.get("guest/");
  expect(body.documents).toHaveLength(1);
  expect(body.fields.map((field: { own: boolean }) => field.own).toSorted()).toEqual([false, true]);
  expect(body).toMatchObject({ otp: { verified: true }, recipient: { status: "viewed" } });
  const elsewhere = openGuest(service, {
    envelopeId: envelope.id,
    token: guest.token,
    email: PAUL.email,
  });
  expect((await elsewhere.get("guest/")).body.documents).toBeUndefined();
});

it("a guest who declines needs the code, and gives the sender the reason", async () => {
  await expectRefusal(
    guest.post("decline/", { reason: "Erreur dans le document" }),
    403,
    "otp_required",
  );
  await guest.confirm();
  await expectRefusal(guest.post("decline/", { reason: " " }), 400, "validation");
  // A text cut inside an emoji ends in half of it, which the journal's canonical JSON cannot write.
  const answer = await guest.post("decline/", { reason: "Erreur dans le document \ud83d" });
  expect([answer.status, answer.body.status]).toEqual([200, "declined"]);
  // The one who refused and the others each read whose refusal it was.
  const told = async (link: TestGuest) => {
    const gone = await link.get("guest/");
    return [...refusal(gone), gone.body.declined_by_you];
  };
  expect(await told(guest)).toEqual([410, "envelope_declined", true]);
  expect(await told(await openMailedGuest(service, envelope.id, ELOISE.email))).toEqual([
    410,
    "envelope_declined",
    false,
  ]);
  expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body.recipients[0].decline_reason).toBe(
    "Erreur dans le document \ufffd",
  );
});

it("security line 39: files need the confirmed code", async () => {
  const [file, firstPage] = ["file/", "first-page/"].map(
    (what) => `documents/${envelope.documents[0]?.id}/${what}`,
  );
  for (const path of [file, firstPage, "download/"])
    await expectRefusal(guest.get(path ?? ""), 403, "otp_required");
  await guest.confirm();
  for (const [path, type] of [
    [file, "application/pdf"],
    [firstPage, "image/webp"],
  ] as const) {
    const answer = await guest.get(path ?? "");
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, type]);
  }
});

it("a signed file is downloaded by token alone, for 90 days after completion", async () => {
  await guest.confirm();
  await expectStatus(guest.post("sign/", TYPED), 200);
  const elsewhere = openGuest(service, {
    envelopeId: envelope.id,
    token: guest.token,
    email: PAUL.email,
  });
  const { body } = await elsewhere.get("download/");
  expect((await service.app.inject(body.download_url)).headers["content-type"]).toBe(
    "application/pdf",
  );
  await expectRefusal(
    elsewhere.get(`documents/${envelope.documents[0]?.id}/file/`),
    403,
    "otp_required",
  );
  const eloise = await openConfirmedGuest(service, envelope.id, ELOISE.email);
  expect((await eloise.post("sign/", TYPED)).body.status).toBe("completed");
  service.platform.clock.advance({ days: 89 });
  await expectStatus(elsewhere.get("download/"), 200);
  service.platform.clock.advance({ days: 2 });
  await expectStatus(elsewhere.get("download/"), 404);
});

it("hsm_sign/ answers 503 without a hardware key, to whoever may sign", async () => {
  await expectRefusal(guest.post("hsm_sign/", TYPED), 403, "otp_required");
  await guest.confirm();
  const answer = await guest.post("hsm_sign/", TYPED);
  expect([
    ...refusal(answer),
    answer.body.detail,
    Number(answer.headers["retry-after"]) > 0,
  ]).toEqual([503, "hsm_unavailable", "Impossible de signer via HSM", true]);
  expect(await codeIn(service, PAUL.email)).toMatch(/^\d{6}$/);
});

const statusOf = async (who: TestGuest) => (await who.get("guest/")).status;
/** The links mailed to Paul for this envelope, the newest first. */
async function linksOfPaul(): Promise<readonly TestGuest[]> {
  const start = `${service.platform.settings.publicUrl}/sign/${envelope.id}?token=`;
  const mails = (await mailFor(service.platform, PAUL.email)).filter((mail) =>
    mail.content.text.includes(start),
  );
  return mails.map((mail) => {
    const token = new URL(linkIn(mail, start)).searchParams.get("token") ?? "";
    return openGuest(service, { envelopeId: envelope.id, token, email: PAUL.email });
  });
}

it("security line 34: a token is 256 bits in base64url, stored by its hash only", async () => {
  expect(guest.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(guest.token, "base64url")).toHaveLength(32);
  const hash = createHash("sha256").update(guest.token).digest();
  const kept = await service.platform.db
    .selectFrom("recipient_tokens")
    .select("token_sha256")
    .execute();
  expect(kept.filter(({ token_sha256 }) => Buffer.compare(token_sha256, hash) === 0)).toHaveLength(
    1,
  );
});

it("security line 34: a reminder's link works beside the first, and a decline ends both", async () => {
  service.platform.clock.advance({ hours: 2 });
  owner = await signIn(service, member);
  await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/remind/`), 200);
  const links = await linksOfPaul();
  expect(new Set(links.map(({ token }) => token)).size).toBe(2);
  expect(await Promise.all(links.map(statusOf))).toEqual([200, 200]);
  await links[0]?.confirm();
  expect((await links[0]?.post("decline/", { reason: "Désaccord" }))?.status).toBe(200);
  expect(await Promise.all(links.map(statusOf))).toEqual([410, 410]);
});

it("security line 34: a cancellation ends the link, a purge for good", async () => {
  await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
  expect(await statusOf(guest)).toBe(410);
  await expectStatus(owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`), 204);
  expect(await statusOf(guest)).toBe(404);
  const hash = createHash("sha256").update(guest.token).digest();
  expect(
    await service.platform.db
      .selectFrom("recipient_tokens")
      .select("token_sha256")
      .where("token_sha256", "=", hash)
      .execute(),
  ).toEqual([]);
});

it("security line 36: a code ends after ten minutes, to the second", async () => {
  const code = await guest.askCode();
  service.platform.clock.advance({ seconds: 600 });
  expect((await guest.post("verify_otp/", { otp: code })).body.code).toBe("otp_invalid");
  const second = await guest.askCode();
  service.platform.clock.advance({ seconds: 599 });
  await expectStatus(guest.post("verify_otp/", { otp: second }), 200);
});

it("security line 41: no answer, journal or list of messages contains the code", async () => {
  const sent = await guest.post("send_otp/");
  const [mail] = await mailFor(service.platform, PAUL.email);
  const code = mail?.subject.replace(/\D/g, "") ?? "";
  expect(code).toMatch(/^\d{6}$/);
  const verified = await guest.post("verify_otp/", { otp: code });
  const answers = [
    sent,
    verified,
    await guest.get("guest/"),
    await owner.get(`${ENVELOPES}${envelope.id}/`),
    await owner.get(`${ENVELOPES}${envelope.id}/events/`),
  ];
  for (const answer of answers)
    expect(JSON.stringify([answer.text, answer.headers])).not.toContain(code);
  const pushes = await service.platform.db
    .selectFrom("notices")
    .select("channel")
    .where("kind", "=", "code")
    .execute();
  expect(pushes.filter(({ channel }) => channel === "push")).toEqual([]);
});

it("security line 42: each account signs as the recipient of its confirmed address", async () => {
  const [paul, eloise, stranger] = await Promise.all(
    [1, 2, 3].map(() => createMember(service.platform)),
  );
  const both = await createSent(owner, {
    recipients: [
      { ...PAUL, email: paul?.email },
      { ...ELOISE, email: eloise?.email },
    ],
  });
  const signer = await signIn(service, eloise as Member);
  expect((await signer.get(`${ENVELOPES}${both.id}/sign-page/`)).body.recipient.full_name).toBe(
    ELOISE.full_name,
  );
  await expectStatus(signer.post(`${ENVELOPES}${both.id}/sign_authenticated/`, TYPED), 200);
  const { recipients } = (await owner.get(`${ENVELOPES}${both.id}/`)).body as Envelope;
  expect(recipients.map(({ email, signed }) => [email, signed])).toEqual([
    [paul?.email, false],
    [eloise?.email, true],
  ]);
  const nobody = await signIn(service, stranger as Member);
  await expectStatus(nobody.post(`${ENVELOPES}${both.id}/sign_authenticated/`, TYPED), 404);
});

it("security line 36: a code is mailed as six digits, without a link", async () => {
  const answer = await guest.post("send_otp/");
  expect([answer.status, answer.body]).toEqual([
    200,
    { channel: "email", destination: "p•••@exemple.fr", expires_in: 600, resend_in: 60 },
  ]);
  const [mail] = await mailFor(service.platform, PAUL.email);
  expect(mail?.subject).toMatch(/^\d{3}\s\d{3} est votre code de signature$/u);
  expect(mail?.content.text).not.toMatch(/https?:/);
});

it("security line 37: a second code waits 60 seconds", async () => {
  await guest.post("send_otp/");
  service.platform.clock.advance({ seconds: 59 });
  const early = await guest.post("send_otp/");
  expect([...refusal(early), early.headers["retry-after"], early.body.detail]).toEqual([
    429,
    "otp_cooldown",
    "1",
    "Un code vient d’être envoyé. Patientez 1 s avant d’en demander un autre.",
  ]);
  service.platform.clock.advance({ seconds: 1 });
  await expectStatus(guest.post("send_otp/"), 200);
});

it("security line 37: five codes are sent an hour at most", async () => {
  for (let times = 0; times < 5; times++) {
    await expectStatus(guest.post("send_otp/"), 200);
    service.platform.clock.advance({ minutes: 2 });
  }
  const sixth = await guest.post("send_otp/");
  await expectRefusal(sixth, 429, "otp_quota");
  expect(Number(sixth.headers["retry-after"])).toBe(50 * 60);
});

it("one of twenty simultaneous codes is sent", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => guest.post("send_otp/")));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([
    200,
    ...Array.from({ length: 19 }, () => 429),
  ]);
});

it("a code is not sent by SMS without a gateway", async () => {
  const served = await createTestApp({ settings: { production: true, rateLimits: "off" } });
  try {
    const sender = await openMember(served);
    const sent = await createSent(sender);
    const eloise = await openMailedGuest(served, sent.id, ELOISE.email);
    expect((await eloise.get("guest/")).body.recipient.phone_hint).toBeNull();
    await expectRefusal(eloise.post("send_otp/", { channel: "sms" }), 400, "validation");
    expect(await mailFor(served.platform, "+33612345678")).toEqual([]);
  } finally {
    await served.close();
  }
});

it("a code goes by SMS to a known number", async () => {
  expect((await guest.post("send_otp/", { channel: "sms" })).body).toMatchObject({
    code: "validation",
    errors: { channel: [expect.stringContaining("numéro")] },
  });
  const eloise = await openMailedGuest(service, envelope.id, ELOISE.email);
  expect((await eloise.post("send_otp/", { channel: "sms" })).body).toMatchObject({
    channel: "sms",
    destination: "•• •• •• 56 78",
  });
  const [sms] = await mailFor(service.platform, "+33612345678");
  expect(sms?.content.text).toMatch(/^\d{6} /);
  await expectRefusal(eloise.post("send_otp/", { channel: "fax" }), 400, "validation");
  expect((await eloise.get("guest/")).body.otp).toMatchObject({ channel: "sms", failed: null });
});

it("a number gets twenty codes a day from one sender, then they go by mail", async () => {
  const served = await createTestApp();
  try {
    const sender = await openMember(served);
    const answers: unknown[] = [];
    for (const people of [11, 10]) {
      const recipients = Array.from({ length: people }, (_, n) => ({
        ...ELOISE,
        email: `famille${people}${n}@exemple.fr`,
      }));
      const sent = await createSent(sender, { recipients });
      for (const { email } of recipients) {
        const guest = await openMailedGuest(served, sent.id, email);
        const { status, body } = await guest.post("send_otp/", { channel: "sms" });
        answers.push([status, body.channel]);
        if (body.channel === "email")
          await expectStatus(guest.post("verify_otp/", { otp: await codeIn(served, email) }), 200);
      }
    }
    expect(answers).toEqual([...Array.from({ length: 20 }, () => [200, "sms"]), [200, "email"]]);
    expect((await mailFor(served.platform, "+33612345678")).length).toBe(20);
  } finally {
    await served.close();
  }
});

it("a code goes to no number of an unlisted country", async () => {
  const served = await createTestApp({
    settings: { rateLimits: "off", smsCountries: ["32", "590"] },
  });
  try {
    const account = await createMember(served.platform);
    const sent = await createSent(await signIn(served, account), { recipients: [PAUL] });
    // The number was stored while the service still texted this country.
    await served.platform.db
      .updateTable("recipients")
      .set({ phone_number: "+33612345678" })
      .execute();
    const paul = await openMailedGuest(served, sent.id, PAUL.email);
    expect((await paul.get("guest/")).body.recipient.phone_hint).toBeNull();
    const words = { channel: ["Ce service n’envoie pas de SMS vers ce pays."] };
    expect((await paul.post("send_otp/", { channel: "sms" })).body.errors).toEqual(words);
    served.platform.clock.advance({ seconds: 3_601 });
    const sender = await signIn(served, account);
    expect(
      (await sender.post(`${recipientPath(sent)}resend/`, { channel: "sms" })).body.errors,
    ).toEqual(words);
    const refused = await sender.send(
      "POST",
      ENVELOPES,
      envelopeForm({ recipients: [{ ...PAUL, phone_number: "+1 202 555 0123" }] }),
    );
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      {
        "recipients.0.phone_number": [
          "Ce service n’envoie pas de SMS vers ce pays. Indiquez un autre numéro, ou aucun",
        ],
      },
    ]);
    const corrected = await sender.send("PATCH", recipientPath(sent), {
      body: { phone_number: "+12025550123" },
    });
    expect([corrected.status, Object.keys(corrected.body.errors)]).toEqual([400, ["phone_number"]]);
  } finally {
    await served.close();
  }
});

it.each([
  ["refuses the number", 422, 1],
  ["is away for two tries", 503, 2],
])("a code goes by mail when the gateway %s, and the page says so", async (_, status, tries) => {
  const gateway = createServer((_request, response) =>
    response.writeHead(status).end("non"),
  ).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
  const served = await createTestApp({
    settings: { sms: { url, token: null }, rateLimits: "off" },
  });
  try {
    const sender = await openMember(served);
    const sent = await createSent(sender);
    const eloise = await openMailedGuest(served, sent.id, ELOISE.email);
    expect((await eloise.post("send_otp/", { channel: "sms" })).body.channel).toBe("sms");
    for (let n = 0; n < tries; n++)
      await served.platform.settle({ deferred: "run", failures: "keep" });
    const code = await codeIn(served, ELOISE.email);
    expect((await eloise.get("guest/")).body.otp).toMatchObject({
      channel: "email",
      failed: "sms",
    });
    await expectStatus(eloise.post("verify_otp/", { otp: code }), 200);
    expect((await eloise.get("guest/")).body.otp).toMatchObject({
      channel: "email",
      failed: null,
      verified: true,
    });
    const states = await served.platform.db
      .selectFrom("notices")
      .select(["channel", "state"])
      .where("kind", "=", "code")
      .orderBy("channel", "desc")
      .execute();
    expect(states).toEqual([
      { channel: "sms", state: "refused" },
      { channel: "email", state: "delivered" },
    ]);
  } finally {
    await served.close();
    gateway.close();
  }
});

const wrongOf = (code: string) => (code === "000000" ? "000001" : "000000");

it("security line 39: a code works once, spaces included, and its cookie is bound to the recipient", async () => {
  const code = await guest.askCode();
  const answer = await guest.post("verify_otp/", { otp: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect([answer.status, answer.body]).toEqual([200, { verified: true, valid_for: 3600 }]);
  const line =
    [...guest.cookies.values()].find((cookie) => cookie.line.startsWith("__Host-guest_"))?.line ??
    "";
  expect(line).toMatch(/HttpOnly/);
  expect(line).toMatch(/Secure/);
  expect(line).toMatch(/SameSite=Strict/);
  expect(line).toMatch(/Path=\/;/);
  expect(line).not.toContain("Domain");
  await expectRefusal(guest.post("verify_otp/", { otp: code }), 400, "otp_invalid");
});

it("security line 38: wrong, expired and never sent codes get the same answer", async () => {
  const never = await guest.post("verify_otp/", { otp: "123456" });
  const code = await guest.askCode();
  const wrong = await guest.post("verify_otp/", { otp: wrongOf(code) });
  const second = await createSent(owner);
  const late = await openMailedGuest(service, second.id, PAUL.email);
  const expired = await late.askCode();
  service.platform.clock.advance({ minutes: 10 });
  const answers = [never, wrong, await late.post("verify_otp/", { otp: expired })];
  for (const answer of answers) {
    expect([...refusal(answer), answer.body.attempts_left, answer.body.detail]).toEqual([
      400,
      "otp_invalid",
      4,
      "Code incorrect ou expiré. Il vous reste 4 essais.",
    ]);
  }
});

it("security line 37: the fifth wrong try revokes the code", async () => {
  const code = await guest.askCode();
  const left = [];
  for (let times = 0; times < 5; times++)
    left.push((await guest.post("verify_otp/", { otp: wrongOf(code) })).body.attempts_left);
  expect(left).toEqual([4, 3, 2, 1, 0]);
  const right = await guest.post("verify_otp/", { otp: code });
  expect([...refusal(right), right.body.detail]).toEqual([
    400,
    "otp_invalid",
    "Code incorrect ou expiré. Demandez un nouveau code.",
  ]);
});

it("security line 36: a new code revokes the earlier one", async () => {
  const first = await guest.askCode();
  service.platform.clock.advance({ minutes: 1 });
  const second = await guest.askCode();
  if (first !== second) await expectStatus(guest.post("verify_otp/", { otp: first }), 400);
  await expectStatus(guest.post("verify_otp/", { otp: second }), 200);
});

it("security line 37: twenty wrong codes freeze the link until a reminder", async () => {
  for (let sent = 0; sent < 4; sent++) {
    const code = await guest.askCode();
    for (let times = 0; times < 5; times++) await guest.post("verify_otp/", { otp: wrongOf(code) });
    service.platform.clock.advance({ minutes: 1 });
  }
  const frozen = await guest.post("verify_otp/", { otp: "123456" });
  expect([...refusal(frozen), Number(frozen.headers["retry-after"]) > 0]).toEqual([
    429,
    "otp_locked",
    true,
  ]);
  await expectRefusal(guest.post("send_otp/"), 429, "otp_locked");
  service.platform.clock.advance({ hours: 1 });
  const later = await signIn(service, member);
  await expectStatus(later.post(`${ENVELOPES}${envelope.id}/remind/`), 200);
  await guest.confirm();
});

it("security line 36: one of twenty simultaneous right tries succeeds", async () => {
  const code = await guest.askCode();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => guest.post("verify_otp/", { otp: code })),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
});

it.each([[123456], [["123456"]], ["١٢٣٤٥٦"], ["12345"], ["1234567"], ["12345a"], [null], [{}]])(
  "security line 38: %j is refused as no code, and not counted",
  async (otp) => {
    await guest.askCode();
    const answer = await guest.post("verify_otp/", { otp });
    expect([...refusal(answer), answer.body.errors.otp]).toEqual([
      400,
      "validation",
      [
        otp === null || typeof otp === "string"
          ? "Saisissez le code à 6 chiffres."
          : "Du texte est attendu",
      ],
    ]);
    const row = await service.platform.db
      .selectFrom("recipients")
      .select("wrong_tries")
      .where("id", "=", idOf(PAUL.email))
      .executeTakeFirstOrThrow();
    expect(row.wrong_tries).toBe(0);
  },
);

it("security line 39: a session lasts an hour from its last use", async () => {
  await guest.confirm();
  service.platform.clock.advance({ minutes: 50 });
  expect((await guest.get("guest/")).body.otp.verified).toBe(true);
  service.platform.clock.advance({ minutes: 50 });
  expect((await guest.get("guest/")).body.otp.verified).toBe(true);
  service.platform.clock.advance({ minutes: 61 });
  expect((await guest.get("guest/")).body.otp.verified).toBe(false);
});

it("security line 39: a session does not serve another recipient in the same browser", async () => {
  await guest.confirm();
  const eloise = await openMailedGuest(service, envelope.id, ELOISE.email);
  const cookie = [...guest.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const answer = await eloise.post("sign/", TYPED, { cookie });
  await expectRefusal(answer, 403, "otp_required");
});

it("security line 41: no code is in the journal, the logs or the tables", async () => {
  const code = await guest.askCode();
  await guest.post("verify_otp/", { otp: code });
  const { db } = service.platform;
  const journal = await db
    .selectFrom("audit_events")
    .selectAll()
    .where("envelope_id", "=", envelope.id)
    .execute();
  const details = await db
    .selectFrom("audit_details")
    .selectAll()
    .where("envelope_id", "=", envelope.id)
    .execute();
  const codes = await db
    .selectFrom("one_time_codes")
    .selectAll()
    .where("recipient_id", "=", idOf(PAUL.email))
    .execute();
  expect(journal.map((event) => event.action)).toEqual(
    expect.arrayContaining(["code_sent", "code_verified", "recipient_viewed"]),
  );
  expect(JSON.stringify([journal, details, service.platform.logged])).not.toContain(`"${code}"`);
  expect(codes.some((row) => Buffer.from(row.code_hmac).includes(code))).toBe(false);
  expect(JSON.stringify([journal, details])).not.toContain(guest.token);
});
