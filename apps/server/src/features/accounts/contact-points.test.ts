import { createECDH, randomBytes } from "node:crypto";
import { OTP_RESEND_S, OTP_VALIDITY_S } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccountsApp } from "../../../testing/accounts-app.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});

afterAll(() => service.close());

describe("the phone number", () => {
  const ME = "/api/signature/me";
  const SEND = `${ME}/phone/send-code/`;
  const VERIFY = `${ME}/phone/verify/`;
  let numbers = 0;

  async function open(number?: string) {
    const phone = number ?? `+3361234${String(1_000 + numbers++)}`;
    const member = await createMember(service.platform);
    const browser = await signIn(service, member);
    await browser.send("PATCH", `${ME}/`, { body: { phone_number: phone } });
    return { browser, phone, member };
  }
  const codeFor = async (phone: string) =>
    /^\d{6}/.exec((await mailFor(service.platform, phone))[0]?.content.text ?? "")?.[0] ?? "";
  const wrong = (code: string) => (code === "000000" ? "111111" : "000000");
  const choose = (browser: TestBrowser, channels: object) =>
    browser.send("PUT", `${ME}/notifications/`, { body: channels });

  test.each([SEND, VERIFY])(
    "%s answers 401 to a visitor, and 403 without the CSRF token",
    async (url) => {
      const stranger = await openBrowser(service.app).post(url, { code: "123456" });
      expect([stranger.status, stranger.body.code]).toEqual([401, "session_expired"]);
      const { browser } = await open();
      const forged = await browser.send("POST", url, {
        body: { code: "123456" },
        headers: { "x-csrftoken": "" },
      });
      expect([forged.status, forged.body.code]).toEqual([403, "csrf_failed"]);
    },
  );

  describe("a number", () => {
    test("a number is verified by the code sent to it, and texts may be chosen only then", async () => {
      const { browser, phone } = await open();
      const early = await choose(browser, { email: false, sms: true, push: false });
      expect([early.status, early.body.errors]).toEqual([
        400,
        { sms: ["Vérifiez d’abord votre numéro de téléphone"] },
      ]);
      expect((await browser.get(`${ME}/`)).body.user.phone_verified).toBe(false);

      const sent = await browser.post(SEND, {});
      expect([sent.status, sent.body]).toEqual([
        200,
        {
          destination: expect.stringMatching(/^•/),
          expires_in: OTP_VALIDITY_S,
          resend_in: OTP_RESEND_S,
        },
      ]);
      const code = await codeFor(phone);
      expect((await mailFor(service.platform, phone))[0]).toMatchObject({ channel: "sms" });
      const stored = await service.platform.db.selectFrom("phone_codes").selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain(code);

      const verified = await browser.post(VERIFY, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
      expect([verified.status, verified.body.user.phone_verified]).toEqual([200, true]);
      expect((await choose(browser, { email: false, sms: true, push: false })).status).toBe(200);
      expect((await browser.post(VERIFY, { code })).body.code).toBe("otp_invalid");
      const again = await browser.post(SEND, {});
      expect([again.status, again.body.errors]).toEqual([
        400,
        { phone_number: ["Ce numéro est déjà vérifié"] },
      ]);
    });

    test("a changed number loses its verification and the former number's code; an unchanged one stays verified", async () => {
      const { browser, phone } = await open();
      await browser.post(SEND, {});
      const code = await codeFor(phone);
      await browser.send("PATCH", `${ME}/`, { body: { phone_number: "+33698765432" } });
      expect((await browser.post(VERIFY, { code })).body.code).toBe("otp_invalid");
      await browser.send("PATCH", `${ME}/`, { body: { phone_number: phone } });
      expect((await browser.post(VERIFY, { code })).body.user.phone_verified).toBe(true);
      const kept = await browser.send("PATCH", `${ME}/`, {
        body: { phone_number: phone, first_name: "Zoë" },
      });
      expect(kept.body.user.phone_verified).toBe(true);
      for (const other of ["+33698765432", null]) {
        expect(
          (await browser.send("PATCH", `${ME}/`, { body: { phone_number: other } })).body.user
            .phone_verified,
        ).toBe(false);
      }
    });

    test("a missing number cannot be verified", async () => {
      const browser = await signIn(service, await createMember(service.platform));
      const answer = await browser.post(SEND, {});
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        { phone_number: ["Ajoutez d’abord un numéro de téléphone à votre profil"] },
      ]);
      expect((await browser.post(VERIFY, { code: "123456" })).body.code).toBe("otp_invalid");
      expect((await browser.post(VERIFY, { code: "12" })).body.errors).toEqual({
        code: ["Saisissez le code à 6 chiffres."],
      });
    });
  });

  describe("a code", () => {
    test("a code has five tries, counted down, and then fails even when right", async () => {
      const { browser, phone } = await open();
      await browser.post(SEND, {});
      const code = await codeFor(phone);
      const left: unknown[] = [];
      for (let n = 0; n < 5; n++)
        left.push((await browser.post(VERIFY, { code: wrong(code) })).body.attempts_left);
      expect(left).toEqual([4, 3, 2, 1, 0]);
      const late = await browser.post(VERIFY, { code });
      expect([late.status, late.body.code, late.body.detail]).toEqual([
        400,
        "otp_invalid",
        "Code incorrect ou expiré. Demandez un nouveau code.",
      ]);
    });

    test("of ten parallel tries of a code five are compared", async () => {
      const { browser, phone } = await open();
      await browser.post(SEND, {});
      const code = await codeFor(phone);
      const tries = Array.from({ length: 10 }, (_, n) =>
        browser.post(VERIFY, { code: n === 9 ? code : wrong(code) }),
      );
      await Promise.all(tries);
      const row = await service.platform.db
        .selectFrom("phone_codes")
        .select("wrong_tries")
        .where("phone_number", "=", phone)
        .execute();
      const user = (await browser.get(`${ME}/`)).body.user;
      // The right code may be among the first five tries; after nine wrong ones it is not compared.
      expect(user.phone_verified ? row : row.map((one) => one.wrong_tries >= 5)).toEqual(
        user.phone_verified ? [] : [true],
      );
    });

    test("a code works for ten minutes, and only the last one sent", async () => {
      const { browser, phone } = await open();
      await browser.post(SEND, {});
      const first = await codeFor(phone);
      service.platform.clock.advance({ seconds: OTP_RESEND_S });
      await browser.post(SEND, {});
      const second = await codeFor(phone);
      if (first !== second) expect((await browser.post(VERIFY, { code: first })).status).toBe(400);
      service.platform.clock.advance({ seconds: OTP_VALIDITY_S });
      expect((await browser.post(VERIFY, { code: second })).status).toBe(400);
    });

    test("a code does not work for another account", async () => {
      const [mine, theirs] = [await open(), await open()];
      await mine.browser.post(SEND, {});
      await theirs.browser.post(SEND, {});
      const [own, other] = [await codeFor(mine.phone), await codeFor(theirs.phone)];
      if (own !== other)
        expect((await theirs.browser.post(VERIFY, { code: own })).status).toBe(400);
    });

    test("a code may be asked for again after a minute, five times an hour", async () => {
      const { browser } = await open();
      expect((await browser.post(SEND, {})).status).toBe(200);
      const soon = await browser.post(SEND, {});
      expect([soon.status, soon.body.code, soon.headers["retry-after"]]).toEqual([
        429,
        "otp_cooldown",
        String(OTP_RESEND_S),
      ]);
      const statuses: string[] = [];
      for (let n = 0; n < 6; n++) {
        service.platform.clock.advance({ seconds: OTP_RESEND_S });
        statuses.push((await browser.post(SEND, {})).body.code ?? "sent");
      }
      expect(statuses.filter((status) => status === "sent").length).toBeLessThanOrEqual(5);
      expect(statuses).toContain("otp_quota");
    });

    test("a number gets ten codes a day from all accounts together", async () => {
      const phone = "+33655555555";
      const codes: string[] = [];
      for (let n = 0; n < 11; n++)
        codes.push((await (await open(phone)).browser.post(SEND, {})).body.code ?? "sent");
      expect(codes).toEqual([...Array.from({ length: 10 }, () => "sent"), "otp_daily_quota"]);
    });
  });
});

