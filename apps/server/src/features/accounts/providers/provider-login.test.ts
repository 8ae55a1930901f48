import { Readable } from "node:stream";
import type { ProviderKind, ProviderRequest } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseCertificate } from "@paraphe/pades";
import { multipart, openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import {
  startTestProvider,
  TEST_CLIENT,
  type TestPerson,
  type TestProvider,
} from "../../../../testing/servers/identity-provider.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { closeAccount } from "../administration.ts";

const service = useTestApp();
const PROVIDERS = "/api/organisation/providers/";
let provider: TestProvider;
let administrator: TestBrowser;

beforeAll(async () => {
  provider = await startTestProvider(() => service.platform.clock());
});
beforeEach(async () => {
  administrator = await signIn(service, await createMemberAs(service.platform, "administrator"));
  provider.fault = undefined;
  provider.asked.length = 0;
  const { status } = await setUp("proconnect");
  if (status !== 200) throw new Error(`the provider is not set up: ${status}`);
});
afterAll(() => provider.close());

async function setUp(kind: ProviderKind, change: Partial<ProviderRequest> = {}) {
  const before = (await administrator.get(PROVIDERS)).body[kind];
  return administrator.send("PUT", `${PROVIDERS}${kind}/`, {
    body: {
      ...TEST_CLIENT,
      issuer: provider.issuer,
      label: "ProConnect",
      domains: ["mairie.fr"],
      arrival_role: "member",
      role_claim: null,
      is_only_way: false,
      version: before?.version ?? 0,
      ...change,
    },
  });
}

let count = 0;
const person = (change: Record<string, unknown> = {}): TestPerson => {
  count += 1;
  return {
    sub: `sub-${count}`,
    email: `agnes.${count}@mairie.fr`,
    given_name: "Agnès",
    usual_name: "Le Goff",
    siret: "73282932000074",
    ...change,
  };
};

async function start(browser: TestBrowser, kind: ProviderKind = "proconnect"): Promise<string> {
  const answer = await browser.post("/api/token/provider/", { provider: kind });
  expect(answer.status).toBe(200);
  return answer.body.location;
}

const finish = (browser: TestBrowser, returned: Record<string, unknown>) =>
  browser.post("/api/token/provider/return/", returned);

async function logInAs(who: TestPerson, browser = openBrowser(service.app)) {
  const returned = provider.signIn(await start(browser), who);
  return { browser, returned, answer: await finish(browser, returned) };
}

const isSignedIn = async (browser: TestBrowser) =>
  (await browser.get("/api/verify-token/")).status === 200;

describe("a login at a provider that answers as ProConnect does", () => {
  test("asks with state and nonce of 32 characters, an acr and no PKCE, and opens a session", async () => {
    const who = person();
    const { browser, answer } = await logInAs(who);
    const asked = provider.asked[0] ?? new URLSearchParams();
    expect(asked.get("state")).toHaveLength(32);
    expect(asked.get("nonce")).toHaveLength(32);
    expect(asked.get("acr_values")).toBe("eidas1");
    expect(asked.get("scope")).toBe("openid given_name usual_name email siret");
    expect(asked.get("redirect_uri")).toMatch(/\/auth\/proconnect\/retour$/);
    expect(asked.has("code_challenge")).toBe(false);
    expect(answer.body.user).toMatchObject({
      email: who["email"],
      first_name: "Agnès",
      last_name: "Le Goff",
      email_confirmed: false,
      organisation_role: "member",
    });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("finds the same account again by issuer and subject, whatever the address is now", async () => {
    const who = person();
    const first = await logInAs(who);
    const again = await logInAs({ ...who, email: "autre@mairie.fr" });
    expect(again.answer.body.user.id).toBe(first.answer.body.user.id);
  });

  test("is offered on the login page only where it is set up", async () => {
    const rules = async () => (await openBrowser(service.app).get("/api/verify-token/")).body;
    expect((await rules()).providers).toEqual([{ kind: "proconnect", label: "ProConnect" }]);
    const removed = await administrator.send("DELETE", `${PROVIDERS}proconnect/`);
    expect(removed.body.proconnect).toBeNull();
    expect(await rules()).not.toHaveProperty("providers");
    expect(
      refusal(await openBrowser(service.app).post("/api/token/provider/", { provider: "oidc" })),
    ).toEqual([404, "not_found"]);
  });
});

describe("what a provider must not get away with", () => {
  test.each([
    ["a token of another provider", "other_issuer"],
    ["a token for another service", "other_audience"],
    ["an expired token", "expired"],
    ["a token with another nonce", "other_nonce"],
    ["a token without a signature (alg none)", "alg_none"],
    ["a token that a stranger signed", "stranger"],
    ["userinfo that a stranger signed", "userinfo_stranger"],
    ["userinfo for another service", "userinfo_audience"],
    ["userinfo of another person", "userinfo_other_person"],
    ["userinfo that is not signed", "userinfo_plain"],
  ] as const)("%s is refused in French, and opens nothing", async (_what, fault) => {
    provider.fault = fault;
    const { browser, answer } = await logInAs(person());
    expect(refusal(answer)).toEqual([400, "provider_token_refused"]);
    expect(answer.body.detail).toMatch(/^La réponse de localhost:\d+ n’a pas pu être vérifiée/);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("its own error is quoted", async () => {
    provider.fault = "invalid_client";
    const { answer } = await logInAs(person());
    expect(refusal(answer)).toEqual([400, "provider_refused"]);
    expect(answer.body.detail).toMatch(
      /^Le fournisseur localhost:\d+ a répondu «\u00a0invalid_client\u00a0»\./,
    );
    const browser = openBrowser(service.app);
    const state = new URL(await start(browser)).searchParams.get("state");
    const denied = await finish(browser, { state, error: "access_denied" });
    expect(denied.body.detail).toContain("«\u00a0access_denied\u00a0»");
  });

  test("away at the start or at the return, it changes nothing for open sessions", async () => {
    const { browser: open } = await logInAs(person());
    const late = openBrowser(service.app);
    const returned = provider.signIn(await start(late), person());
    provider.fault = "away";
    const answer = await finish(late, returned);
    expect(refusal(answer)).toEqual([503, "provider_unavailable"]);
    expect(answer.body.detail).toBe(
      "Le compte ProConnect ne répond pas. Vos sessions ouvertes ailleurs le restent.",
    );
    const refused = await openBrowser(service.app).post("/api/token/provider/", {
      provider: "proconnect",
    });
    expect(refusal(refused)).toEqual([503, "provider_unavailable"]);
    expect(await isSignedIn(open)).toBe(true);
  });
});

describe("a return that is no answer to this browser", () => {
  const EXPIRED = [403, "provider_login_expired"] as const;

  test("without state, with an unknown one, or twice, it is refused", async () => {
    const { browser, returned, answer } = await logInAs(person());
    expect(answer.status).toBe(200);
    for (const again of [returned, { code: returned["code"] }, { ...returned, state: "x" }, {}])
      expect(refusal(await finish(browser, again))).toEqual(EXPIRED);
  });

  test("in another browser, or after ten minutes, it is refused", async () => {
    const browser = openBrowser(service.app);
    const returned = provider.signIn(await start(browser), person());
    const other = openBrowser(service.app);
    await start(other);
    expect(refusal(await finish(other, returned))).toEqual(EXPIRED);
    service.platform.clock.advance({ minutes: 11 });
    expect(refusal(await finish(browser, returned))).toEqual(EXPIRED);
  });

  test("a code that was already used is refused by the provider", async () => {
    const browser = openBrowser(service.app);
    const { code } = (await logInAs(person(), browser)).returned;
    const state = new URL(await start(browser)).searchParams.get("state");
    const answer = await finish(browser, { state, code });
    expect(refusal(answer)).toEqual([400, "provider_refused"]);
    expect(answer.body.detail).toContain("invalid_grant");
  });
});

describe("an account that exists", () => {
  test("is never taken by its address: its owner signs in once, and is linked", async () => {
    const member = await createMember(service.platform, { email: `louis.${count}@mairie.fr` });
    const who = person({ email: member.email });
    const { browser, answer } = await logInAs(who);
    expect(refusal(answer)).toEqual([403, "provider_unlinked"]);
    expect(answer.body.detail).toContain(member.email);
    await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
    const link = () => browser.post("/api/signature/me/provider-link/");
    expect((await link()).body).toEqual({ linked: true });
    expect((await link()).body).toEqual({ linked: false });
    expect((await logInAs(who)).answer.body.user.id).toBe(member.id);
  });

  test("is not linked once it closes while the request comes in", async () => {
    const { platform } = service;
    const member = await createMember(platform, { email: `parti.${count}@mairie.fr` });
    const { browser } = await logInAs(person({ email: member.email }));
    await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
    async function* closing() {
      await inTransaction(platform.db, (trx) =>
        closeAccount(trx, platform, { userId: member.id, keepsEvidence: false }),
      );
      yield "{}";
    }
    const answer = await browser.send("POST", "/api/signature/me/provider-link/", {
      body: Readable.from(closing()),
      headers: { "content-type": "application/json" },
    });
    expect(answer.body).toEqual({ linked: false });
    const kept = platform.db
      .selectFrom("provider_identities")
      .select("subject")
      .where("user_id", "=", member.id);
    expect(await kept.execute()).toEqual([]);
  });

  test("of another address is not linked, though it signs in in the same browser", async () => {
    const member = await createMember(service.platform);
    const who = person({ email: "ailleurs@exemple.fr" });
    const { browser, answer } = await logInAs(who);
    expect(refusal(answer)).toEqual([403, "provider_unlinked"]);
    await browser.post("/api/token/", { username: member.username, password: MEMBER_PASSWORD });
    expect((await browser.post("/api/signature/me/provider-link/")).body).toEqual({
      linked: false,
    });
  });

  test("two people with one address: the second gets neither the account nor another", async () => {
    const first = person();
    const { answer } = await logInAs(first);
    const second = await logInAs(person({ email: first["email"] }));
    expect(refusal(second.answer)).toEqual([403, "provider_unlinked"]);
    expect(await isSignedIn(second.browser)).toBe(false);
    expect((await logInAs(first)).answer.body.user.id).toBe(answer.body.user.id);
  });

  test("an address that the provider calls unverified, or none, makes no account", async () => {
    for (const change of [{ email_verified: false }, { email: undefined }, { email: "rien" }])
      expect(refusal((await logInAs(person(change))).answer)).toEqual([
        400,
        "provider_without_address",
      ]);
  });

  test("made by a provider has no password to guess", async () => {
    const who = person();
    await logInAs(who);
    for (const password of ["", " ", "motdepasse"])
      expect(
        (await openBrowser(service.app).post("/api/token/", { username: who["email"], password }))
          .status,
      ).toBeGreaterThanOrEqual(400);
  });
});

describe("what the provider vouched for", () => {
  test("is in the journal and the certificate of a signature, apart from a confirmed address", async () => {
    const who = person();
    const { browser } = await logInAs(who);
    const typed = { kind: "typed", text: "Agnès Le Goff", font: "caveat" };
    const form = multipart({ signature: JSON.stringify(typed) }, [
      { field: "file", name: "Note.pdf", type: "application/pdf", bytes: makePdf() },
    ]);
    const own = await browser.send("POST", "/api/signature/self-sign/", form);
    expect(own.status, own.text).toBe(201);
    const { db } = service.platform;
    const { detail } = await db
      .selectFrom("audit_events")
      .select("detail")
      .where("envelope_id", "=", own.body.id)
      .where("action", "=", "consent_given")
      .executeTakeFirstOrThrow();
    expect(detail).toMatchObject({
      account_address: "unconfirmed",
      vouched_by: new URL(provider.issuer).host,
      vouched: ["name", "email"],
      vouched_siret: "73282932000074",
    });
    const { certificate_der } = await db
      .selectFrom("certificates")
      .select("certificate_der")
      .where("subject", "=", "Agnès Le Goff")
      .executeTakeFirstOrThrow();
    const certificate = parseCertificate(new Uint8Array(certificate_der));
    expect([certificate.policyOids, certificate.emails]).toEqual([["2.25.1348563553.1.2"], []]);
  });
});

describe("roles", () => {
  test("a removed member’s account stays closed, and gets no role again", async () => {
    await setUp("proconnect", { role_claim: "groups", arrival_role: "reader" });
    const { db, clock } = service.platform;
    const asked = { ...person(), groups: ["paraphe-administrator"] };
    const { id } = (await logInAs(asked)).answer.body.user;
    // The row is as a removal leaves it.
    await db.updateTable("users").set({ deactivated_at: clock() }).where("id", "=", id).execute();
    await db.deleteFrom("organisation_members").where("user_id", "=", id).execute();
    const { answer } = await logInAs(asked);
    expect([answer.status, answer.body.code]).toEqual([403, "provider_unlinked"]);
    const again = db.selectFrom("organisation_members").select("role").where("user_id", "=", id);
    expect(await again.execute()).toEqual([]);
  });

  test("a claim sets the role at each login, never an owner’s", async () => {
    await setUp("proconnect", { role_claim: "groups", arrival_role: "reader" });
    const who = person();
    const roleAfter = async (groups: unknown) =>
      (await logInAs({ ...who, groups })).answer.body.user.organisation_role;
    expect(await roleAfter(["/paraphe/paraphe-administrator"])).toBe("administrator");
    expect(await roleAfter("paraphe-member")).toBe("member");
    expect(await roleAfter(["paraphe-owner", "autre"])).toBe("reader");
    await service.platform.db
      .updateTable("organisation_members")
      .set({ role: "owner" })
      .where("role", "=", "reader")
      .execute();
    expect(await roleAfter(["paraphe-member"])).toBe("owner");
  });
});

describe("sessions end with the provider’s", () => {
  const EVENT = { events: { "http://schemas.openid.net/event/backchannel-logout": {} } };
  const report = (logout_token: string, kind = "proconnect") =>
    service.app.inject({
      method: "POST",
      url: `/auth/${kind}/deconnexion`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ logout_token }).toString(),
    });

  test("a logout token ends the sessions of its person, and of nobody else", async () => {
    const who = person();
    const [mine, other] = [(await logInAs(who)).browser, (await logInAs(person())).browser];
    const token = await provider.logoutToken({ sub: who.sub, ...EVENT });
    const answer = await report(token);
    expect([answer.statusCode, answer.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(await isSignedIn(mine)).toBe(false);
    expect(await isSignedIn(other)).toBe(true);
  });

  test("a token of a session ends that one alone", async () => {
    const who = person();
    const { browser } = await logInAs(who);
    expect(
      (await report(await provider.logoutToken({ sid: "une autre", ...EVENT }))).statusCode,
    ).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    await report(await provider.logoutToken({ sid: `sid-${who.sub}`, ...EVENT }));
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each([
    ["a stranger’s", { ...EVENT }, "stranger"],
    ["one without the event", {}, "provider"],
    ["one with a nonce", { ...EVENT, nonce: "x" }, "provider"],
    ["one of another issuer", { ...EVENT, iss: "https://ailleurs.fr" }, "provider"],
    ["one for another service", { ...EVENT, aud: "autre" }, "provider"],
    ["an expired one", { ...EVENT, exp: 1_000 }, "provider"],
  ] as const)("%s is refused and ends nothing", async (_what, claims, by) => {
    const who = person();
    const { browser } = await logInAs(who);
    const answer = await report(await provider.logoutToken({ sub: who.sub, ...claims }, by));
    expect([answer.statusCode, answer.json().code]).toEqual([400, "provider_token_refused"]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("our logout leads to the provider’s, with the id token as its hint", async () => {
    const { browser } = await logInAs(person());
    const { body } = await browser.post("/api/logout/");
    const end = new URL(body.location);
    expect(`${end.origin}${end.pathname}`).toBe(`${provider.issuer}/session/end`);
    expect(end.searchParams.get("id_token_hint")?.split(".")).toHaveLength(3);
    expect(end.searchParams.get("post_logout_redirect_uri")).toMatch(/\/login$/);
    expect(end.searchParams.get("state")).toHaveLength(32);
    expect((await administrator.get("/api/verify-token/")).status).toBe(200);
    const own = await signIn(service, await createMember(service.platform));
    expect((await own.post("/api/logout/")).body).toEqual({});
  });
});
