import { execFileSync } from "node:child_process";
import type { Envelope } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, expectRefusal } from "../../../testing/answers.ts";
import type { TestApp } from "../../../testing/app.ts";
import { multipart, openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import {
  codeIn,
  openGuest,
  openMailedGuest,
  type TestGuest,
  TYPED,
} from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { printOf, proofIn, bytesAt } from "../../../testing/proven-envelope.ts";
import { recipientCalls } from "../../../testing/recipient-calls.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const NUMBER = "+33612345678";
const SIGNED = { ...TYPED, signature: { ...TYPED.signature, text: ELOISE.full_name } };

let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test: service, member, owner } = await openSenderApp());
});
afterAll(() => service.close());

/** Gives the newest text that the number received, a link or a code. */
const textFor = async () => (await mailFor(service.platform, NUMBER))[0]?.content.text ?? "";

async function textedGuest(envelope: Envelope, email = ELOISE.email): Promise<TestGuest> {
  const { resend } = recipientCalls(service, () => owner);
  service.platform.clock.advance({ hours: 2 });
  owner = await signIn(service, member);
  const answer = await resend(envelope, { channel: "sms" });
  if (answer.status !== 200) throw new Error(answer.text);
  const token = /token=([\w-]{43})/.exec(await textFor())?.[1] ?? "";
  return openGuest(service, { envelopeId: envelope.id, token, email });
}

