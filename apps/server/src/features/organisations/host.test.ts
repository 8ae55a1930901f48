import { MEMBER_ROLES, type RegistrationChoice } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades/parts";
import { describe, expect, test } from "vitest";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, openMember, signIn } from "../../../testing/member.ts";
import { createMemberAs, IDENTITY } from "../../../testing/organisation.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { createTrust } from "../trust/public.ts";
import { loadRegistration } from "./public.ts";

const service = useTestApp();
const BASE = "/api/organisation";
let administrator: TestBrowser | undefined;
const open = async (): Promise<TestBrowser> =>
  (administrator ??= await signIn(
    service,
    await createMemberAs(service.platform, "administrator"),
  ));
const settingsOf = async (browser: TestBrowser) => (await browser.get(`${BASE}/settings/`)).body;
async function put(part: "identity" | "registration", body: object, browser?: TestBrowser) {
  const by = browser ?? (await open());
  const { version } = await settingsOf(by);
  return by.send("PUT", `${BASE}/${part}/`, { body: { version, ...body } });
}
const choose = (choice: RegistrationChoice) => put("registration", { choice });

/** Who gets what from each route of this room; a route without a row fails. */
const ANYBODY = { anonymous: 200, stranger: 200, reader: 200, member: 200 };
const NOBODY = { anonymous: 401, stranger: 403, reader: 403, member: 403 };
const LEADERS = { administrator: 200, owner: 200 };
const ACCESS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "GET /api/organisation/": { ...ANYBODY, ...LEADERS },
  "GET /api/organisation/settings/": { ...NOBODY, ...LEADERS },
  "PUT /api/organisation/identity/": { ...NOBODY, ...LEADERS },
  "PUT /api/organisation/registration/": { ...NOBODY, ...LEADERS },
  "GET /api/organisation/providers/": { ...NOBODY, ...LEADERS },
  "DELETE /api/organisation/providers/{kind}/": { ...NOBODY, ...LEADERS },
  // No such provider is set up.
  "POST /api/organisation/providers/{kind}/trial/": { ...NOBODY, administrator: 404, owner: 404 },
  // The body is checked after the role.
  "PUT /api/organisation/providers/{kind}/": { ...NOBODY, administrator: 400, owner: 400 },
};
const BODIES: Readonly<Record<string, object>> = {
  "PUT /api/organisation/identity/": IDENTITY,
  "PUT /api/organisation/registration/": { choice: { kind: "open", domains: [] } },
};

describe("who may do what", () => {
  test("every route of the organisation has its row for each role, and obeys it", async () => {
    const { paths } = (await openBrowser(service.app).get("/api/openapi.json")).body;
    const routes = Object.entries<Record<string, unknown>>(paths)
      .filter(([path]) => path.startsWith(`${BASE}/`))
      .flatMap(([path, calls]) =>
        Object.keys(calls).map((method) => `${method.toUpperCase()} ${path}`),
      );
    expect(routes.toSorted()).toEqual(Object.keys(ACCESS).toSorted());
    const browsers = new Map([
      ["anonymous", openBrowser(service.app)],
      ["stranger", await openMember(service)],
    ]);
    for (const role of MEMBER_ROLES)
      browsers.set(role, await signIn(service, await createMemberAs(service.platform, role)));
    const version = async () =>
      (await settingsOf(browsers.get("owner") ?? openBrowser(service.app))).version;
    for (const [route, row] of Object.entries(ACCESS)) {
      expect(Object.keys(row).toSorted(), route).toEqual([...browsers.keys()].toSorted());
      const [method = "", path = ""] = route.split(" ");
      for (const [role, browser] of browsers) {
        const isTrial = route.endsWith("/trial/");
        const body = isTrial ? {} : { ...BODIES[route], version: await version() };
        const answer =
          method === "GET"
            ? await browser.get(path)
            : await browser.send(method as "PUT", path.replace("{kind}", "oidc"), { body });
        expect([route, role, answer.status]).toEqual([route, role, row[role]]);
        if (answer.status === 403) expect(answer.body.code).toBe("administrators_only");
      }
    }
  });

  test("one’s role is said with the session; somebody alone has none", async () => {
    const alone = await openMember(service);
    expect((await alone.get("/api/verify-token/")).body.user).not.toHaveProperty(
      "organisation_role",
    );
    expect((await (await open()).get("/api/verify-token/")).body.user.organisation_role).toBe(
      "administrator",
    );
  });
});

