import { setTimeout } from "node:timers/promises";
import { TOTP, Secret } from "otpauth";
import { beforeEach, describe, expect, test } from "vitest";
import { type Authenticator, createAuthenticator } from "../../../../testing/authenticator.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../../testing/member.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { forgetFailures, lockFailures } from "../session-store.ts";

const service = useTestApp();
const FACTORS = "/api/signature/me/factors/";

const FIRST = { after_password: false };
const SECOND = { after_password: true };

let member: Member;
let mine: TestBrowser;
let secret: string;

beforeEach(async () => {
  member = await createMember(service.platform);
  mine = await signIn(service, member);
});

/** The code of the application now, or some steps of thirty seconds away. */
function codeOf(base32: string, steps = 0): string {
  const timestamp = service.platform.clock().getTime() + steps * 30_000;
  return new TOTP({ secret: Secret.fromBase32(base32) }).generate({ timestamp });
}

async function activate(browser = mine): Promise<readonly string[]> {
  const setup = await browser.post(`${FACTORS}totp/setup/`);
  expect(setup.status).toBe(200);
  secret = setup.body.secret;
  const answer = await browser.post(`${FACTORS}totp/`, { code: codeOf(secret) });
  expect(answer.status).toBe(200);
  // Its step is used: a login needs the next one.
  service.platform.clock.advance({ seconds: 30 });
  return answer.body.recovery_codes;
}

async function addKey(key: Authenticator, browser = mine): Promise<readonly string[]> {
  const { body } = await browser.post(`${FACTORS}passkeys/options/`);
  const credential = key.create({ challenge: body.challenge });
  const answer = await browser.post(`${FACTORS}passkeys/`, {
    name: "YubiKey du bureau",
    credential,
  });
  expect(answer.status).toBe(200);
  return answer.body.recovery_codes;
}

const newKey = () => createAuthenticator(service.platform.settings.publicUrl);

async function startLogin(of = member, password = MEMBER_PASSWORD) {
  const browser = openBrowser(service.app);
  const answer = await browser.post("/api/token/", { username: of.username, password });
  return { browser, answer };
}

const isSignedIn = async (browser: TestBrowser) =>
  (await browser.get("/api/verify-token/")).status === 200;

type Use = Partial<Parameters<Authenticator["get"]>[0]> & { readonly after_password?: boolean };

async function useKey(
  key: Authenticator,
  browser: TestBrowser,
  { after_password = false, ...change }: Use = {},
) {
  const { body } = await browser.post("/api/token/passkey/options/", { after_password });
  const credential = key.get({ challenge: body.challenge, ...change });
  return browser.post("/api/token/passkey/", { credential, after_password });
}

async function mails(): Promise<readonly string[]> {
  const rows = await service.platform.db
    .selectFrom("notices")
    .select("kind")
    .where("user_id", "=", member.id)
    .where("kind", "=", "factors_changed")
    .orderBy("created_at")
    .execute();
  return rows.map(({ kind }) => kind);
}

