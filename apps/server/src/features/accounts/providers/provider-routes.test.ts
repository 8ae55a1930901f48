import type { ProviderRequest } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuthenticator } from "../../../../testing/authenticator.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { TEST_CLIENT } from "../../../../testing/servers/identity-provider.ts";
import { type RealProvider, startRealProvider } from "../../../../testing/servers/real-provider.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";

/** The certified provider signs by the machine's clock. */
const service = useTestApp({ now: new Date() });
const PROVIDERS = "/api/organisation/providers/";
const OIDC = `${PROVIDERS}oidc/`;
let provider: RealProvider;
let administrator: TestBrowser;

beforeAll(async () => {
  provider = await startRealProvider(`${service.platform.settings.publicUrl}/auth/oidc/retour`);
  administrator = await signIn(service, await createMemberAs(service.platform, "administrator"));
});
beforeEach(async () => {
  await administrator.send("DELETE", OIDC);
});
afterAll(() => provider.close());

const stored = async () => (await administrator.get(PROVIDERS)).body.oidc;

async function save(change: Partial<ProviderRequest> = {}) {
  return administrator.send("PUT", OIDC, {
    body: {
      ...TEST_CLIENT,
      issuer: provider.issuer,
      label: "Compte du cabinet",
      domains: ["cabinet-aubry.fr"],
      arrival_role: "member",
      role_claim: "groups",
      is_only_way: false,
      version: (await stored())?.version ?? 0,
      ...change,
    },
  });
}

const finish = (browser: TestBrowser, returned: object) =>
  browser.post("/api/token/provider/return/", returned);

async function logInAs(account: string, browser = openBrowser(service.app)) {
  const { body } = await browser.post("/api/token/provider/", { provider: "oidc" });
  const location = new URL(body.location);
  return {
    browser,
    location,
    answer: await finish(browser, await provider.signIn(location.href, account)),
  };
}

async function tryLogin(account = "essai") {
  const started = await administrator.post(`${OIDC}trial/`);
  expect(started.status).toBe(200);
  return finish(administrator, await provider.signIn(started.body.location, account));
}

const withoutSecret = (change: Partial<ProviderRequest> = {}) =>
  save({ client_secret: undefined, ...change });

describe("with oidc-provider, a certified implementation", () => {
  test("a login by code with PKCE S256 makes a member with the role of the claim", async () => {
    await save();
    provider.people.set("agnes", {
      email: "agnes@cabinet-aubry.fr",
      email_verified: true,
      given_name: "Agnès",
      family_name: "Le Goff",
      groups: ["paraphe-reader"],
    });
    const { location, answer } = await logInAs("agnes");
    expect(location.searchParams.get("code_challenge_method")).toBe("S256");
    expect(answer.body.user).toMatchObject({
      username: "agnes",
      first_name: "Agnès",
      organisation_role: "reader",
      email_confirmed: false,
    });
  });

  test("somebody of another domain gets no account, nor learns who has one", async () => {
    await save();
    const member = await createMember(service.platform, { email: "louis@cabinet-aubry.fr" });
    provider.people.set("louis", { email: member.email });
    provider.people.set("zoe", { email: "zoe@ailleurs.fr" });
    for (const account of ["louis", "zoe"])
      expect(refusal((await logInAs(account)).answer)).toEqual([403, "provider_unlinked"]);
  });
});

