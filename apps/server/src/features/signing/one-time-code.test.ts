import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { codeIn, openMailedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { openSenderApp, sendToGuest } from "../../../testing/sent-to-guest.ts";

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

describe("POST send_otp/", () => {
  it("security line 36: mails six digits, without any link, and says where and for how long", async () => {
    const answer = await guest.post("send_otp/");
    expect([answer.status, answer.body]).toEqual([
      200,
      { channel: "email", destination: "p•••@exemple.fr", expires_in: 600, resend_in: 60 },
    ]);
    const [mail] = await mailFor(test.platform, PAUL.email);
    expect(mail?.subject).toMatch(/^\d{3}\s\d{3} est votre code de signature$/u);
    expect(mail?.content.text).not.toMatch(/https?:/);
  });

  it("security line 37: waits 60 seconds before another", async () => {
    await guest.post("send_otp/");
    test.platform.clock.advance({ seconds: 59 });
    const early = await guest.post("send_otp/");
    expect([...refusal(early), early.headers["retry-after"], early.body.detail]).toEqual([
      429,
      "otp_cooldown",
      "1",
      "Un code vient d’être envoyé. Patientez 1 s avant d’en demander un autre.",
    ]);
    test.platform.clock.advance({ seconds: 1 });
    expect((await guest.post("send_otp/")).status).toBe(200);
  });

  it("security line 37: sends at most five an hour", async () => {
    for (let times = 0; times < 5; times++) {
      expect((await guest.post("send_otp/")).status).toBe(200);
      test.platform.clock.advance({ minutes: 2 });
    }
    const sixth = await guest.post("send_otp/");
    expect(refusal(sixth)).toEqual([429, "otp_quota"]);
    expect(Number(sixth.headers["retry-after"])).toBe(50 * 60);
  });

  it("sends one of twenty asked for at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => guest.post("send_otp/")));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 429)]);
  });

  it("is neither offered nor sent by SMS where no gateway is set", async () => {
    const served = await createTestApp({ settings: { production: true, rateLimits: "off" } });
    try {
      const sender = await signIn(served, await createMember(served.platform));
      const sent = await createSent(sender);
      const eloise = await openMailedGuest(served, sent.id, ELOISE.email);
      expect((await eloise.get("guest/")).body.recipient.phone_hint).toBeNull();
      expect(refusal(await eloise.post("send_otp/", { channel: "sms" }))).toEqual([400, "validation"]);
      expect(await mailFor(served.platform, "+33612345678")).toEqual([]);
    } finally {
      await served.close();
    }
  });

  it("goes by SMS to whoever has a number", async () => {
    expect((await guest.post("send_otp/", { channel: "sms" })).body).toMatchObject({
      code: "validation",
      errors: { channel: [expect.stringContaining("numéro")] },
    });
    const eloise = await openMailedGuest(test, envelope.id, ELOISE.email);
    expect((await eloise.post("send_otp/", { channel: "sms" })).body).toMatchObject({ channel: "sms", destination: "•• •• •• 56 78" });
    const [sms] = await mailFor(test.platform, "+33612345678");
    expect(sms?.content.text).toMatch(/^\d{6} /);
    expect(refusal(await eloise.post("send_otp/", { channel: "fax" }))).toEqual([400, "validation"]);
    expect((await eloise.get("guest/")).body.otp).toMatchObject({ channel: "sms", failed: null });
  });

  it.each([
    ["refuses the number", 422, 1],
    ["is away for two tries", 503, 2],
  ])("goes by mail when the gateway %s, and the page is told", async (_, status, tries) => {
    const gateway = createServer((_request, response) => response.writeHead(status).end("non")).listen(0, "127.0.0.1");
    await once(gateway, "listening");
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
    const served = await createTestApp({ settings: { sms: { url, token: null }, rateLimits: "off" } });
    try {
      const sender = await signIn(served, await createMember(served.platform));
      const sent = await createSent(sender);
      const eloise = await openMailedGuest(served, sent.id, ELOISE.email);
      expect((await eloise.post("send_otp/", { channel: "sms" })).body.channel).toBe("sms");
      for (let n = 0; n < tries; n++) await served.platform.settle({ deferred: "run", failures: "keep" });
      const code = await codeIn(served, ELOISE.email);
      expect((await eloise.get("guest/")).body.otp).toMatchObject({ channel: "email", failed: "sms" });
      expect((await eloise.post("verify_otp/", { otp: code })).status).toBe(200);
      expect((await eloise.get("guest/")).body.otp).toMatchObject({ channel: "email", failed: null, verified: true });
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
});

describe("POST verify_otp/", () => {
  const wrongOf = (code: string) => (code === "000000" ? "000001" : "000000");

  it("security line 39: takes the code with spaces, once, and keeps a cookie bound to this person's calls", async () => {
    const code = await guest.askCode();
    const answer = await guest.post("verify_otp/", { otp: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect([answer.status, answer.body]).toEqual([200, { verified: true, valid_for: 3600 }]);
    const line = [...guest.cookies.values()].find((cookie) => cookie.line.startsWith("guest_"))?.line ?? "";
    expect(line).toMatch(/HttpOnly/);
    expect(line).toMatch(/Secure/);
    expect(line).toMatch(/SameSite=Strict/);
    expect(line).toContain(`Path=/api/signature/envelopes/${envelope.id}/`);
    expect(refusal(await guest.post("verify_otp/", { otp: code }))).toEqual([400, "otp_invalid"]);
  });

  it("security line 38: gives the same answer for a wrong, an expired and a never sent code", async () => {
    const never = await guest.post("verify_otp/", { otp: "123456" });
    const code = await guest.askCode();
    const wrong = await guest.post("verify_otp/", { otp: wrongOf(code) });
    const second = await createSent(owner);
    const late = await openMailedGuest(test, second.id, PAUL.email);
    const expired = await late.askCode();
    test.platform.clock.advance({ minutes: 10 });
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

  it("security line 37: kills the code at the fifth wrong try", async () => {
    const code = await guest.askCode();
    const left = [];
    for (let times = 0; times < 5; times++) left.push((await guest.post("verify_otp/", { otp: wrongOf(code) })).body.attempts_left);
    expect(left).toEqual([4, 3, 2, 1, 0]);
    const right = await guest.post("verify_otp/", { otp: code });
    expect([...refusal(right), right.body.detail]).toEqual([400, "otp_invalid", "Code incorrect ou expiré. Demandez un nouveau code."]);
  });

  it("security line 36: kills the earlier code when another is sent", async () => {
    const first = await guest.askCode();
    test.platform.clock.advance({ minutes: 1 });
    const second = await guest.askCode();
    if (first !== second) expect((await guest.post("verify_otp/", { otp: first })).status).toBe(400);
    expect((await guest.post("verify_otp/", { otp: second })).status).toBe(200);
  });

  it("security line 37: freezes the link at twenty wrong codes until the sender reminds", async () => {
    for (let sent = 0; sent < 4; sent++) {
      const code = await guest.askCode();
      for (let times = 0; times < 5; times++) await guest.post("verify_otp/", { otp: wrongOf(code) });
      test.platform.clock.advance({ minutes: 1 });
    }
    const frozen = await guest.post("verify_otp/", { otp: "123456" });
    expect([...refusal(frozen), Number(frozen.headers["retry-after"]) > 0]).toEqual([429, "otp_locked", true]);
    expect(refusal(await guest.post("send_otp/"))).toEqual([429, "otp_locked"]);
    test.platform.clock.advance({ hours: 1 });
    const later = await signIn(test, member);
    expect((await later.post(`${ENVELOPES}${envelope.id}/remind/`)).status).toBe(200);
    await guest.confirm();
  });

  it("security line 36: lets one of twenty right tries at once through", async () => {
    const code = await guest.askCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => guest.post("verify_otp/", { otp: code })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it.each([[123456], [["123456"]], ["١٢٣٤٥٦"], ["12345"], ["1234567"], ["12345a"], [null], [{}]])(
    "security line 38: refuses %j as not a code, without counting it",
    async (otp) => {
      await guest.askCode();
      const answer = await guest.post("verify_otp/", { otp });
      expect([...refusal(answer), answer.body.errors.otp]).toEqual([400, "validation", ["Saisissez le code à 6 chiffres."]]);
      const row = await test.platform.db
        .selectFrom("recipients")
        .select("wrong_tries")
        .where("id", "=", idOf(PAUL.email))
        .executeTakeFirstOrThrow();
      expect(row.wrong_tries).toBe(0);
    },
  );

  it("security line 39: lives an hour, and slides while it is used", async () => {
    await guest.confirm();
    test.platform.clock.advance({ minutes: 50 });
    expect((await guest.get("guest/")).body.otp.verified).toBe(true);
    test.platform.clock.advance({ minutes: 50 });
    expect((await guest.get("guest/")).body.otp.verified).toBe(true);
    test.platform.clock.advance({ minutes: 61 });
    expect((await guest.get("guest/")).body.otp.verified).toBe(false);
  });

  it("security line 39: does not serve another person of the same envelope in the same browser", async () => {
    await guest.confirm();
    const eloise = await openMailedGuest(test, envelope.id, ELOISE.email);
    const cookie = [...guest.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
    const answer = await eloise.post("sign/", TYPED, { cookie });
    expect(refusal(answer)).toEqual([403, "otp_required"]);
  });

  it("security line 41: leaves no code in the journal, the logs or the tables", async () => {
    const code = await guest.askCode();
    await guest.post("verify_otp/", { otp: code });
    const { db } = test.platform;
    const journal = await db.selectFrom("audit_events").selectAll().where("envelope_id", "=", envelope.id).execute();
    const details = await db.selectFrom("audit_details").selectAll().where("envelope_id", "=", envelope.id).execute();
    const codes = await db.selectFrom("one_time_codes").selectAll().where("recipient_id", "=", idOf(PAUL.email)).execute();
    expect(journal.map((event) => event.action)).toEqual(expect.arrayContaining(["code_sent", "code_verified", "recipient_viewed"]));
    expect(JSON.stringify([journal, details, test.platform.logged])).not.toContain(`"${code}"`);
    expect(codes.some((row) => Buffer.from(row.code_hmac).includes(code))).toBe(false);
    expect(JSON.stringify([journal, details])).not.toContain(guest.token);
  });
});