describe("push", () => {
  const PATH = "/api/signature/me/push-subscriptions/";
  let member: Member;
  beforeAll(async () => {
    member = await createMember(service.platform);
  });

  /** The result of a browser's `PushSubscription.toJSON()`. */
  function subscription(
    endpoint = `https://push.exemple.fr/${randomBytes(9).toString("base64url")}`,
  ) {
    const ecdh = createECDH("prime256v1");
    ecdh.generateKeys();
    const keys = {
      p256dh: ecdh.getPublicKey().toString("base64url"),
      auth: randomBytes(16).toString("base64url"),
    };
    return { endpoint, expirationTime: null, keys };
  }

  const kept = (userId = member.id) =>
    service.platform.db
      .selectFrom("push_subscriptions")
      .select(["endpoint"])
      .where("user_id", "=", userId)
      .orderBy("created_at")
      .execute();
  const endpoints = async (userId = member.id) =>
    (await kept(userId)).map(({ endpoint }) => endpoint);

  describe("push subscriptions", () => {
    test("push subscriptions use the service's one key, a point of P-256", async () => {
      const browser = await signIn(service, member);
      const { status, body } = await browser.get(PATH);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["public_key"]);
      const key = Buffer.from(body.public_key, "base64url");
      expect([key.length, key[0]]).toEqual([65, 4]);
      expect((await browser.get(PATH)).body).toEqual(body);
    });

    test("a subscription is stored once per endpoint, and deleted on demand", async () => {
      const browser = await signIn(service, member);
      const asked = subscription();
      for (let time = 0; time < 2; time++) {
        const answer = await browser.post(PATH, asked);
        expect([answer.status, answer.body]).toEqual([201, {}]);
      }
      expect(await endpoints()).toEqual([asked.endpoint]);
      const gone = await browser.send("DELETE", PATH, { body: { endpoint: asked.endpoint } });
      expect([gone.status, gone.text]).toEqual([204, ""]);
      expect(await endpoints()).toEqual([]);
      expect(
        (await browser.send("DELETE", PATH, { body: { endpoint: asked.endpoint } })).status,
      ).toBe(204);
    });

    test("an account has ten subscriptions at most, even in parallel", async () => {
      const browser = await signIn(service, member);
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => browser.post(PATH, subscription())),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(await kept()).toHaveLength(10);
    });

    test("an endpoint belongs to the last subscriber, and nobody deletes another's", async () => {
      const other = await createMember(service.platform);
      const [mine, theirs] = [await signIn(service, member), await signIn(service, other)];
      const asked = subscription();
      await mine.post(PATH, asked);
      await theirs.post(PATH, asked);
      expect(await endpoints(other.id)).toEqual([asked.endpoint]);
      expect(await endpoints()).not.toContain(asked.endpoint);
      await mine.send("DELETE", PATH, { body: { endpoint: asked.endpoint } });
      expect(await endpoints(other.id)).toEqual([asked.endpoint]);
    });

    test.each([
      ["http", { endpoint: "http://push.exemple.fr/a" }],
      ["no address", { endpoint: "push" }],
      [
        "an address with a name and a password",
        { endpoint: "https://moi:secret@push.exemple.fr/" },
      ],
      ["an address too long", { endpoint: `https://push.exemple.fr/${"a".repeat(1_024)}` }],
      ["a key too short", { keys: { p256dh: "AAAA", auth: "A".repeat(22) } }],
      ["a key off the curve", { keys: { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) } }],
      ["a secret too long", { keys: { ...subscription().keys, auth: "A".repeat(24) } }],
      ["no key", { keys: undefined }],
      ["another field", { token: "x" }],
    ])("a subscription is refused with %s", async (_what, values) => {
      const browser = await signIn(service, member);
      const answer = await browser.post(PATH, { ...subscription(), ...values });
      expect([answer.status, answer.body.code]).toEqual([400, "validation"]);
      expect(Object.keys(answer.body.errors).length).toBeGreaterThan(0);
    });

    test("the calls on subscriptions need a session and its CSRF token", async () => {
      for (const method of ["GET", "POST", "DELETE"] as const) {
        const answer = await service.app.inject({ method, url: PATH });
        expect([401, 403]).toContain(answer.statusCode);
      }
      const browser = await signIn(service, member);
      const forged = await browser.post(PATH, subscription(), { headers: { "x-csrftoken": "x" } });
      expect([forged.status, forged.body.code]).toEqual([403, "csrf_failed"]);
    });
  });

  describe("a browser is told nothing more", () => {
    async function subscribed(): Promise<{
      browser: Awaited<ReturnType<typeof signIn>>;
      endpoint: string;
      person: Member;
    }> {
      const person = await createMember(service.platform);
      const browser = await signIn(service, person);
      const asked = subscription();
      await browser.post(PATH, asked);
      expect(await endpoints(person.id)).toEqual([asked.endpoint]);
      return { browser, endpoint: asked.endpoint, person };
    }

    test("a browser gets no push once its user has logged out", async () => {
      const { browser, person } = await subscribed();
      const elsewhere = await signIn(service, person);
      const other = subscription();
      await elsewhere.post(PATH, other);
      await browser.post("/api/logout/");
      expect(await endpoints(person.id)).toEqual([other.endpoint]);
    });

    test("a browser gets no push once the password was changed from another one", async () => {
      const { person } = await subscribed();
      const mine = await signIn(service, person);
      const own = subscription();
      await mine.post(PATH, own);
      const changed = await mine.post("/api/signature/me/password/", {
        old_password: MEMBER_PASSWORD,
        new_password: "plume verte 58",
      });
      expect(changed.status).toBe(200);
      expect(await endpoints(person.id)).toEqual([own.endpoint]);
    });

    test("a browser gets no push once its session is deleted", async () => {
      const { person } = await subscribed();
      await service.platform.db.deleteFrom("sessions").where("user_id", "=", person.id).execute();
      expect(await kept(person.id)).toHaveLength(0);
    });

    test("a browser gets no push once its session was ended from another one", async () => {
      const { person } = await subscribed();
      const mine = await signIn(service, person);
      expect((await mine.send("DELETE", "/api/signature/me/sessions/")).status).toBe(204);
      expect(await kept(person.id)).toHaveLength(0);
    });

    test("a browser gets no push once the account is erased", async () => {
      const { browser, person } = await subscribed();
      const erased = await browser.send("DELETE", "/api/signature/me/", {
        body: { password: MEMBER_PASSWORD },
      });
      expect(erased.status).toBeLessThan(300);
      expect(await kept(person.id)).toHaveLength(0);
    });
  });

  test("a literal private address is refused as an endpoint", async () => {
    const served = await openAccountsApp(service.platform, { production: true });
    try {
      const member = await signIn(served, await createMember(service.platform));
      const names = [
        "localhost",
        "localhost.",
        "foo.localhost",
        "FOO.LocalHost.",
        "push.exemple.fr:22",
        "push.exemple.fr:8443",
      ];
      for (const host of [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "2130706433",
        "127.0.0.1.",
        ...names,
      ]) {
        const endpoint = `https://${host}/a`;
        const answer = await member.post("/api/signature/me/push-subscriptions/", {
          endpoint,
          keys: { p256dh: "B".repeat(87), auth: "A".repeat(22) },
        });
        expect([host, answer.status, Object.keys(answer.body.errors)]).toEqual([
          host,
          400,
          ["endpoint"],
        ]);
      }
    } finally {
      await served.close();
    }
  });
});

