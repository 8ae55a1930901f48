import { formatLongDay } from "@paraphe/kernel/french-dates";
import { Secret, TOTP } from "otpauth";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCESS } from "../../../../testing/access-table.ts";
import { createAuthenticator } from "../../../../testing/authenticator.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, ENVELOPES, eventsOf } from "../../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest, type TestGuest, TYPED } from "../../../../testing/guest.ts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { mailFor } from "../../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { lockGuestAccess, openGuestAccess } from "../../signing/guest-access.ts";

const service = useTestApp();
const ACCESS_SETTINGS = "/api/organisation/access/";
const FACTORS = "/api/signature/me/factors/";
const CONFIRMATION = "/api/signature/me/confirmation/";
const NOTHING = {
  second_factor: false,
  confirms_signatures: false,
  password_min_length: null,
  idle_hours: null,
};

let member: Member;
let mine: TestBrowser;
beforeEach(async () => {
  member = await createMemberAs(service.platform, "member");
  mine = await signIn(service, member);
  // An administrator without a factor could not change it once the day has come.
  await service.platform.db.updateTable("organisations").set({ second_factor_by: null }).execute();
  await choose({});
});

async function choose(change: Partial<Record<keyof typeof NOTHING | "second_factor_on", unknown>>) {
  const leader = await signIn(service, await createMemberAs(service.platform, "administrator"));
  const { version } = (await leader.get("/api/organisation/settings/")).body;
  const body = { ...NOTHING, ...change, version };
  return { leader, answer: await leader.send("PUT", ACCESS_SETTINGS, { body }) };
}

async function addTotp(browser = mine): Promise<() => string> {
  const { secret } = (await browser.post(`${FACTORS}totp/setup/`)).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = () => totp.generate({ timestamp: service.platform.clock().getTime() });
  expect((await browser.post(`${FACTORS}totp/`, { code: code() })).status).toBe(200);
  return () => {
    service.platform.clock.advance({ seconds: 30 });
    return code();
  };
}

async function addKey(browser = mine) {
  const key = createAuthenticator(service.platform.settings.publicUrl);
  const { challenge } = (await browser.post(`${FACTORS}passkeys/options/`)).body;
  const credential = key.create({ challenge });
  expect((await browser.post(`${FACTORS}passkeys/`, { name: "Clé", credential })).status).toBe(200);
  return key;
}

const userOf = async (browser: TestBrowser) => (await browser.get("/api/verify-token/")).body.user;
const again = (of = member) => signIn(service, of);