describe("an authentication application", () => {
  test("becomes a factor with its first right code, which gives eight recovery codes once", async () => {
    const setup = await mine.post(`${FACTORS}totp/setup/`);
    expect(setup.body.uri).toMatch(/^otpauth:\/\/totp\/Paraphe:.+secret=[A-Z2-7]{32}/);
    expect((await mine.get(FACTORS)).body.totp).toBeNull();
    const wrong = await mine.post(`${FACTORS}totp/`, { code: "000000" });
    expect(refusal(wrong)).toEqual([400, "second_factor_wrong"]);
    expect(wrong.body.detail).toBe("Code incorrect. Attendez le code suivant, puis réessayez.");
    const right = await mine.post(`${FACTORS}totp/`, { code: codeOf(setup.body.secret) });
    expect(right.body.recovery_codes).toHaveLength(8);
    expect(right.headers["cache-control"]).toBe("no-store");
    const again = await mine.post(`${FACTORS}totp/`, { code: codeOf(setup.body.secret) });
    expect(refusal(again)).toEqual([409, "factor_setup_expired"]);
    expect((await mine.get(FACTORS)).body).toMatchObject({
      passkeys: [],
      totp: { created_at: expect.any(String) },
      recovery_codes: { left: 8, total: 8 },
    });
    expect(await mails()).toEqual(["factors_changed"]);
  });

  test("an addition expires after ten minutes, and belongs to its session", async () => {
    const other = await signIn(service, member);
    const { body } = await mine.post(`${FACTORS}totp/setup/`);
    expect(refusal(await other.post(`${FACTORS}totp/`, { code: codeOf(body.secret) }))).toEqual([
      409,
      "factor_setup_expired",
    ]);
    service.platform.clock.advance({ minutes: 10 });
    expect(refusal(await mine.post(`${FACTORS}totp/`, { code: codeOf(body.secret) }))).toEqual([
      409,
      "factor_setup_expired",
    ]);
  });

  test("replacing it keeps the recovery codes, and the former secret opens nothing", async () => {
    await activate();
    const former = secret;
    expect(await activate()).toEqual([]);
    const { browser } = await startLogin();
    expect(refusal(await browser.post("/api/token/totp/", { code: codeOf(former) }))).toEqual([
      400,
      "second_factor_wrong",
    ]);
    expect((await browser.post("/api/token/totp/", { code: codeOf(secret) })).status).toBe(200);
  });

  test("its secret is stored encrypted, the recovery codes hashed", async () => {
    const codes = await activate();
    const { db } = service.platform;
    const { secret_wrapped } = await db
      .selectFrom("totp_factors")
      .select("secret_wrapped")
      .where("user_id", "=", member.id)
      .executeTakeFirstOrThrow();
    const plain = Buffer.from(Secret.fromBase32(secret).bytes);
    expect(Buffer.from(secret_wrapped).includes(plain)).toBe(false);
    const stored = await db
      .selectFrom("recovery_codes")
      .select("code_hmac")
      .where("user_id", "=", member.id)
      .execute();
    expect(stored.every(({ code_hmac }) => code_hmac.length === 32)).toBe(true);
    const text = stored.map(({ code_hmac }) => Buffer.from(code_hmac).toString("latin1")).join();
    for (const code of codes) expect(text).not.toContain(code.replace("-", ""));
  });
});