/** Gives six digits other than this code. */
const wrongOf = (code: string) => (code === "000000" ? "000001" : "000000");
const sendToEloise = () => createSent(owner, { recipients: [ELOISE] });
const certificateOf = async (envelopeId: string) => {
  const row = await service.platform.db
    .selectFrom("signatures")
    .select("certificate_der")
    .where("envelope_id", "=", envelopeId)
    .executeTakeFirstOrThrow();
  return parseCertificate(new Uint8Array(row.certificate_der));
};
const signerIn = async (envelope: Envelope, proofOnly = false) => {
  if (proofOnly)
    await owner.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, {
      body: { proof_only: true },
    });
  const print = await printOf(owner, envelope);
  const anybody = openBrowser(service.app);
  const page = await anybody.get(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`);
  const { proof } = proofIn(await bytesAt(anybody, print.proof_url));
  expect(page.body.verdict, page.body.reason).toBe("valid");
  expect(proof.signers).toEqual(page.body.signers);
  return { signer: page.body.signers[0], proof };
};

it("a sender's own telephone signs for nobody", async () => {
  const envelope = await sendToEloise();
  const mailed = await openMailedGuest(service, envelope.id, ELOISE.email);
  const attacker = await textedGuest(envelope);
  expect((await attacker.get("guest/")).body.recipient.phone_hint).toBeNull();
  const refused = await attacker.post("send_otp/", { channel: "sms" });
  expect([...refusal(refused), refused.body.detail]).toEqual([
    403,
    "second_channel_required",
    "Ce lien ne s’ouvre qu’avec un code reçu par email\u00a0: demandez-en un par email.",
  ]);
  // The person asks for a text, which reaches the sender's telephone; it opens nothing behind the
  // link that this telephone also got.
  await expectStatus(mailed.post("send_otp/", { channel: "sms" }), 200);
  const code = (await textFor()).replace(/^(\d{6}).*$/s, "$1");
  expect(code).toMatch(/^\d{6}$/);
  // The page sees by this that the last code opens nothing here.
  expect((await attacker.get("guest/")).body).toMatchObject({
    recipient: { phone_hint: null },
    otp: { channel: "sms" },
  });
  await expectRefusal(attacker.post("send_otp/"), 429, "otp_cooldown");
  await expectRefusal(attacker.post("verify_otp/", { otp: code }), 403, "second_channel_required");
  await expectRefusal(attacker.post("sign/", SIGNED), 403, "otp_required");
  await expectStatus(mailed.post("verify_otp/", { otp: code }), 200);
  await expectStatus(mailed.post("sign/", SIGNED), 200);
  expect((await certificateOf(envelope.id)).emails).toEqual([ELOISE.email]);
});

it("a link by SMS and a code by mail are recorded and shown, masked, from the journal", async () => {
  const envelope = await sendToEloise();
  const guest = await textedGuest(envelope);
  expect((await guest.post("send_otp/")).body).toMatchObject({
    channel: "email",
    destination: "e•••@exemple.fr",
  });
  const confirmed = await guest.post("verify_otp/", { otp: await codeIn(service, ELOISE.email) });
  expect(confirmed.status).toBe(200);
  await expectStatus(guest.post("sign/", SIGNED), 200);
  await service.settle();
  const { signer, proof } = await signerIn(envelope);
  expect(signer.reach).toEqual({
    by: "link",
    link: { channel: "sms", destination: "•• •• •• 56 78" },
    code: { channel: "email", destination: "e•••@exemple.fr" },
    confirmed: ["email", "phone"],
  });
  const shown = JSON.stringify(proof.journal);
  expect([shown.includes(ELOISE.email), shown.includes(NUMBER)]).toEqual([false, false]);
  const evidence = await owner.get(`${ENVELOPES}${envelope.id}/evidence/`);
  const words = execFileSync("pdftotext", ["-", "-"], { input: evidence.bytes, encoding: "utf8" })
    .normalize("NFC")
    .replaceAll(/\s+/g, " ");
  const [parties = "", rest = ""] = words.split(
    "5. L’identification et le consentement de chaque signataire",
  );
  const [identified = ""] = rest.split("Message À Date");
  // The sender named the number in full: it shows among the parties and messages, as the file is
  // the sender's alone.
  expect([parties.includes(NUMBER), identified.includes(NUMBER)]).toEqual([true, false]);
  expect(identified).toContain("•• •• •• 56 78");
  // Rows do not prove a channel; the journal does.
  await sql`update one_time_codes set channel = 'sms'`.execute(service.platform.owner);
  await sql`update notices set channel = 'sms', destination = ${NUMBER} where envelope_id = ${envelope.id}`.execute(
    service.platform.owner,
  );
  expect((await signerIn(envelope)).signer.reach).toEqual(signer.reach);
  const hidden = await signerIn(envelope, true);
  expect(hidden.signer.reach).toMatchObject({
    link: { channel: "sms", destination: null },
    code: { channel: "email", destination: null },
  });
  expect(JSON.stringify(hidden.proof).includes("•••@")).toBe(false);
  const { results } = (await owner.get(`${ENVELOPES}${envelope.id}/events/?page_size=100`)).body;
  const said = (action: string) =>
    results.find((event: { action: string }) => event.action === action)?.detail;
  expect(said("code_verified")).toMatchObject({ channel: "email", link_channel: "sms" });
  expect(said("recipient_invited")).toMatchObject({
    channel: "sms",
    destination: "•• •• •• 56 78",
  });
}, 60_000);

describe("an account whose address only its activation link confirmed", () => {
  let stranger: Member;
  let browser: TestBrowser;
  let envelope: Envelope;
  const call = (path: string) => `${ENVELOPES}${envelope.id}/${path}`;

  beforeAll(async () => {
    owner = await signIn(service, member);
    stranger = await createMember(service.platform, {
      confirmed: false,
      firstName: "Zoé",
      lastName: "Petit",
    });
    browser = await signIn(service, stranger);
    envelope = await createSent(owner, {
      recipients: [{ email: stranger.email, full_name: "Zoé Petit" }, PAUL],
    });
  });

  it("an unconfirmed account reads and does nothing with envelopes sent to it", async () => {
    const document = envelope.documents[0]?.id ?? "";
    for (const path of [
      "",
      "sign-page/",
      "original-document/",
      `documents/${document}/file/`,
      "download/",
    ])
      expect([path, ...refusal(await browser.get(call(path)))]).toEqual([
        path,
        403,
        "address_unconfirmed",
      ]);
    for (const path of [
      "sign_authenticated/",
      "hsm_sign/",
      "view/",
      "decline/",
      "request-extension/",
    ])
      expect([
        path,
        ...refusal(await browser.post(call(path), path === "decline/" ? { reason: "Non" } : TYPED)),
      ]).toEqual([path, 403, "address_unconfirmed"]);
    const list = await browser.get(`${ENVELOPES}?status=action_required`);
    expect([list.body.count, list.body.results]).toEqual([0, []]);
    expect((await browser.get(`${ENVELOPES}counts/`)).body.action_required).toBe(0);
    expect((await browser.get("/api/signature/me/")).body.user).toMatchObject({
      email_confirmed: false,
      unread_actions: 0,
    });
    const dashboard = await browser.get("/api/signature/dashboard/");
    expect(dashboard.text).not.toContain(envelope.title);
  });

  it("an unconfirmed account sees its own envelopes, and is led to the code", async () => {
    const sent = await createSent(browser, {
      recipients: [{ email: stranger.email, full_name: "Zoé Petit" }, PAUL],
    });
    expect((await browser.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("action_required");
    const { body: list } = await browser.get(`${ENVELOPES}?status=action_required`);
    expect(list).toMatchObject({
      count: 1,
      results: [{ id: sent.id, status: "action_required", is_owner: true }],
    });
    expect((await browser.get(`${ENVELOPES}counts/`)).body.action_required).toBe(1);
    expect((await browser.get("/api/signature/me/")).body.user).toMatchObject({
      email_confirmed: false,
      unread_actions: 1,
    });
    expect((await browser.get("/api/signature/dashboard/")).body.counts.actionRequired).toBe(1);
    await expectRefusal(
      browser.get(`${ENVELOPES}${sent.id}/sign-page/`),
      403,
      "address_unconfirmed",
    );
    await expectStatus(browser.post(`${ENVELOPES}${sent.id}/cancel/`), 200);
    expect((await browser.get("/api/signature/me/")).body.user).toMatchObject({
      unread_actions: 0,
    });
  });

  it("an unconfirmed account signs its own document without an address in the certificate", async () => {
    const form = multipart({ signature: JSON.stringify(TYPED.signature) }, [
      { field: "file", name: "Note.pdf", type: "application/pdf", bytes: makePdf() },
    ]);
    const own = await browser.send("POST", "/api/signature/self-sign/", form);
    expect(own.status, own.text).toBe(201);
    const certificate = await certificateOf(own.body.id);
    expect([certificate.subject.commonName, certificate.emails]).toEqual(["Zoé Petit", []]);
    const print = await browser.post("/api/signature/prints/generate/", {
      envelope: own.body.id,
      qr_type: "page",
    });
    const page = await openBrowser(service.app).get(
      `/api/signature/prints/${print.body.id}/verify/?sig=${print.body.sig}`,
    );
    expect([page.body.verdict, page.body.signers[0].reach.confirmed]).toEqual(["valid", []]);
  });

  it("an account is not confirmed by another's link, by SMS, or without its session", async () => {
    const paul = await openMailedGuest(service, envelope.id, PAUL.email);
    const theirs = await openMailedGuest(service, envelope.id, stranger.email);
    await expectRefusal(
      browser.post(call("confirm-address/"), { token: paul.token }),
      404,
      "not_found",
    );
    await expectStatus(
      openBrowser(service.app).post(call("confirm-address/"), { token: theirs.token }),
      401,
    );
    const recipients = [{ email: stranger.email, full_name: "Zoé Petit", phone_number: NUMBER }];
    const texted = await textedGuest(await createSent(owner, { recipients }), stranger.email);
    browser = await signIn(service, stranger);
    const byText = await browser.post(`${ENVELOPES}${texted.envelopeId}/confirm-address/`, {
      token: texted.token,
    });
    await expectRefusal(byText, 404, "not_found");
    await theirs.get("guest/");
    await expectRefusal(browser.get(call("sign-page/")), 403, "address_unconfirmed");
  });

  it("an account is not confirmed by a link mailed to an address corrected since", async () => {
    const sent = await createSent(owner, {
      recipients: [{ email: "complice@exemple.fr", full_name: "Zoé Petit" }],
    });
    const { token } = await openMailedGuest(service, sent.id, "complice@exemple.fr");
    const corrected = await recipientCalls(service, () => owner).correct(sent, {
      email: stranger.email,
    });
    expect(corrected.status, corrected.text).toBe(200);
    await expectRefusal(
      browser.post(`${ENVELOPES}${sent.id}/confirm-address/`, { token }),
      404,
      "not_found",
    );
    expect((await browser.get("/api/signature/me/")).body.user.email_confirmed).toBe(false);
  });

  it("one mailed code confirms an account, which then signs by session", async () => {
    expect(refusal(await browser.post(call("send_otp/"), { channel: "sms" }))[0]).toBe(400);
    const sent = await browser.post(call("send_otp/"));
    expect([sent.status, sent.body.channel]).toEqual([200, "email"]);
    await expectRefusal(browser.post(call("verify_otp/"), { otp: "000000" }), 400, "otp_invalid");
    const verified = await browser.post(call("verify_otp/"), {
      otp: await codeIn(service, stranger.email),
    });
    expect([verified.status, verified.body]).toEqual([200, { verified: true, valid_for: 3600 }]);
    await expectStatus(browser.get(call("sign-page/")), 200);
    await expectStatus(browser.post(call("sign_authenticated/"), TYPED), 200);
    const second = await createSent(owner, {
      recipients: [{ email: stranger.email, full_name: "Zoé Petit" }],
    });
    await expectStatus(browser.post(`${ENVELOPES}${second.id}/sign_authenticated/`, TYPED), 200);
    expect((await certificateOf(second.id)).emails).toEqual([stranger.email]);
  });

  it("a mailed link opened in its session confirms an account", async () => {
    const other = await createMember(service.platform, { confirmed: false });
    const session = await signIn(service, other);
    const sent = await createSent(owner, {
      recipients: [{ email: other.email, full_name: "Camille Roux" }],
    });
    const { token } = await openMailedGuest(service, sent.id, other.email);
    await expectStatus(session.post(`${ENVELOPES}${sent.id}/confirm-address/`, { token }), 204);
    await expectStatus(session.get(`${ENVELOPES}${sent.id}/sign-page/`), 200);
    expect((await session.get("/api/signature/me/")).body.user.email_confirmed).toBe(true);
  });

  it("a new address is confirmed by the link mailed there", async () => {
    const other = await createMember(service.platform, { confirmed: false });
    const session = await signIn(service, other);
    const email = `nouvelle.${other.username}@exemple.fr`;
    const asked = await session.post("/api/signature/me/email/", {
      email,
      password: MEMBER_PASSWORD,
    });
    expect(asked.status, asked.text).toBe(202);
    expect((await session.get("/api/signature/me/")).body.user.email_confirmed).toBe(false);
    const [mail] = await mailFor(service.platform, email);
    const token = /profile\?email=([\w-]+)/.exec(mail?.content.text ?? "")?.[1] ?? "";
    const confirmed = await session.post("/api/signature/me/email/confirm/", { token });
    expect([confirmed.status, confirmed.body.user]).toMatchObject([
      200,
      { email, email_confirmed: true },
    ]);
  });

  it("the current address is confirmed by a link mailed there, without a warning, and only once", async () => {
    const other = await createMember(service.platform, { confirmed: false });
    const session = await signIn(service, other);
    const ask = () =>
      session.post("/api/signature/me/email/", { email: other.email, password: MEMBER_PASSWORD });
    expect((await ask()).status).toBe(202);
    const mails = await mailFor(service.platform, other.email);
    const token = /profile\?email=([\w-]+)/.exec(mails[0]?.content.text ?? "")?.[1] ?? "";
    expect(mails).toHaveLength(1);
    const confirm = () => session.post("/api/signature/me/email/confirm/", { token });
    expect((await confirm()).body.user).toMatchObject({
      email: other.email,
      email_confirmed: true,
    });
    expect([(await confirm()).status, (await ask()).body.errors]).toEqual([
      400,
      { email: ["C’est déjà l’adresse de votre compte"] },
    ]);
  });

  it("twenty wrong codes lock an address until a mailed link, for new accounts too", async () => {
    const other = await createMember(service.platform, { confirmed: false });
    const { email } = other;
    let session = await signIn(service, other);
    const ask = (id: string, who = session) => who.post(`${ENVELOPES}${id}/send_otp/`);
    const guess = (id: string, otp: string, who = session) =>
      who.post(`${ENVELOPES}${id}/verify_otp/`, { otp });
    let last = "";
    for (let sent = 0; sent < 4; sent += 1) {
      last = (await createSent(owner, { recipients: [{ email, full_name: "Camille Roux" }] })).id;
      await expectStatus(ask(last), 200);
      const code = await codeIn(service, email);
      for (let times = 0; times < 5; times += 1)
        expect(refusal(await guess(last, wrongOf(code)))[1]).toBe("otp_invalid");
      service.platform.clock.advance({ minutes: 1 });
    }
    const fifth = await createSent(owner, { recipients: [{ email, full_name: "Camille Roux" }] });
    for (const answer of [await ask(fifth.id), await guess(fifth.id, "123456"), await ask(last)])
      await expectRefusal(answer, 429, "address_code_locked");
    await service.platform.db
      .updateTable("users")
      .set({ email: "autre@exemple.fr", email_key: "autre@exemple.fr" })
      .where("id", "=", other.id)
      .execute();
    const again = await createMember(service.platform, { confirmed: false, email });
    session = await signIn(service, again);
    await expectRefusal(ask(fifth.id), 429, "address_code_locked");
    const { token } = await openMailedGuest(service, fifth.id, email);
    await expectStatus(session.post(`${ENVELOPES}${fifth.id}/confirm-address/`, { token }), 204);
    await expectStatus(session.get(`${ENVELOPES}${fifth.id}/sign-page/`), 200);
    expect(
      await service.platform.db
        .selectFrom("address_tries")
        .select("wrong_tries")
        .where("wrong_tries", ">=", 20)
        .execute(),
    ).toEqual([]);
  });

  it("a member's codes and tries take nothing from the guest of the same address", async () => {
    const other = await createMember(service.platform, { confirmed: false });
    const session = await signIn(service, other);
    const sent = await createSent(owner, {
      recipients: [{ email: other.email, full_name: "Camille Roux" }],
    });
    const guest = await openMailedGuest(service, sent.id, other.email);
    for (let codes = 0; codes < 4; codes += 1) {
      await expectStatus(session.post(`${ENVELOPES}${sent.id}/send_otp/`), 200);
      const code = await codeIn(service, other.email);
      for (let times = 0; times < 5; times += 1)
        await session.post(`${ENVELOPES}${sent.id}/verify_otp/`, { otp: wrongOf(code) });
      service.platform.clock.advance({ minutes: 1 });
    }
    await expectRefusal(
      session.post(`${ENVELOPES}${sent.id}/send_otp/`),
      429,
      "address_code_locked",
    );
    expect((await guest.get("guest/")).body.otp).toMatchObject({
      verified: false,
      channel: "email",
    });
    // The person has five codes an hour.
    for (let codes = 0; codes < 5; codes += 1) {
      await expectStatus(guest.post("send_otp/"), 200);
      service.platform.clock.advance({ minutes: 1 });
    }
    const { wrong_tries } = await service.platform.db
      .selectFrom("recipients")
      .select("wrong_tries")
      .where("envelope_id", "=", sent.id)
      .executeTakeFirstOrThrow();
    expect(wrong_tries).toBe(0);
    service.platform.clock.advance({ hours: 1 });
    await guest.confirm();
  });

  it("a member's and a guest's codes do not serve each other", async () => {
    owner = await signIn(service, member);
    const other = await createMember(service.platform, { confirmed: false });
    const session = await signIn(service, other);
    const sent = await createSent(owner, {
      recipients: [{ email: other.email, full_name: "Camille Roux" }],
    });
    const guest = await openMailedGuest(service, sent.id, other.email);
    const live = await guest.askCode();
    await expectStatus(session.post(`${ENVELOPES}${sent.id}/send_otp/`), 200);
    const own = await codeIn(service, other.email);
    if (own !== live) {
      await expectRefusal(
        session.post(`${ENVELOPES}${sent.id}/verify_otp/`, { otp: live }),
        400,
        "otp_invalid",
      );
      await expectRefusal(guest.post("verify_otp/", { otp: own }), 400, "otp_invalid");
    }
    await expectStatus(guest.post("verify_otp/", { otp: live }), 200);
    await expectStatus(session.post(`${ENVELOPES}${sent.id}/verify_otp/`, { otp: own }), 200);
  });

  it("the code's calls reveal nothing of another's envelope", async () => {
    const nobody = await signIn(
      service,
      await createMember(service.platform, { confirmed: false }),
    );
    await expectRefusal(nobody.post(call("send_otp/"), { nonsense: true }), 404, "not_found");
    await expectRefusal(nobody.post(call("verify_otp/"), { nonsense: true }), 404, "not_found");
  });
});