describe("a second factor that the organisation asks for", () => {
  test("is due from midnight in Paris ten days later, and a change of settings keeps that day", async () => {
    const { answer } = await choose({ second_factor: true });
    expect(answer.body.access.second_factor_by).toBe("2026-11-30T23:00:00.000Z");
    service.platform.clock.advance({ hours: 48 });
    const kept = await choose({ second_factor: true, idle_hours: 8 });
    expect(kept.answer.body.access).toMatchObject({
      second_factor_by: "2026-11-30T23:00:00.000Z",
      idle_hours: 8,
    });
    const { entries } = (await kept.leader.get("/api/organisation/journal/")).body;
    expect(entries[0].sentence.replaceAll("\u00a0", " ")).toBe(
      "Second facteur et sessions modifiés : second facteur à ajouter avant le 1er décembre 2026, sessions fermées après 8 h sans usage",
    );
  });

  test("is due from the day that the administrator chose, which is to come and within a year", async () => {
    const on = async (second_factor_on: string) =>
      (await choose({ second_factor: true, second_factor_on })).answer;
    const after = (days: number) => addDays(parisDay(service.platform.clock()), days);
    for (const day of [after(-1), after(0), after(366), "2027-02-30"]) {
      const { status, body } = await on(day);
      expect([day, status, Object.keys(body.errors ?? {})]).toEqual([
        day,
        400,
        ["second_factor_on"],
      ]);
    }
    const chosen = await on(after(24));
    expect(parisDay(new Date(chosen.body.access.second_factor_by))).toBe(after(24));
    // Another day is announced, the same one not again.
    const told = async () =>
      (await mailFor(service.platform, member.email)).filter(({ subject }) =>
        subject.startsWith("Second facteur"),
      ).length;
    expect(await told()).toBe(1);
    await on(after(24));
    expect(await told()).toBe(1);
    await on(after(1));
    expect(await told()).toBe(2);
  });

  test("until that day members without one are reminded, members with one are not", async () => {
    const { answer } = await choose({ second_factor: true });
    const by = answer.body.access.second_factor_by;
    expect(await userOf(mine)).toMatchObject({ second_factor_by: by });
    expect((await mine.get("/api/signature/me/")).body.user.second_factor_by).toBe(by);
    expect((await mine.get("/api/signature/contacts/")).status).toBe(200);
    expect(await userOf(await openMember(service))).not.toHaveProperty("second_factor_by");
    await addTotp();
    expect(await userOf(mine)).not.toHaveProperty("second_factor_by");
  });

  test("whoever lacks one gets one mail, with the day and where to add it", async () => {
    const known = await createMemberAs(service.platform, "member");
    await addTotp(await signIn(service, known));
    const { answer } = await choose({ second_factor: true });
    await choose({ second_factor: true, idle_hours: 8 });
    const mailsOf = async ({ email }: Member) =>
      (await mailFor(service.platform, email)).filter(({ subject }) =>
        subject.startsWith("Second facteur à ajouter"),
      );
    const mails = await mailsOf(member);
    expect(mails.map(({ subject }) => subject)).toEqual([
      `Second facteur à ajouter avant le ${formatLongDay(answer.body.access.second_factor_by)}`,
    ]);
    expect(mails[0]?.content.text).toContain("/settings/security");
    expect(mails[0]?.content.text).not.toContain("dès maintenant");
    expect(await mailsOf(known)).toEqual([]);
  });

  test("from that day on, a member without one can only add it or log out", async () => {
    await choose({ second_factor: true });
    service.platform.clock.advance({ hours: 24 * 10 });
    const browser = await again();
    const open = /\/me\/factors|^GET \/api\/signature\/me$|verify-token|token\/|logout/;
    for (const [route, row] of Object.entries(ACCESS)) {
      const [method = "", pattern = ""] = route.split(" ");
      if (open.test(route) || row.anonymous !== "session_expired") continue;
      const url = `${pattern.replace(/:\w+/g, service.platform.newId())}/`;
      const { status, body } =
        method === "GET" ? await browser.get(url) : await browser.send(method as "POST", url);
      // A file route answers as it answers a visitor.
      expect([route, status, body.code]).toEqual(
        body.code === "session_expired"
          ? [expect.stringMatching(/document|download/), 401, "session_expired"]
          : [route, 403, "factor_required"],
      );
    }
    await addKey(browser);
    expect((await browser.get("/api/signature/contacts/")).status).toBe(200);
  });

  test("a key stops with its owner from that day on, and works again once a factor is added", async () => {
    const made = await mine.post("/api/signature/me/keys/", {
      name: "Paie",
      scopes: ["envelopes:read"],
      days: null,
    });
    const call = async (url: string) => {
      const headers = { authorization: `Bearer ${made.body.secret}` };
      const answer = await service.app.inject({ url, headers });
      return [answer.statusCode, answer.json().code];
    };
    await choose({ second_factor: true });
    expect(await call(ENVELOPES)).toEqual([200, undefined]);
    service.platform.clock.advance({ hours: 24 * 10 });
    for (const url of [ENVELOPES, "/api/signature/me/", `${ENVELOPES}${service.platform.newId()}/`])
      expect([url, ...(await call(url))]).toEqual([url, 403, "key_factor_required"]);
    mine = await again();
    await addTotp();
    expect(await call(ENVELOPES)).toEqual([200, undefined]);
  });

  test("a key works on when its owner signs in at a provider, which asks for its own factor", async () => {
    const made = await mine.post("/api/signature/me/keys/", {
      name: "Paie",
      scopes: ["envelopes:read"],
      days: null,
    });
    const linked = { issuer: "https://idp.exemple.fr", subject: "camille", user_id: member.id };
    await service.platform.db
      .insertInto("provider_identities")
      .values({ ...linked, created_at: service.platform.clock() })
      .execute();
    await choose({ second_factor: true });
    service.platform.clock.advance({ hours: 24 * 10 });
    const headers = { authorization: `Bearer ${made.body.secret}` };
    expect((await service.app.inject({ url: ENVELOPES, headers })).statusCode).toBe(200);
  });

  test("the last factor cannot be removed while the organisation requires one", async () => {
    await choose({ second_factor: true });
    await addTotp();
    await addKey();
    expect((await mine.send("DELETE", `${FACTORS}totp/`)).status).toBe(204);
    const [key] = (await mine.get(FACTORS)).body.passkeys;
    const remove = () => mine.send("DELETE", `${FACTORS}passkeys/${key.id}/`);
    expect(refusal(await remove())).toEqual([409, "last_factor"]);
    await choose({});
    expect((await remove()).status).toBe(204);
  });

  test("a reset by an administrator is mailed and noted, and the person may add another", async () => {
    const { leader } = await choose({ second_factor: true });
    await addTotp();
    const reset = (id: string) => leader.send("DELETE", `/api/organisation/members/${id}/factors/`);
    expect((await reset(member.id)).status).toBe(200);
    expect((await mine.get(FACTORS)).body).toMatchObject({
      totp: null,
      recovery_codes: { total: 0 },
    });
    const { entries } = (await leader.get("/api/organisation/journal/")).body;
    expect(entries[0].sentence).toBe("Second facteur de Camille Roux réinitialisé");
    await leader.send("DELETE", `/api/organisation/members/${member.id}/sessions/`);
    expect((await mine.get("/api/verify-token/")).status).toBe(401);
    const subjects = (await mailFor(service.platform, member.email)).map(({ subject }) => subject);
    expect(subjects.toSorted()).toEqual([
      "Application d’authentification activée",
      "Second facteur réinitialisé",
      expect.stringMatching(/^Second facteur à ajouter avant le /),
      "Vos sessions Paraphe ont été fermées",
    ]);
    const owner = await createMemberAs(service.platform, "owner");
    expect(refusal(await reset(owner.id))).toEqual([403, "owners_only"]);
    expect(refusal(await reset((await createMember(service.platform)).id))).toEqual([
      404,
      "not_found",
    ]);
  });
});

