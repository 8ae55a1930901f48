import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { TEST_CLIENT } from "../../../../testing/servers/identity-provider.ts";
import {
  missingKeycloak,
  startKeycloak,
  type TestKeycloak,
} from "../../../../testing/servers/keycloak/start-keycloak.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";

/** Keycloak signs by the machine's clock. */
const service = useTestApp({ now: new Date() });
const PERSON = { firstName: "Agnès", lastName: "Le Goff", groups: ["paraphe-reader"] };
let keycloak: TestKeycloak;
let administrator: TestBrowser;

describe.skipIf(missingKeycloak())("with Keycloak", () => {
  beforeAll(async () => {
    administrator = await signIn(service, await createMemberAs(service.platform, "administrator"));
    keycloak = await startKeycloak(`${service.platform.settings.publicUrl}/auth/oidc/retour`, [
      { ...PERSON, username: "agnes", email: "agnes@cabinet-aubry.fr" },
      { ...PERSON, username: "zoe", email: "zoe@ailleurs.fr", groups: [] },
    ]);
    await setUp();
  }, 300_000);
  afterAll(() => keycloak?.close());

  async function setUp(change: object = {}) {
    const path = "/api/organisation/providers/";
    const { oidc } = (await administrator.get(path)).body;
    const answer = await administrator.send("PUT", `${path}oidc/`, {
      body: {
        ...TEST_CLIENT,
        issuer: keycloak.issuer,
        label: "Compte du cabinet",
        domains: ["cabinet-aubry.fr"],
        arrival_role: "member",
        role_claim: "groups",
        is_only_way: false,
        version: oidc?.version ?? 0,
        ...change,
      },
    });
    expect(answer.status).toBe(200);
  }

  async function logInAs(username: string) {
    const browser = openBrowser(service.app);
    const { body } = await browser.post("/api/token/provider/", { provider: "oidc" });
    // The page sends on what it knows; only Keycloak knows `session_state`.
    const { state, code, iss, session_state } = await keycloak.signIn(body.location, username);
    expect(session_state).toBeDefined();
    const returned = { state, code, iss };
    return { browser, answer: await browser.post("/api/token/provider/return/", returned) };
  }

  test("a first login makes a member with the role of the group, and the next one finds it", async () => {
    const { answer } = await logInAs("agnes");
    expect(answer.body.user).toMatchObject({
      username: "agnes",
      email: "agnes@cabinet-aubry.fr",
      first_name: "Agnès",
      last_name: "Le Goff",
      organisation_role: "reader",
    });
    expect((await logInAs("agnes")).answer.body.user.id).toBe(answer.body.user.id);
  });

  test("somebody of another domain gets no account", async () => {
    expect(refusal((await logInAs("zoe")).answer)).toEqual([403, "provider_unlinked"]);
  });

  test("a logout ends Keycloak's session too: its page leads back to the login page", async () => {
    const { browser } = await logInAs("agnes");
    const { location } = (await browser.post("/api/logout/")).body;
    expect(new URL(location).href).toMatch(new RegExp(`^${keycloak.issuer}`));
    const ended = await fetch(location, { redirect: "manual" });
    expect([ended.status, ended.headers.get("location")]).toEqual([
      302,
      expect.stringMatching(/\/login(\?|$)/),
    ]);
  });

  test("a wrong secret is reported with Keycloak's own code", async () => {
    await setUp({ client_secret: "un autre secret" });
    const { answer } = await logInAs("agnes");
    expect(refusal(answer)).toEqual([400, "provider_refused"]);
    expect(answer.body.detail).toMatch(/a répondu «\u00a0(unauthorized|invalid)_client\u00a0»/);
  });
});