describe("a trial message", () => {
  const TRIAL = "/api/signature/me/notifications/test/";

  async function open(columns: object) {
    const member = await createMember(service.platform);
    await service.platform.db
      .updateTable("users")
      .set({ notify_email: true, ...columns })
      .where("id", "=", member.id)
      .execute();
    return { member, browser: await signIn(service, member) };
  }

  test("a trial message is 401 for a visitor and 403 without the CSRF token", async () => {
    expect((await openBrowser(service.app).post(TRIAL, {})).status).toBe(401);
    const { browser } = await open({});
    expect(
      (await browser.send("POST", TRIAL, { body: {}, headers: { "x-csrftoken": "" } })).body.code,
    ).toBe("csrf_failed");
  });

  test("a trial message goes by each chosen channel that reaches its owner", async () => {
    const phone = "+33612340099";
    const { member, browser } = await open({ notify_sms: true, phone_number: phone });
    expect((await browser.post(TRIAL, {})).body).toEqual({ channels: ["email"] });
    await service.platform.db
      .updateTable("users")
      .set({ phone_verified_at: service.platform.clock() })
      .where("id", "=", member.id)
      .execute();
    const both = await browser.post(TRIAL, {});
    expect([both.status, both.body]).toEqual([202, { channels: ["email", "sms"] }]);
    expect((await mailFor(service.platform, member.email)).map(({ subject }) => subject)).toEqual([
      "Notification d’essai",
      "Notification d’essai",
    ]);
    expect((await mailFor(service.platform, phone)).map(({ content }) => content.text)).toEqual([
      "Message d'essai de Paraphe. Vos SMS arrivent bien.",
    ]);
  });

  test("the sixth trial message of an hour is refused", async () => {
    const { browser } = await open({});
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await browser.post(TRIAL, {})).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});