describe("passwords and sessions of the organisation", () => {
  test("the password length applies from the next change of password, and never below the service's", async () => {
    await choose({ password_min_length: 16 });
    expect((await mine.get("/api/verify-token/")).body.password_min_length).toBe(16);
    const change = (new_password: string) =>
      mine.post("/api/signature/me/password/", { old_password: "encre bleue 47", new_password });
    expect((await change("encre bleue 48")).body.errors).toEqual({
      new_password: ["Minimum 16 caractères"],
    });
    expect((await change("encre bleue et verte 48")).status).toBe(200);
    expect((await choose({ password_min_length: 5 })).answer.status).toBe(400);
  });

  test("a session ends after the chosen time without a use", async () => {
    await choose({ idle_hours: 1 });
    const browser = await again();
    service.platform.clock.advance({ minutes: 50 });
    expect((await browser.post("/api/token/refresh/")).status).toBe(200);
    service.platform.clock.advance({ minutes: 61 });
    expect((await browser.post("/api/token/refresh/")).status).toBe(401);
  });
});

describe("a signature that the organisation wants confirmed", () => {
  async function toSign() {
    const sender = await openMember(service);
    const sent = await createSent(sender, {
      recipients: [{ email: member.email, full_name: "Camille Roux" }],
    });
    return {
      sender,
      sent,
      sign: () => mine.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, TYPED),
    };
  }
  const consentOf = async (sender: TestBrowser, id: string) =>
    (await eventsOf(sender, id)).find(
      ({ action }: { action: string }) => action === "consent_given",
    ).detail;

  test("asks for a factor each time, and the journal names it", async () => {
    const key = await addKey();
    await choose({ confirms_signatures: true });
    const { sender, sent, sign } = await toSign();
    const asked = await sign();
    expect(refusal(asked)).toEqual([403, "confirmation_required"]);
    expect(asked.body.methods).toEqual(["passkey"]);
    const { challenge } = (await mine.post(`${CONFIRMATION}options/`)).body;
    const credential = key.get({ challenge });
    expect((await mine.post(CONFIRMATION, { credential })).status).toBe(200);
    expect(refusal(await mine.post(CONFIRMATION, { credential }))).toEqual([
      400,
      "passkey_refused",
    ]);
    expect((await sign()).status).toBeLessThan(300);
    expect(await consentOf(sender, sent.id)).toMatchObject({
      opened_by: "password",
      confirmed_by: "passkey",
    });
    expect((await sign()).body.code, "a signature is confirmed once").not.toBe(
      "confirmation_required",
    );
    expect(refusal(await (await toSign()).sign())).toEqual([403, "confirmation_required"]);
  });

  test("a code confirms for five minutes, in its session alone", async () => {
    const code = await addTotp();
    await choose({ confirms_signatures: true });
    const { sign } = await toSign();
    expect(refusal(await mine.post(CONFIRMATION, { code: "000000" }))).toEqual([
      400,
      "second_factor_wrong",
    ]);
    expect((await mine.post(CONFIRMATION, { code: code() })).status).toBe(200);
    service.platform.clock.advance({ minutes: 5 });
    expect(refusal(await sign())).toEqual([403, "confirmation_required"]);
    expect((await mine.post(CONFIRMATION, { code: code() })).status).toBe(200);
    expect((await sign()).status).toBeLessThan(300);
  });

  test("whoever has no factor is asked to add one; whoever is no member signs as before", async () => {
    await choose({ confirms_signatures: true });
    expect(refusal(await (await toSign()).sign())).toEqual([403, "factor_required"]);
    member = await createMember(service.platform);
    mine = await again();
    expect((await (await toSign()).sign()).status).toBeLessThan(300);
  });
});