describe("what an administrator sets up", () => {
  test("the secret is stored encrypted and never returned; an empty field leaves it", async () => {
    const saved = await save();
    expect(saved.status).toBe(200);
    expect(saved.body.addresses.oidc.return).toMatch(/^https:.*\/auth\/oidc\/retour$/);
    expect(saved.text).not.toContain(TEST_CLIENT.client_secret);
    const row = await service.platform.db
      .selectFrom("identity_providers")
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(Buffer.from(row.client_secret_wrapped).toString("latin1")).not.toContain("secret");
    expect((await withoutSecret({ label: "Autre texte" })).body.oidc.label).toBe("Autre texte");
    provider.people.set("rose", { email: "rose@cabinet-aubry.fr" });
    expect((await logInAs("rose")).answer.status).toBe(200);
  });

  test("a stored secret is not sent to another provider", async () => {
    await save();
    const refused = await withoutSecret({ issuer: "https://ailleurs.exemple.fr" });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      { client_secret: ["Secret requis"] },
    ]);
  });

  test.each([
    ["an address without TLS", { issuer: "http://localhost/" }, "issuer"],
    ["an address with a query", { issuer: "https://localhost/?a=1" }, "issuer"],
    ["an address with a password", { issuer: "https://a:b@localhost/" }, "issuer"],
    ["no address", { issuer: "" }, "issuer"],
    ["no client", { client_id: "" }, "client_id"],
    ["a public mail domain", { domains: ["gmail.com"] }, "domains.0"],
    ["the only way of no domain", { domains: [], is_only_way: true }, "domains"],
  ])("%s is refused under its field", async (_what, change, field) => {
    const refused = await save(change);
    expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([400, [field]]);
  });

  test("of two administrators at once, the second learns that it changed", async () => {
    await save();
    const { version } = await stored();
    const answers = await Promise.all([save({ version }), save({ version })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

describe("a trial", () => {
  test("says whom the provider vouched for, and opens no session", async () => {
    await save();
    provider.people.set("essai", { email: "essai@cabinet-aubry.fr", given_name: "Rose" });
    const before = await administrator.get("/api/signature/me/sessions/");
    const { body } = await tryLogin();
    expect(body).toEqual({
      trial: {
        provider: new URL(provider.issuer).host,
        full_name: "Rose",
        email: "essai@cabinet-aubry.fr",
        siret: null,
      },
    });
    expect((await administrator.get("/api/signature/me/sessions/")).body.results).toHaveLength(
      before.body.results.length,
    );
    expect((await stored()).tested_at).not.toBeNull();
  });

  test("with a wrong secret quotes the provider’s code, and proves nothing", async () => {
    await save({ client_secret: "un autre secret" });
    const answer = await tryLogin();
    expect(refusal(answer)).toEqual([400, "provider_refused"]);
    expect(answer.body.detail).toMatch(
      /^Le fournisseur localhost:\d+ a répondu «\u00a0invalid_client\u00a0»\. Vérifiez l’identifiant et le secret\./,
    );
    expect((await stored()).tested_at).toBeNull();
  });

  test("of another secret or client is to be done again", async () => {
    await save();
    await tryLogin();
    expect((await withoutSecret({ label: "Cabinet" })).body.oidc.tested_at).not.toBeNull();
    expect((await save()).body.oidc.tested_at).toBeNull();
  });

  test("comes before the only way to sign in", async () => {
    await save();
    expect(refusal(await withoutSecret({ is_only_way: true }))).toEqual([409, "provider_untested"]);
    await tryLogin();
    expect((await withoutSecret({ is_only_way: true })).body.oidc.is_only_way).toBe(true);
  });

  test("at an address that is not the provider’s is refused, and nothing private is called", async () => {
    await save({ issuer: `${provider.issuer}/ailleurs` });
    const answer = await administrator.post(`${OIDC}trial/`);
    expect(refusal(answer)).toEqual([400, "provider_refused"]);
    expect(answer.body.detail).toContain("HTTP 404");
    expect((await stored()).trial_failure.sentence).toBe(answer.body.detail);
    const tryAway = async (issuer: string) => {
      await save({ issuer });
      expect((await stored()).trial_failure).toBeNull();
      const away = await administrator.post(`${OIDC}trial/`);
      expect(refusal(away)).toEqual([503, "provider_unavailable"]);
      expect((await stored()).trial_failure.sentence).toBe(away.body.detail);
      return away.body.detail;
    };
    expect(await tryAway("https://10.0.0.1")).toContain("n’appelle pas les adresses privées");
    expect(await tryAway("https://localhost:1")).toContain("la connexion est refusée");
    await save();
    await tryLogin();
    expect(await stored()).toMatchObject({ trial_failure: null, version: expect.any(Number) });
  });

  test("saved or removed, it is in the organisation's journal, without the secret", async () => {
    await save({ issuer: `${provider.issuer}/.well-known/openid-configuration` });
    expect((await stored()).issuer).toBe(provider.issuer);
    await administrator.send("DELETE", OIDC);
    const { text } = await administrator.get("/api/organisation/journal/");
    const { host } = new URL(provider.issuer);
    expect(text).toContain(`Connexion par «\u00a0Compte du cabinet\u00a0» (${host}) enregistrée`);
    expect(text).toContain("Connexion par «\u00a0Compte du cabinet\u00a0» retirée");
    expect(text).not.toContain(TEST_CLIENT.client_secret);
  });
});

describe("the only way to sign in", () => {
  const password = (username: string, browser = openBrowser(service.app)) =>
    browser.post("/api/token/", { username, password: MEMBER_PASSWORD });

  beforeEach(async () => {
    await save();
    await tryLogin();
    await withoutSecret({ is_only_way: true });
  });

  test("a right password of the provider's domains is refused with the button's name; others sign in", async () => {
    const member = await createMember(service.platform, { email: "paul@cabinet-aubry.fr" });
    const refused = await password(member.username);
    expect(refusal(refused)).toEqual([403, "provider_required"]);
    expect(refused.body.detail).toContain("«\u00a0Compte du cabinet\u00a0»");
    expect((await password((await createMember(service.platform)).username)).status).toBe(200);
  });

  test("whoever comes from the provider signs in once more, and is linked", async () => {
    const member = await createMember(service.platform, { email: "marc@cabinet-aubry.fr" });
    provider.people.set("marc", { email: member.email });
    const { browser, answer } = await logInAs("marc");
    expect(refusal(answer)).toEqual([403, "provider_unlinked"]);
    expect((await password(member.username, browser)).status).toBe(200);
    expect((await browser.post("/api/signature/me/provider-link/")).body.linked).toBe(true);
    expect((await logInAs("marc")).answer.body.user.id).toBe(member.id);
  });

  test("an owner’s passkey opens while the provider is away, a member’s does not", async () => {
    for (const [role, status] of [
      ["owner", 200],
      ["member", 403],
    ] as const) {
      await administrator.send("DELETE", OIDC);
      const member = await createMemberAs(service.platform, role);
      const email = `${role}@cabinet-aubry.fr`;
      await service.platform.db
        .updateTable("users")
        .set({ email, email_key: email })
        .where("id", "=", member.id)
        .execute();
      const browser = await signIn(service, member);
      const key = createAuthenticator(service.platform.settings.publicUrl);
      const add = "/api/signature/me/factors/passkeys/";
      const { challenge } = (await browser.post(`${add}options/`)).body;
      await browser.post(add, { name: "Clé", credential: key.create({ challenge }) });
      await save();
      await tryLogin();
      await withoutSecret({ is_only_way: true });
      const other = openBrowser(service.app);
      const asked = await other.post("/api/token/passkey/options/", { after_password: false });
      const credential = key.get({ challenge: asked.body.challenge });
      const answer = await other.post("/api/token/passkey/", { credential, after_password: false });
      expect([role, answer.status]).toEqual([role, status]);
    }
  });
});