describe("the identity", () => {
  test("once named, it is public, and mails and certificates say it", async () => {
    const { platform } = service;
    const saved = await put("identity", { ...IDENTITY, siret: "732 829 320 00074" });
    expect([saved.status, saved.body.identity]).toEqual([200, IDENTITY]);
    expect((await openBrowser(service.app).get(`${BASE}/`)).body).toEqual({ identity: IDENTITY });
    const { certificateDer } = await (await createTrust(platform)).issueSigner({
      fullName: "Paul Martin",
      email: null,
      now: platform.clock(),
    });
    expect(parseCertificate(certificateDer).subject).toMatchObject({
      commonName: "Paul Martin",
      organization: "Cabinet Aubry & Associés",
    });
  });

  test.each([
    ["a SIRET with a wrong key", { siret: "73282932000075" }, "siret"],
    ["ten thousand characters", { name: "x".repeat(10_000) }, "name"],
    ["an address with a link", { address: "http://exemple.fr/" }, "address"],
  ])("%s is refused under its field", async (_what, change, field) => {
    const refused = await put("identity", { ...IDENTITY, ...change });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]]);
  });

  test("of two administrators at once, the second learns that it changed", async () => {
    const [first, second] = [
      await open(),
      await signIn(service, await createMemberAs(service.platform, "owner")),
    ];
    const { version } = await settingsOf(first);
    const answers = await Promise.all(
      [first, second].map((browser, at) =>
        browser.send("PUT", `${BASE}/identity/`, {
          body: { ...IDENTITY, name: `Cabinet ${at}`, version },
        }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [200, undefined],
      [409, "organisation_changed"],
    ]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await settingsOf(first)).identity.name).toBe(winner?.body.identity.name);
  });
});

describe("who may register", () => {
  const rules = async () =>
    (await openBrowser(service.app).get("/api/verify-token/")).body.registration;

  test("the choice of an administrator replaces the setting, everywhere at once", async () => {
    const { db, settings } = service.platform;
    await db
      .updateTable("organisations")
      .set({ registration: null, registration_domains: [] })
      .execute();
    expect(await loadRegistration(db, { ...settings, registration: { kind: "closed" } })).toEqual({
      kind: "closed",
    });
    const chosen = await choose({ kind: "domains", domains: ["mairie.fr", "Mairie.fr"] });
    expect(chosen.body.registration).toEqual({
      kind: "domains",
      domains: ["mairie.fr"],
      is_chosen: true,
    });
    expect(await rules()).toEqual({ kind: "domains", domains: ["mairie.fr"] });
    for (const registration of [{ kind: "open" }, { kind: "closed" }] as const)
      expect(await loadRegistration(db, { ...settings, registration })).toEqual({
        kind: "domains",
        domains: ["mairie.fr"],
      });
    const ask = (email: string) =>
      openBrowser(service.app).post("/api/signature/register/", {
        username: email.replace(/\W+/g, ""),
        email,
        password: "encre bleue 47",
        first_name: "Zoé",
        last_name: "Martin",
        birth_date: "1990-05-17",
      });
    expect((await ask("zoe@mairie.fr")).status).toBe(201);
    expect((await ask("zoe@ailleurs.fr")).body.code).toBe("registration_closed");
    await choose({ kind: "open", domains: [] });
    expect((await ask("zoe@ailleurs.fr")).status).toBe(201);
  });

  test.each([
    ["a public mail service", { kind: "domains", domains: ["gmail.com"] }],
    ["no domain", { kind: "domains", domains: [] }],
    ["a word", { kind: "domains", domains: ["mairie"] }],
    ["an unknown choice", { kind: "friends", domains: [] }],
  ])("%s is refused", async (_what, choice) => {
    const before = await settingsOf(await open());
    expect((await choose(choice as RegistrationChoice)).status).toBe(400);
    expect(await settingsOf(await open())).toEqual(before);
  });

  test("where no mail leaves, nobody registers, whatever was chosen", async () => {
    await choose({ kind: "open", domains: [] });
    const { db, settings } = service.platform;
    expect(await loadRegistration(db, { ...settings, mailDisabled: true })).toEqual({
      kind: "closed",
    });
  });
});

test("an erased account is a member no more", async () => {
  const { platform } = service;
  const member = await createMemberAs(platform, "administrator");
  const browser = await signIn(service, member);
  const erased = await browser.send("DELETE", "/api/signature/me/", {
    body: { password: "encre bleue 47", cancel_open: false },
  });
  expect(erased.status).toBeLessThan(300);
  const rows = await platform.db
    .selectFrom("organisation_members")
    .select("role")
    .where("user_id", "=", member.id)
    .execute();
  expect(rows).toEqual([]);
});

test("an owner keeps that role when promoted to administrator", async () => {
  const { platform } = service;
  const owner = await createMemberAs(platform, "owner");
  const { administration } = await import("../accounts/public.ts");
  expect(await administration.promote(platform, owner.email)).toBe(true);
  const browser = await signIn(service, owner);
  expect((await browser.get("/api/verify-token/")).body.user.organisation_role).toBe("owner");
  expect(await administration.promote(platform, (await createMember(platform)).email)).toBe(true);
});