describe("the mailed link of a member, where each signature is confirmed", () => {
  const bySender = async (role: "signer" | "approver" | "visa" = "signer") => {
    const sender = await openMember(service);
    const others =
      role === "signer" ? [] : [{ email: "autre@exemple.fr", full_name: "Autre", role: "signer" }];
    const mayor = { email: member.email, full_name: "Camille Roux", role };
    const recipients = [mayor, ...others].map((one, index) => ({ ...one, order: index + 1 }));
    const { id } = await createSent(sender, { recipients, flow: "sequential" });
    return { id, guest: await openMailedGuest(service, id, member.email) };
  };
  const ACCOUNT = [403, "account_required"];
  const answers = async (guest: TestGuest) => ({
    page: refusal(await guest.get("guest/")),
    code: refusal(await guest.post("send_otp/")),
    entry: refusal(await guest.post("verify_otp/", { otp: "123456" })),
    signature: refusal(await guest.post("sign/", TYPED)),
    seal: refusal(await guest.post("hsm_sign/", TYPED)),
  });
  const REFUSED = {
    page: ACCOUNT,
    code: ACCOUNT,
    entry: ACCOUNT,
    signature: ACCOUNT,
    seal: ACCOUNT,
  };

  test("signs nothing, with a code or without, at once; the account signs with its factor", async () => {
    const code = await addTotp();
    const { id, guest } = await bySender();
    await guest.confirm();
    const { db, clock } = service.platform;
    const link = { envelopeId: id, token: guest.token, cookies: {} };
    const admitted = await openGuestAccess(db, link, clock());
    if (!admitted.ok) throw new Error("the link should open");
    await choose({ confirms_signatures: true });
    expect(await answers(guest)).toEqual(REFUSED);
    const late = await db
      .transaction()
      .execute((trx) => lockGuestAccess(trx, admitted.value, { now: clock() }));
    expect(late).toMatchObject({ ok: false, error: { code: "account_required" } });
    expect((await guest.get("guest/")).body).toMatchObject({
      document_title: expect.any(String),
      sender_name: expect.any(String),
    });
    const sign = () => mine.post(`${ENVELOPES}${id}/sign_authenticated/`, TYPED);
    expect(refusal(await sign())).toEqual([403, "confirmation_required"]);
    expect((await mine.post(CONFIRMATION, { code: code() })).status).toBe(200);
    expect((await sign()).status).toBeLessThan(300);
    await service.settle();
    // The link still opens what was signed.
    expect((await guest.get("guest/")).body.recipient.signed).toBe(true);
    expect((await guest.get("download/")).status).toBe(200);
  });

  test("an approval is refused as a signature is; a visa asks for no factor", async () => {
    await choose({ confirms_signatures: true });
    const mailed = async () => (await mailFor(service.platform, member.email))[0]?.content.text;
    expect(await answers((await bySender("approver")).guest)).toEqual(REFUSED);
    expect(await mailed()).toContain("Connectez-vous pour y répondre.");
    const { guest } = await bySender("visa");
    expect(await mailed()).toContain("Sans vous connecter, suivez le lien");
    await guest.confirm();
    expect((await guest.post("visa/")).status).toBe(200);
  });

  test("is refused from the same day as the account: at once, whatever the day of the factor", async () => {
    await choose({ second_factor: true, confirms_signatures: true });
    const [asked] = (await mailFor(service.platform, member.email)).filter(({ subject }) =>
      subject.startsWith("Second facteur à ajouter"),
    );
    expect(asked?.content.text).toContain("il en faut une dès maintenant");
    const { id, guest } = await bySender();
    expect(await answers(guest)).toEqual(REFUSED);
    expect(refusal(await mine.post(`${ENVELOPES}${id}/sign_authenticated/`, TYPED))).toEqual([
      403,
      "factor_required",
    ]);
    await choose({ second_factor: true });
    expect((await guest.get("guest/")).status).toBe(200);
  });

  test("signs for whoever is no active member with a confirmed address", async () => {
    await choose({ confirms_signatures: true });
    const { db } = service.platform;
    const change = async (set: { deactivated_at?: Date | null; address_confirmed_at?: null }) =>
      db.updateTable("users").set(set).where("id", "=", member.id).execute();
    const { guest } = await bySender();
    await change({ deactivated_at: service.platform.clock() });
    expect((await guest.get("guest/")).status).toBe(200);
    await change({ deactivated_at: null });
    expect(refusal(await guest.get("guest/"))).toEqual(ACCOUNT);
    await change({ address_confirmed_at: null });
    expect((await guest.get("guest/")).status).toBe(200);
    member = await createMember(service.platform);
    const { id } = await bySender();
    await signAsGuest(service, id, member.email);
  });
});

test("the journal says that a passkey alone opened the session", async () => {
  const key = await addKey();
  mine = openBrowser(service.app);
  const { challenge } = (await mine.post("/api/token/passkey/options/", { after_password: false }))
    .body;
  const credential = key.get({ challenge });
  await mine.post("/api/token/passkey/", { credential, after_password: false });
  const sender = await openMember(service);
  const sent = await createSent(sender, {
    recipients: [{ email: member.email, full_name: "Camille Roux" }],
  });
  expect(
    (await mine.post(`${ENVELOPES}${sent.id}/sign_authenticated/`, TYPED)).status,
  ).toBeLessThan(300);
  const events = await eventsOf(sender, sent.id);
  expect(
    events.find(({ action }: { action: string }) => action === "consent_given").detail,
  ).toEqual(expect.objectContaining({ opened_by: "passkey" }));
});
