import { Readable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { linkIn, mailFor } from "../../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { csvLines } from "../../../platform/csv.ts";

const service = useTestApp();
const BASE = "/api/organisation";
let owner: Member;
let lead: TestBrowser;

beforeEach(async () => {
  const { db } = service.platform;
  await db.deleteFrom("organisation_members").execute();
  await db.deleteFrom("organisation_events").execute();
  await db.deleteFrom("registration_invitations").execute();
  owner = await createMemberAs(service.platform, "owner");
  lead = await signIn(service, owner);
});

const listOf = async (browser: TestBrowser) =>
  (await browser.get(`${BASE}/members/`)).body.members as {
    id: string;
    email: string;
    role: string;
    has_second_factor: boolean | null;
    seen_at: string | null;
  }[];
const roleOf = async (id: string) => (await listOf(lead)).find((one) => one.id === id)?.role;
const setRole = (browser: TestBrowser, id: string, from: string, role: string) =>
  browser.send("PUT", `${BASE}/members/${id}/role/`, { body: { role, from } });
const sentences = async () =>
  ((await lead.get(`${BASE}/journal/`)).body.entries as { sentence: string }[]).map(
    ({ sentence }) => sentence,
  );

describe("the list of members", () => {
  test("only those who manage members see factors and last use", async () => {
    const reader = await signIn(service, await createMemberAs(service.platform, "reader"));
    for (const one of await listOf(reader))
      expect([one.has_second_factor, one.seen_at]).toEqual([null, null]);
    const seen = (await listOf(lead)).find(({ id }) => id === owner.id);
    expect(seen).toMatchObject({ role: "owner", has_second_factor: false });
    expect(seen?.seen_at).not.toBeNull();
  });

  test("a role changes at once, and the journal has the old and the new one", async () => {
    const { id, firstName, lastName } = await createMemberAs(service.platform, "member");
    const changed = await setRole(lead, id, "member", "administrator");
    expect(changed.body.members).toContainEqual(
      expect.objectContaining({ id, role: "administrator" }),
    );
    expect((await sentences())[0]).toBe(
      `Rôle de ${firstName} ${lastName}\u00a0: administrateur, au lieu de membre`,
    );
  });

  test("the last owner keeps that role; another owner lets them change it", async () => {
    expect(refusal(await setRole(lead, owner.id, "owner", "member"))).toEqual([409, "last_owner"]);
    const second = await createMemberAs(service.platform, "owner");
    expect((await setRole(lead, owner.id, "owner", "member")).status).toBe(200);
    lead = await signIn(service, second);
    expect(await roleOf(owner.id)).toBe("member");
  });

  test("two owners who step down at once leave one", async () => {
    const second = await createMemberAs(service.platform, "owner");
    const other = await signIn(service, second);
    const answers = await Promise.all([
      setRole(lead, owner.id, "owner", "administrator"),
      setRole(other, second.id, "owner", "administrator"),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("an administrator makes no owner and touches none", async () => {
    const administrator = await createMemberAs(service.platform, "administrator");
    const browser = await signIn(service, administrator);
    const member = await createMemberAs(service.platform, "member");
    for (const answer of [
      await setRole(browser, administrator.id, "administrator", "owner"),
      await setRole(browser, owner.id, "owner", "reader"),
      await browser.send("DELETE", `${BASE}/members/${owner.id}/sessions/`),
    ])
      expect(refusal(answer)).toEqual([403, "owners_only"]);
    expect((await setRole(browser, member.id, "member", "reader")).status).toBe(200);
  });

  test("who manages is judged once the request is whole", async () => {
    const { db } = service.platform;
    const { id } = await createMemberAs(service.platform, "member");
    const manager = await createMemberAs(service.platform, "administrator");
    const browser = await signIn(service, manager);
    const hold = (role: string) =>
      db
        .updateTable("organisation_members")
        .set({ role })
        .where("user_id", "=", manager.id)
        .execute();
    const { version } = (await lead.get(`${BASE}/settings/`)).body;
    const identity = {
      name: "Ville d’Essai",
      legal_form: "Commune",
      address: "1 place de la Mairie",
      siret: null,
      representative: null,
      contact_email: "mairie@exemple.fr",
      dpo_email: null,
    };
    const mails = { sender_name: null, reply_to: null, footer: null };
    const access = {
      second_factor: false,
      confirms_signatures: false,
      password_min_length: null,
      idle_hours: null,
    };
    const step = { kind: "signature", together: false, may_return: false, may_reassign: false };
    const steps = [{ ...step, by: { who: "preparer" } }];
    const circuit = { name: "Vu", use: "free", kinds: [], steps };
    const provider = {
      issuer: "https://exemple.fr",
      client_id: "paraphe",
      client_secret: "secret",
      label: "Exemple",
      domains: [],
      arrival_role: "member",
      role_claim: null,
      is_only_way: false,
      version: 0,
    };
    const given = { delegate_id: id, starts_on: "2030-01-01", ends_on: "2030-01-02", scope: "all" };
    for (const [method, path, body, code] of [
      ["PUT", "identity/", { ...identity, version }],
      ["PUT", "registration/", { choice: { kind: "open", domains: [] }, version }],
      ["PUT", "appearance/", { colour: null, version }],
      ["PUT", "mails/", { ...mails, version }],
      ["PUT", "access/", { ...access, version }],
      ["PUT", `members/${id}/role/`, { role: "administrator", from: "member" }],
      ["POST", "invitations/", { emails: ["a@exemple.fr"], role: "member", team: null }],
      ["POST", "teams/", { name: "Marchés", members: [] }],
      ["PUT", `members/${id}/teams/`, { teams: [] }],
      ["POST", "circuits/", circuit],
      ["PUT", "providers/oidc/", provider],
      ["POST", `members/${id}/removal/`, { heir_id: owner.id }],
      ["POST", "delegations/", given, "members_only"],
    ] as const) {
      await hold("administrator");
      async function* slowly() {
        await (code === undefined
          ? hold("member")
          : db.deleteFrom("organisation_members").where("user_id", "=", manager.id).execute());
        yield JSON.stringify(body);
      }
      const headers = { "content-type": "application/json" };
      const answer = await browser.send(method, `${BASE}/${path}`, {
        body: Readable.from(slowly()),
        headers,
      });
      expect([path, ...refusal(answer)]).toEqual([path, 403, code ?? "administrators_only"]);
    }
  });

  test("a role that changed meanwhile is not overwritten", async () => {
    const { id } = await createMemberAs(service.platform, "member");
    expect(refusal(await setRole(lead, id, "reader", "administrator"))).toEqual([
      409,
      "organisation_changed",
    ]);
  });

  test("an administrator ends the sessions of a member", async () => {
    const member = await createMemberAs(service.platform, "member");
    const browser = await signIn(service, member);
    expect((await lead.send("DELETE", `${BASE}/members/${member.id}/sessions/`)).status).toBe(200);
    expect((await browser.get("/api/verify-token/")).status).toBe(401);
  });

  test("the last owner of others erases no account; alone, they may", async () => {
    const member = await createMemberAs(service.platform, "member");
    const erase = () =>
      lead.send("DELETE", "/api/signature/me/", {
        body: { password: "encre bleue 47", cancel_open: false },
      });
    expect(refusal(await erase())).toEqual([409, "last_owner"]);
    await service.platform.db
      .deleteFrom("organisation_members")
      .where("user_id", "=", member.id)
      .execute();
    expect((await erase()).status).toBe(204);
  });
});

describe("invitations", () => {
  let sent = 0;
  const invite = (...emails: string[]) =>
    lead.post(`${BASE}/invitations/`, { emails, role: "administrator" });
  const newAddress = () => `nadia.${++sent}@exemple.fr`;
  async function tokenFor(email: string): Promise<string> {
    const [mail] = await mailFor(service.platform, email);
    return linkIn(mail, "https://localhost:8443/invitation#").split("#")[1] ?? "";
  }
  const at = () => openBrowser(service.app, { ip: `203.0.113.${++sent % 250}` });
  const check = (token: string) => at().post(`${BASE}/invitations/check/`, { token });
  const accept = (browser: TestBrowser, token: string) =>
    browser.post(`${BASE}/invitations/accept/`, { token });
  const register = (email: string, invitation: string) =>
    at().post("/api/signature/register/", {
      username: email.replace(/\W+/g, ""),
      email,
      password: "encre bleue 47",
      first_name: "Nadia",
      last_name: "Martin",
      invitation,
    });

  test("whoever has no account registers where registration is closed, and is a member with a confirmed address", async () => {
    const { db } = service.platform;
    await db.updateTable("organisations").set({ registration: "closed" }).execute();
    const email = newAddress();
    const [invitation] = (await invite(email)).body.invitations;
    expect(invitation).toMatchObject({ email, role: "administrator" });
    const token = await tokenFor(email);
    expect((await check(token)).body).toMatchObject({ email, account: "none" });
    expect((await register("autre@exemple.fr", token)).body.errors).toEqual({
      email: [`Cette invitation est pour ${email}.`],
    });
    expect((await register(email, token)).body).toMatchObject({ activated: true });
    const joined = (await listOf(lead)).find((one) => one.email === email);
    expect(joined?.role).toBe("administrator");
    const account = await db
      .selectFrom("users")
      .select("address_confirmed_at")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    expect(account.address_confirmed_at).not.toBeNull();
    expect((await sentences()).slice(0, 2)).toEqual([
      "Nadia Martin a rejoint l’organisation, comme administrateur",
      `Invitation envoyée à ${email}, comme administrateur`,
    ]);
    expect(refusal(await check(token))).toEqual([410, "invitation_used"]);
    await db.updateTable("organisations").set({ registration: null }).execute();
  });

  test("whoever has an account joins with it once signed in, and with no other account", async () => {
    const member = await createMember(service.platform, { email: newAddress() });
    await invite(member.email);
    const token = await tokenFor(member.email);
    expect((await check(token)).body.account).toBe("open");
    expect(refusal(await accept(at(), token))).toEqual([401, "session_expired"]);
    const other = await openMember(service);
    expect(refusal(await accept(other, token))).toEqual([409, "invitation_other_address"]);
    expect((await accept(await signIn(service, member), token)).status).toBe(200);
    expect(await roleOf(member.id)).toBe("administrator");
  });

  test("of two acceptances at once, one joins; two invitations of one address are one", async () => {
    const member = await createMember(service.platform, { email: newAddress() });
    await invite(member.email);
    const first = await tokenFor(member.email);
    await invite(member.email.toUpperCase());
    const token = await tokenFor(member.email.toUpperCase());
    expect(refusal(await check(first))).toEqual([410, "invitation_withdrawn"]);
    const browser = await signIn(service, member);
    const answers = await Promise.all([accept(browser, token), accept(browser, token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    expect((await lead.get(`${BASE}/invitations/`)).body.invitations).toEqual([]);
  });

  test("renewing an invitation ends its former link; a withdrawn or expired one says so", async () => {
    const [email, late] = [newAddress(), newAddress()];
    const { invitations } = (await invite(email, late)).body;
    const former = await tokenFor(email);
    const id = invitations.find((one: { email: string }) => one.email === email).id;
    expect((await lead.post(`${BASE}/invitations/${id}/renew/`)).status).toBe(200);
    expect(refusal(await check(former))).toEqual([410, "invitation_expired"]);
    const token = await tokenFor(email);
    expect((await check(token)).status).toBe(200);
    await lead.send("DELETE", `${BASE}/invitations/${id}/`);
    expect(refusal(await check(token))).toEqual([410, "invitation_withdrawn"]);
    service.platform.clock.advance({ hours: 7 * 24 });
    expect(refusal(await check(await tokenFor(late)))).toEqual([410, "invitation_expired"]);
    await service.platform.db
      .updateTable("organisations")
      .set({ registration: "closed" })
      .execute();
    expect(refusal(await register(late, await tokenFor(late)))).toEqual([
      403,
      "registration_closed",
    ]);
    await service.platform.db.updateTable("organisations").set({ registration: null }).execute();
    lead = await signIn(service, owner);
    expect((await lead.get(`${BASE}/invitations/`)).body.invitations).toMatchObject([
      { email: late },
    ]);
  });

  test.each([
    ["an address that is none", { emails: ["nadia"], role: "member" }],
    ["no address", { emails: [], role: "member" }],
    ["an owner", { emails: ["nadia@exemple.fr"], role: "owner" }],
    [
      "too many",
      { emails: Array.from({ length: 51 }, (_, n) => `n${n}@exemple.fr`), role: "member" },
    ],
  ])("%s is refused, and nobody is invited", async (_what, body) => {
    expect((await lead.post(`${BASE}/invitations/`, body)).status).toBe(400);
    expect((await lead.get(`${BASE}/invitations/`)).body.invitations).toEqual([]);
  });

  test("a member on the list is named, and nobody of that list is invited", async () => {
    const refused = await invite(newAddress(), owner.email);
    expect(refused.body.errors).toEqual({
      emails: [`${owner.email} fait déjà partie de l’organisation.`],
    });
    expect((await lead.get(`${BASE}/invitations/`)).body.invitations).toEqual([]);
  });
});

describe("the organisation’s journal", () => {
  test("it is exported whole, and the export is recorded", async () => {
    const { id } = await createMemberAs(service.platform, "member");
    await setRole(lead, id, "member", "reader");
    const csv = await lead.get(`${BASE}/journal/export/?format=csv`);
    expect(csv.text.startsWith("\ufeffDate (heure de Paris);")).toBe(true);
    expect(csv.text).toContain("Journal exporté (CSV)");
    const json = await lead.get(`${BASE}/journal/export/?format=json`);
    expect(json.body.map(({ kind }: { kind: string }) => kind)).toEqual([
      "journal_exported",
      "journal_exported",
      "role_changed",
      "member_joined",
      "member_joined",
    ]);
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    expect(refusal(await lead.get(`${BASE}/journal/export/?format=csv`, foreign))).toEqual([
      403,
      "foreign_origin",
    ]);
  });

  test("it is read by pages", async () => {
    for (let count = 0; count < 51; count++) await lead.get(`${BASE}/journal/export/?format=json`);
    const first = (await lead.get(`${BASE}/journal/`)).body;
    const rest = (await lead.get(`${BASE}/journal/?before=${first.next}`)).body;
    expect([first.entries.length, rest.entries.length, rest.next]).toEqual([50, 2, null]);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["-2;3", `"'-2;3"`],
    ['Il dit "non"', '"Il dit ""non"""'],
    ["Clémence", "Clémence"],
  ])("the cell %s is written %s", (text, cell) => expect(csvLines([[text]])).toBe(`${cell}\r\n`));
});