describe("a login with a second factor", () => {
  test("the right password opens no session, and says which factors there are", async () => {
    await activate();
    const { browser, answer } = await startLogin();
    expect(refusal(answer)).toEqual([403, "second_factor_required"]);
    expect(answer.body).toMatchObject({
      methods: ["totp", "recovery_code"],
      recovery_codes_left: 8,
    });
    expect(browser.cookies.has("__Host-access_token")).toBe(false);
    expect(browser.cookies.get("__Host-login_step")?.line).toMatch(
      /Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.post("/api/token/totp/", { code: codeOf(secret) })).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    expect(browser.cookies.has("__Host-login_step")).toBe(false);
  });

  test("a wrong password gets the answer of an unknown name", async () => {
    await activate();
    const wrong = (await startLogin(member, "mauvais mot")).answer;
    const unknown = (await startLogin({ ...member, username: "personne" }, "mauvais mot")).answer;
    expect(refusal(wrong)).toEqual([401, "invalid_credentials"]);
    const comparable = ({ request_id: _own, ...body }: Record<string, unknown>) => body;
    expect(comparable(wrong.body)).toEqual(comparable(unknown.body));
    expect(wrong.headers["set-cookie"]).toEqual(unknown.headers["set-cookie"]);
  });

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])("a code %i steps away from the clock is accepted: %s", async (steps, accepted) => {
    await activate();
    service.platform.clock.advance({ seconds: 150 });
    const { browser } = await startLogin();
    const answer = await browser.post("/api/token/totp/", { code: codeOf(secret, steps) });
    expect(answer.status).toBe(accepted ? 200 : 400);
  });

  test("a code is used once, also by two logins at the same time", async () => {
    await activate();
    const logins = await Promise.all([startLogin(), startLogin()]);
    const code = codeOf(secret);
    const answers = await Promise.all(
      logins.map(({ browser }) => browser.post("/api/token/totp/", { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const { browser } = await startLogin();
    expect(refusal(await browser.post("/api/token/totp/", { code: codeOf(secret, -1) }))).toEqual([
      400,
      "second_factor_wrong",
    ]);
  });

  test("after five wrong codes the right one waits fifteen minutes, in another login too", async () => {
    await activate();
    const { browser } = await startLogin();
    for (let tried = 0; tried < 5; tried += 1)
      expect((await browser.post("/api/token/totp/", { code: "000000" })).status).toBe(400);
    const sixth = await (await startLogin()).browser.post("/api/token/totp/", {
      code: codeOf(secret),
    });
    expect(refusal(sixth)).toEqual([429, "too_many_attempts"]);
    expect(sixth.body.detail).toBe("Trop d’essais. Réessayez dans 15 minutes.");
    expect(sixth.headers["retry-after"]).toBe("900");
    service.platform.clock.advance({ minutes: 15 });
    const late = await (await startLogin()).browser.post("/api/token/totp/", {
      code: codeOf(secret),
    });
    expect(late.status).toBe(200);
  });

  test("parallel wrong codes do not exceed the five", async () => {
    await activate();
    const { browser } = await startLogin();
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => browser.post("/api/token/totp/", { code: "000000" })),
    );
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  test("the step expires after ten minutes, and is bound to its browser", async () => {
    await activate();
    const { browser } = await startLogin();
    const other = openBrowser(service.app);
    const stolen = await other.post("/api/token/totp/", { code: codeOf(secret) });
    expect(refusal(stolen)).toEqual([403, "login_step_expired"]);
    service.platform.clock.advance({ minutes: 10 });
    const late = await browser.post("/api/token/totp/", { code: codeOf(secret) });
    expect(refusal(late)).toEqual([403, "login_step_expired"]);
  });

  test("a new password ends the steps that the former one opened", async () => {
    await activate();
    const { browser } = await startLogin();
    await mine.post("/api/signature/me/password/", {
      old_password: MEMBER_PASSWORD,
      new_password: "encre violette 48",
    });
    const answer = await browser.post("/api/token/totp/", { code: codeOf(secret) });
    expect(refusal(answer)).toEqual([403, "login_step_expired"]);
    const next = (await startLogin(member, "encre violette 48")).answer;
    expect(refusal(next)).toEqual([403, "second_factor_required"]);
  });

  test("« Rester connecté » chosen in the first step applies after the second", async () => {
    await activate();
    const browser = openBrowser(service.app);
    await browser.post("/api/token/", {
      username: member.username,
      password: MEMBER_PASSWORD,
      remember_me: true,
    });
    await browser.post("/api/token/totp/", { code: codeOf(secret) });
    expect(browser.cookies.get("__Host-refresh_token")?.line).toContain("Max-Age=2592000");
  });

  test.each([{}, { code: 123_456 }, { code: "12345" }, { code: ["123456"] }, { code: "١٢٣٤٥٦" }])(
    "%j is no code of an application",
    async (body) => {
      await activate();
      const { browser } = await startLogin();
      expect(refusal(await browser.post("/api/token/totp/", body))).toEqual([400, "validation"]);
    },
  );
});

describe("recovery codes", () => {
  test("each opens one session, whatever its case and dash, and says how many are left", async () => {
    const [code = ""] = await activate();
    const typed = code.toLowerCase().replace("-", " ");
    const first = await (await startLogin()).browser.post("/api/token/recovery-code/", {
      code: typed,
    });
    expect(first.status).toBe(200);
    expect(first.body.recovery_codes_left).toBe(7);
    const mails = await mailFor(service.platform, member.email);
    expect(mails.map(({ subject }) => subject)).toContain("Connexion par un code de secours");
    const { browser, answer } = await startLogin();
    expect(answer.body.recovery_codes_left).toBe(7);
    const again = await browser.post("/api/token/recovery-code/", { code });
    expect(refusal(again)).toEqual([400, "recovery_code_wrong"]);
  });

  test("one code used twice in parallel opens one session", async () => {
    const [code = ""] = await activate();
    const logins = await Promise.all([startLogin(), startLogin(), startLogin()]);
    const answers = await Promise.all(
      logins.map(({ browser }) => browser.post("/api/token/recovery-code/", { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  test("a try that starts while another succeeds is counted anew", async () => {
    const tries = { key: "second-factor:race", now: service.platform.clock() };
    const { db } = service.platform;
    await db.transaction().execute((trx) => lockFailures(trx, tries));
    const forgotten = Promise.withResolvers<void>();
    const second = db.transaction().execute(async (trx) => {
      await forgotten.promise;
      return lockFailures(trx, tries);
    });
    await db.transaction().execute(async (trx) => {
      await forgetFailures(trx, tries.key);
      forgotten.resolve();
      await setTimeout(200);
    });
    expect((await second).failures).toBe(0);
  });

  test("another account's code is wrong", async () => {
    const [code = ""] = await activate();
    const zoe = await createMember(service.platform);
    await activate(await signIn(service, zoe));
    const { browser } = await startLogin(zoe);
    const answer = await browser.post("/api/token/recovery-code/", { code });
    expect(refusal(answer)).toEqual([400, "recovery_code_wrong"]);
  });

  test("new codes replace the former ones", async () => {
    const [former = ""] = await activate();
    const renewed = await mine.post(`${FACTORS}recovery-codes/`);
    expect(renewed.body.recovery_codes).toHaveLength(8);
    const { browser } = await startLogin();
    const refused = await browser.post("/api/token/recovery-code/", { code: former });
    expect(refused.status).toBe(400);
    const [code] = renewed.body.recovery_codes;
    expect((await browser.post("/api/token/recovery-code/", { code })).status).toBe(200);
  });

  test("an account without a factor has none to renew", async () => {
    expect(refusal(await mine.post(`${FACTORS}recovery-codes/`))).toEqual([404, "not_found"]);
  });

  test("wrong recovery codes and wrong application codes count together", async () => {
    await activate();
    const { browser } = await startLogin();
    for (const code of ["000000", "000001", "000002"])
      await browser.post("/api/token/totp/", { code });
    for (const code of ["AAAA-AAAA", "AAAA-AAAB"])
      await browser.post("/api/token/recovery-code/", { code });
    const sixth = await browser.post("/api/token/recovery-code/", { code: "AAAA-AAAC" });
    expect(refusal(sixth)).toEqual([429, "too_many_attempts"]);
  });
});

describe("passkeys", () => {
  let key: Authenticator;
  let codes: readonly string[];
  beforeEach(async () => {
    key = newKey();
    codes = await addKey(key);
  });

  test("the first passkey gives eight recovery codes, the second none", async () => {
    expect(codes).toHaveLength(8);
    expect(await addKey(newKey())).toEqual([]);
  });

  test("a passkey signs in without name or password", async () => {
    const browser = openBrowser(service.app);
    const answer = await useKey(key, browser);
    expect(answer.status).toBe(200);
    expect(answer.body.user.username).toBe(member.username);
    expect(await isSignedIn(browser)).toBe(true);
    const { passkeys } = (await mine.get(FACTORS)).body;
    expect(passkeys).toEqual([
      {
        id: expect.any(String),
        name: "YubiKey du bureau",
        created_at: expect.any(String),
        last_used_at: service.platform.clock().toISOString(),
      },
    ]);
  });

  test("after the password, the passkey is the second step", async () => {
    const { browser, answer } = await startLogin();
    expect(answer.body.methods).toEqual(["passkey", "recovery_code"]);
    const options = await browser.post("/api/token/passkey/options/", SECOND);
    expect(options.body.allowCredentials).toMatchObject([{ id: key.id }]);
    const credential = key.get({ challenge: options.body.challenge });
    expect((await browser.post("/api/token/passkey/", { credential, ...SECOND })).status).toBe(200);
  });

  test("the options name no account, and ask for the user's verification", async () => {
    const { body } = await openBrowser(service.app).post("/api/token/passkey/options/", FIRST);
    expect(body).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(body.allowCredentials ?? []).toEqual([]);
    const creation = (await mine.post(`${FACTORS}passkeys/options/`)).body;
    expect(creation.excludeCredentials).toMatchObject([{ id: key.id }]);
    const handle = Buffer.from(creation.user.id, "base64url");
    expect(handle).toHaveLength(32);
    expect(handle.toString("latin1")).not.toContain(member.username);
  });

  test.each([
    ["another origin", { origin: "https://localhost.exemple.fr" }],
    ["another relying party", { host: "exemple.fr" }],
    ["no verification of the user", { verified: false }],
    ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["another account's handle", { userHandle: Buffer.alloc(32).toString("base64url") }],
  ])("an assertion with %s is refused", async (_what, change) => {
    const browser = openBrowser(service.app);
    expect(refusal(await useKey(key, browser, change))).toEqual([400, "passkey_refused"]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("an unknown key gets the same refusal", async () => {
    const answer = await useKey(newKey(), openBrowser(service.app));
    expect(refusal(answer)).toEqual([400, "passkey_refused"]);
  });

  test("a challenge is used once, by a wrong try too", async () => {
    const browser = openBrowser(service.app);
    const { body } = await browser.post("/api/token/passkey/options/", FIRST);
    const credential = key.get({ challenge: body.challenge });
    const both = await Promise.all([
      browser.post("/api/token/passkey/", { credential, ...FIRST }),
      browser.post("/api/token/passkey/", { credential, ...FIRST }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    const replayed = await browser.post("/api/token/passkey/", { credential, ...FIRST });
    expect(refusal(replayed)).toEqual([403, "login_step_expired"]);
  });

  test("a challenge expires after ten minutes, and serves its browser alone", async () => {
    const browser = openBrowser(service.app);
    const { body } = await browser.post("/api/token/passkey/options/", FIRST);
    const other = openBrowser(service.app);
    await other.post("/api/token/passkey/options/", FIRST);
    const credential = key.get({ challenge: body.challenge });
    expect(refusal(await other.post("/api/token/passkey/", { credential, ...FIRST }))).toEqual([
      400,
      "passkey_refused",
    ]);
    service.platform.clock.advance({ minutes: 10 });
    expect(refusal(await browser.post("/api/token/passkey/", { credential, ...FIRST }))).toEqual([
      403,
      "login_step_expired",
    ]);
  });

  test("another account's passkey does not finish this account's login", async () => {
    const zoe = await createMember(service.platform);
    const hers = newKey();
    await addKey(hers, await signIn(service, zoe));
    const { browser } = await startLogin();
    expect(refusal(await useKey(hers, browser, SECOND))).toEqual([400, "passkey_refused"]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("a key whose counter did not grow is a clone, and is refused", async () => {
    key.counter = 40;
    expect((await useKey(key, openBrowser(service.app))).status).toBe(200);
    for (const counter of [40, 12, 0]) {
      key.counter = counter - 1;
      const clone = await useKey({ ...key, get: key.get }, openBrowser(service.app));
      expect(refusal(clone)).toEqual([400, "passkey_refused"]);
    }
  });

  test("a signature by another key under this key's id is refused", async () => {
    const forger = newKey();
    const browser = openBrowser(service.app);
    const { body } = await browser.post("/api/token/passkey/options/", FIRST);
    const forged = { ...forger.get({ challenge: body.challenge }), id: key.id, rawId: key.id };
    const answer = await browser.post("/api/token/passkey/", { credential: forged, ...FIRST });
    expect(refusal(answer)).toEqual([400, "passkey_refused"]);
  });

  test("one credential belongs to one account", async () => {
    const zoe = await signIn(service, await createMember(service.platform));
    const { body } = await zoe.post(`${FACTORS}passkeys/options/`);
    const credential = key.create({ challenge: body.challenge });
    const answer = await zoe.post(`${FACTORS}passkeys/`, { name: "Volée", credential });
    expect(refusal(answer)).toEqual([409, "passkey_known"]);
  });

  test.each([
    ["another origin", { origin: "https://exemple.fr" }],
    ["another relying party", { host: "exemple.fr" }],
    ["no verification of the user", { verified: false }],
    ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
  ])("a new passkey with %s is refused", async (_what, change) => {
    const { body } = await mine.post(`${FACTORS}passkeys/options/`);
    const credential = newKey().create({ challenge: body.challenge, ...change });
    const answer = await mine.post(`${FACTORS}passkeys/`, { name: "Clé", credential });
    expect(refusal(answer)).toEqual([400, "passkey_refused"]);
    const again = await mine.post(`${FACTORS}passkeys/`, { name: "Clé", credential });
    expect(refusal(again)).toEqual([409, "factor_setup_expired"]);
  });

  test("a twenty-first passkey is refused", async () => {
    const { db } = service.platform;
    const row = await db
      .selectFrom("passkeys")
      .selectAll()
      .where("user_id", "=", member.id)
      .executeTakeFirstOrThrow();
    await db
      .insertInto("passkeys")
      .values(
        Array.from({ length: 19 }, (_, index) => ({
          ...row,
          id: service.platform.newId(),
          credential_id: `${member.id}-${index}`,
        })),
      )
      .execute();
    expect(refusal(await mine.post(`${FACTORS}passkeys/options/`))).toEqual([
      409,
      "too_many_passkeys",
    ]);
  });

  test("a removed passkey opens nothing, and the last factor takes the recovery codes along", async () => {
    const { passkeys } = (await mine.get(FACTORS)).body;
    const removed = await mine.send("DELETE", `${FACTORS}passkeys/${passkeys[0].id}/`);
    expect(removed.status).toBe(204);
    expect((await mine.get(FACTORS)).body).toEqual({
      passkeys: [],
      totp: null,
      recovery_codes: { left: 0, total: 0 },
    });
    expect(refusal(await useKey(key, openBrowser(service.app)))).toEqual([400, "passkey_refused"]);
    expect((await startLogin()).answer.status).toBe(200);
    expect(await mails()).toEqual(["factors_changed", "factors_changed"]);
  });
});

describe("a change of factors", () => {
  test("a change of factors needs a sign-in within the last ten minutes", async () => {
    await activate();
    await addKey(newKey());
    const { passkeys } = (await mine.get(FACTORS)).body;
    service.platform.clock.advance({ minutes: 10 });
    const answers = [
      await mine.post(`${FACTORS}totp/setup/`),
      await mine.send("DELETE", `${FACTORS}totp/`),
      await mine.post(`${FACTORS}passkeys/options/`),
      await mine.send("DELETE", `${FACTORS}passkeys/${passkeys[0].id}/`),
      await mine.post(`${FACTORS}recovery-codes/`),
    ];
    for (const answer of answers) expect(refusal(answer)).toEqual([403, "fresh_sign_in_required"]);
    expect((await mine.get(FACTORS)).body.passkeys).toHaveLength(1);
  });

  test("nobody reads, removes or replaces another's factors", async () => {
    await addKey(newKey());
    const { passkeys } = (await mine.get(FACTORS)).body;
    const zoe = await signIn(service, await createMember(service.platform));
    expect((await zoe.get(FACTORS)).body.passkeys).toEqual([]);
    const theft = await zoe.send("DELETE", `${FACTORS}passkeys/${passkeys[0].id}/`);
    expect(refusal(theft)).toEqual([404, "not_found"]);
    expect((await openBrowser(service.app).get(FACTORS)).status).toBe(401);
    expect((await mine.get(FACTORS)).body.passkeys).toHaveLength(1);
  });

  test("removing the application leaves the password alone to sign in", async () => {
    await activate();
    expect((await mine.send("DELETE", `${FACTORS}totp/`)).status).toBe(204);
    expect((await startLogin()).answer.status).toBe(200);
    const again = await mine.send("DELETE", `${FACTORS}totp/`);
    expect(refusal(again)).toEqual([404, "not_found"]);
  });
});

describe("an erased account", () => {
  test("an erased account has no factor left", async () => {
    await activate();
    const key = newKey();
    await addKey(key);
    await startLogin();
    await mine.post(`${FACTORS}totp/setup/`);
    const sessions = (await mine.get("/api/signature/me/sessions/")).body.results;
    const current = sessions.find((session: { current: boolean }) => session.current);
    const erased = await mine.send("DELETE", "/api/signature/me/", {
      body: { password: MEMBER_PASSWORD },
    });
    expect(erased.status).toBe(204);
    const { db } = service.platform;
    for (const table of ["passkeys", "totp_factors", "recovery_codes", "login_steps"] as const) {
      const left = await db
        .selectFrom(table)
        .select("user_id")
        .where("user_id", "=", member.id)
        .execute();
      expect([table, left]).toEqual([table, []]);
    }
    expect(
      await db
        .selectFrom("factor_setups")
        .select("kind")
        .where("session_id", "=", current.id)
        .execute(),
    ).toEqual([]);
    expect(refusal(await useKey(key, openBrowser(service.app)))).toEqual([400, "passkey_refused"]);
  });
});
