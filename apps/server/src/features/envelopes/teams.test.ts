import { beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../testing/answers.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { actOn, createDraft, createSent, readEnvelope } from "../../../testing/envelope.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { createMemberAs } from "../../../testing/organisation.ts";
import { prepareBail } from "../../../testing/stages/template-calls.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";

const service = useTestApp();
const BASE = "/api/organisation";
const ENVELOPES = "/api/signature/envelopes/";
type Team = {
  id: string;
  name: string;
  members: { id: string; name: string; is_administrator: boolean }[];
  templates: number;
  open_envelopes: number;
  can_change: boolean;
};
const people: Record<string, Member> = {};
const browsers: Record<string, TestBrowser> = {};
const as = (name: string) => browsers[name] as TestBrowser;
const idOf = (name: string) => people[name]?.id ?? "";
let marches: string;
let archives: string;

const teamsOf = async (browser: TestBrowser): Promise<Team[]> =>
  (await browser.get(`${BASE}/teams/`)).body.teams;
const put = (browser: TestBrowser, id: string, body: object) =>
  browser.send("PUT", `${BASE}/teams/${id}/`, { body });
const titles = async (browser: TestBrowser, query: string) =>
  (await browser.get(`${ENVELOPES}?${query}`)).body.results.map(
    ({ title }: { title: string }) => title,
  );
const sentences = async () =>
  (await as("owner").get(`${BASE}/journal/`)).body.entries.map(
    ({ sentence }: { sentence: string }) => sentence,
  );
const nameOf = (name: string) => `${people[name]?.firstName} ${people[name]?.lastName}`;

beforeAll(async () => {
  for (const [name, role] of [
    ["owner", "owner"],
    ["maker", "member"],
    ["colleague", "member"],
    ["reader", "reader"],
    ["other", "member"],
  ] as const) {
    const person = await createMemberAs(service.platform, role);
    const named = { first_name: name[0]?.toUpperCase() + name.slice(1), last_name: "Roux" };
    await service.platform.db.updateTable("users").set(named).where("id", "=", person.id).execute();
    people[name] = { ...person, firstName: named.first_name, lastName: named.last_name };
    browsers[name] = await signIn(service, people[name]);
  }
  const member = (name: string, is_administrator = false) => ({ id: idOf(name), is_administrator });
  const made = await as("owner").post(`${BASE}/teams/`, {
    name: "Marchés",
    members: [member("maker", true), member("colleague"), member("reader")],
  });
  marches = made.body.teams[0].id;
  const second = await as("owner").post(`${BASE}/teams/`, {
    name: "Archives",
    members: [member("other")],
  });
  archives = second.body.teams[0].id;
});

test("a refused team, or change of one, leaves nothing", async () => {
  const before = await teamsOf(as("owner"));
  const members = [{ id: service.platform.newId(), is_administrator: false }];
  const body = { name: "Équipe refusée", members };
  const created = await as("owner").post(`${BASE}/teams/`, body);
  const changed = await put(as("owner"), marches, body);
  expect([created.status, changed.status]).toEqual([400, 400]);
  expect(await teamsOf(as("owner"))).toEqual(before);
  expect((await as("owner").get(`${BASE}/journal/`)).text).not.toContain(body.name);
});

describe("a team's envelopes", () => {
  let draft: string;
  let sent: string;

  beforeAll(async () => {
    draft = (await createDraft(as("maker"), { title: "Marché de voirie", team: marches })).id;
    sent = (await createSent(as("maker"), { title: "Avenant n° 2", team: marches })).id;
  });

  test("a team's envelopes are in the lists and counts of each of its members, once, and of nobody else", async () => {
    for (const name of ["maker", "colleague", "reader"]) {
      expect([name, await titles(as(name), "status=draft")]).toEqual([name, ["Marché de voirie"]]);
      expect(await titles(as(name), "search=avenant")).toEqual(["Avenant n° 2"]);
      expect(await titles(as(name), "from=2020-01-01&ordering=title")).toEqual([
        "Avenant n° 2",
        "Marché de voirie",
      ]);
      expect((await as(name).get(`${ENVELOPES}counts/`)).body).toMatchObject({ draft: 1, sent: 1 });
    }
    for (const name of ["owner", "other"]) {
      expect(await titles(as(name), "search=avenant")).toEqual([]);
      expect((await as(name).get(`${ENVELOPES}counts/`)).body).toMatchObject({ draft: 0, sent: 0 });
      for (const path of ["", "events/", "evidence/"])
        expect((await as(name).get(`${ENVELOPES}${sent}/${path}`)).status).toBe(404);
      for (const action of ["cancel", "remind", "duplicate"] as const)
        expect([name, (await actOn(as(name), sent, action)).status]).toEqual([name, 404]);
    }
  });

  test("a member asked to sign for a team reads which", async () => {
    const email = people["other"]?.email ?? "";
    const recipients = [{ email, full_name: "Autre Roux" }];
    const asked = { title: "Marché à signer", team: marches, recipients };
    const { id } = await createSent(as("maker"), asked);
    const page = await as("other").get(`${ENVELOPES}${id}/sign-page/`);
    expect(page.body).toMatchObject({ title: "Marché à signer", sender_team: "Marchés" });
    await actOn(as("maker"), id, "cancel");
  });

  test("a team's envelopes name the team; a reader sees what the sender sees, and may not act", async () => {
    const seen = await readEnvelope(as("colleague"), sent);
    expect(seen).toMatchObject({ is_owner: true, team: { id: marches, name: "Marchés" } });
    expect(seen).not.toHaveProperty("read_only");
    expect(await readEnvelope(as("reader"), sent)).toMatchObject({
      is_owner: true,
      read_only: true,
    });
    expect((await as("reader").get(`${ENVELOPES}${sent}/events/`)).status).toBe(200);
  });

  test("a reader's attempts are refused in words, whatever they try", async () => {
    const reader = as("reader");
    for (const answer of [
      await actOn(reader, sent, "cancel"),
      await actOn(reader, draft, "send"),
      await actOn(reader, sent, "duplicate"),
      await reader.send("PATCH", `${ENVELOPES}${draft}/`, { body: { title: "Autre" } }),
      await reader.send("DELETE", `${ENVELOPES}${draft}/purge/`),
      await reader.post("/api/signature/templates/", { envelope: sent, name: "Modèle" }),
      await reader.post("/api/signature/contacts/", { full_name: "A B", email: "a@exemple.fr" }),
      await reader.post("/api/signature/self-sign/", {}),
    ])
      expect(refusal(answer)).toEqual([403, "readers_only_read"]);
    const own = await reader.post(ENVELOPES, {});
    expect(own.body.detail).toContain("permet seulement de consulter");
  });

  test("a colleague sends them; the mail says in whose name, the journal who did it", async () => {
    const { id: made } = await createDraft(as("maker"), {
      title: "Acte d’engagement",
      team: marches,
      recipients: [{ email: "paul.martin@exemple.fr", full_name: "Paul Martin" }],
    });
    expect((await actOn(as("colleague"), made, "send")).status).toBe(200);
    const [mail] = await mailFor(service.platform, "paul.martin@exemple.fr");
    expect(mail?.content.text).toContain(
      `${nameOf("maker")} (${people["maker"]?.email}), de la part du service Marchés, vous demande de signer`,
    );
    const { results } = (await as("maker").get(`${ENVELOPES}${made}/events/`)).body;
    const event = results.find(({ action }: { action: string }) => action === "envelope_sent");
    expect(event.actor).toBe(nameOf("colleague"));
  });

  test("they are made for the account's own teams alone", async () => {
    for (const team of [archives, service.platform.newId()]) {
      const patched = await as("maker").send("PATCH", `${ENVELOPES}${draft}/`, { body: { team } });
      expect(Object.keys(patched.body.errors)).toEqual(["team"]);
    }
    const alone = await as("maker").send("PATCH", `${ENVELOPES}${draft}/`, {
      body: { team: null },
    });
    expect(alone.body).not.toHaveProperty("team");
    expect(await titles(as("colleague"), "status=draft")).toEqual([]);
    await as("maker").send("PATCH", `${ENVELOPES}${draft}/`, { body: { team: marches } });
    expect(await titles(as("colleague"), "status=draft")).toEqual(["Marché de voirie"]);
  });
});

test("a template of a team belongs to its members, who use it for the team, rename and delete it", async () => {
  const { id: envelope } = await createDraft(as("maker"), {
    title: "Bon de commande",
    recipients: [],
  });
  const saved = await as("maker").post("/api/signature/templates/", {
    envelope,
    name: "Bon",
    team: marches,
  });
  expect(saved.body.team).toEqual({ id: marches, name: "Marchés" });
  const path = `/api/signature/templates/${saved.body.id}/`;
  expect((await as("other").get(path)).status).toBe(404);
  expect((await as("reader").get(path)).status).toBe(200);
  const used = await as("colleague").post(`${path}use/`, {});
  expect(used.body).toMatchObject({ title: "Bon de commande", team: { id: marches } });
  const taken = await as("colleague").post("/api/signature/templates/", {
    envelope: used.body.id,
    name: "bon",
    team: marches,
  });
  expect(Object.keys(taken.body.errors)).toEqual(["name"]);
  const renamed = await as("colleague").send("PATCH", path, { body: { name: "Bon de commande" } });
  expect(renamed.body.name).toBe("Bon de commande");
  expect((await as("colleague").send("DELETE", path)).status).toBe(204);
});

test("whoever types a name is proposed the other members of the organisation, a stranger none", async () => {
  const proposed = async (browser: TestBrowser, search: string) =>
    (await browser.get(`/api/signature/recipients/suggestions/?search=${search}`)).body.results;
  const email = people["colleague"]?.email;
  for (const search of ["COLLÈAGUE roux", email ?? ""])
    expect(await proposed(as("maker"), encodeURIComponent(search))).toEqual([
      { full_name: nameOf("colleague"), email, phone_number: null },
    ]);
  expect(await proposed(as("maker"), "maker")).toEqual([]);
  const stranger = await signIn(service, await createMember(service.platform));
  expect(await proposed(stranger, "colleague")).toEqual([]);
  const asked = { name: "Carnet", scopes: ["contacts:read"], days: null };
  const key = await as("maker").post("/api/signature/me/keys/", asked);
  const headers = { authorization: `Bearer ${key.body.secret}` };
  const byKey = await as("maker").get("/api/signature/recipients/suggestions/?search=colleague", {
    headers,
  });
  expect(byKey.body.results).toEqual([]);
  // A contact with a member's address stands for them.
  const contact = { full_name: "M. Colleague", email };
  await expectStatus(as("maker").post("/api/signature/contacts/", contact), 201);
  expect(await proposed(as("maker"), "colleague")).toEqual([
    { full_name: "M. Colleague", email, phone_number: null },
  ]);
});

test("a contact of a team is proposed to each of its members, and a sending does not duplicate it", async () => {
  const contact = { full_name: "Zoé Lemaire", email: "zoe.lemaire@mairie.fr", team: marches };
  const made = await as("maker").post("/api/signature/contacts/", contact);
  expect(made.body.team).toEqual({ id: marches, name: "Marchés" });
  const suggested = async (name: string) =>
    (await as(name).get("/api/signature/recipients/suggestions/?search=lemaire")).body.results
      .length;
  await createSent(as("colleague"), {
    recipients: [{ email: "zoe.lemaire@mairie.fr", full_name: "Zoé Lemaire" }],
  });
  expect([await suggested("colleague"), await suggested("other")]).toEqual([1, 0]);
  await as("maker").post("/api/signature/contacts/", {
    full_name: "Anne Petit",
    email: "anne@exemple.fr",
  });
  const listed = async (query: string) =>
    (await as("maker").get(`/api/signature/contacts/?${query}`)).body.results.map(
      ({ full_name }: { full_name: string }) => full_name,
    );
  expect(await listed(`team=${marches}`)).toEqual(["Zoé Lemaire"]);
  expect(await listed("search=marchés")).toEqual(["Zoé Lemaire"]);
  expect(await listed("team=mine")).not.toContain("Zoé Lemaire");
  expect((await as("maker").get(`/api/signature/contacts/?team=${archives}`)).status).toBe(400);
  const path = `/api/signature/contacts/${made.body.id}/`;
  const moved = await as("colleague").send("PUT", path, {
    body: { full_name: "Zoé Lemaire", email: "zoe.lemaire@mairie.fr" },
  });
  expect(moved.body).not.toHaveProperty("team");
  expect(moved.body.sent_count).toBe(1);
  expect([await suggested("colleague"), await suggested("maker")]).toEqual([1, 0]);
});

describe("the teams of the organisation", () => {
  test("are listed with their people, templates and running envelopes", async () => {
    const [first, second] = await teamsOf(as("maker"));
    expect(first).toMatchObject({ name: "Archives", can_change: false, open_envelopes: 0 });
    expect(second).toMatchObject({ name: "Marchés", can_change: true, open_envelopes: 2 });
    expect(second?.members).toHaveLength(3);
    expect((await teamsOf(as("owner"))).every(({ can_change }) => can_change)).toBe(true);
  });

  test("teams are changed by their administrator, and by no other member", async () => {
    const members = [{ id: idOf("other"), is_administrator: false }];
    expect(refusal(await put(as("maker"), archives, { name: "Greffe", members }))).toEqual([
      403,
      "administrators_only",
    ]);
    expect(refusal(await put(as("colleague"), marches, { name: "Greffe", members }))).toEqual([
      403,
      "administrators_only",
    ]);
    const team = (await teamsOf(as("maker"))).find(({ id }) => id === marches);
    const kept = (team?.members ?? []).map(({ id, is_administrator }) => ({
      id,
      is_administrator,
    }));
    const changed = await put(as("maker"), marches, {
      name: "Marchés publics",
      members: kept.map((one) => ({ ...one, is_administrator: one.id !== idOf("reader") })),
    });
    expect(changed.status).toBe(200);
    expect((await sentences()).slice(0, 2)).toEqual([
      `${nameOf("colleague")} administre l’équipe «\u00a0Marchés publics\u00a0»`,
      "Équipe «\u00a0Marchés\u00a0» renommée «\u00a0Marchés publics\u00a0»",
    ]);
    await put(as("owner"), marches, { name: "Marchés", members: kept });
  });

  test("have one name each, and people of the organisation alone", async () => {
    const twice = await put(as("owner"), archives, { name: "MARCHÉS", members: [] });
    expect(Object.keys(twice.body.errors)).toEqual(["name"]);
    const unknown = [{ id: service.platform.newId(), is_administrator: false }];
    const foreign = await put(as("owner"), archives, { name: "Archives", members: unknown });
    expect(Object.keys(foreign.body.errors)).toEqual(["members"]);
    expect((await teamsOf(as("owner"))).find(({ id }) => id === archives)?.members).toHaveLength(1);
  });

  test("teams are changed for a member, who loses and gains their things at once", async () => {
    const move = (teams: string[]) =>
      as("owner").send("PUT", `${BASE}/members/${idOf("other")}/teams/`, { body: { teams } });
    const moved = await move([marches]);
    const listed = moved.body.members.find(({ id }: { id: string }) => id === idOf("other"));
    expect(listed.teams).toEqual([{ id: marches, name: "Marchés" }]);
    expect(await titles(as("other"), "search=avenant")).toEqual(["Avenant n° 2"]);
    expect((await sentences()).slice(0, 2).toSorted()).toEqual([
      `${nameOf("other")} a rejoint l’équipe «\u00a0Marchés\u00a0»`,
      `${nameOf("other")} n’est plus dans l’équipe «\u00a0Archives\u00a0»`,
    ]);
    expect(Object.keys((await move([service.platform.newId()])).body.errors)).toEqual(["teams"]);
    await move([archives]);
    expect(await titles(as("other"), "search=avenant")).toEqual([]);
  });

  test("are joined by whoever accepts an invitation to one", async () => {
    const email = "nadia.benali@exemple.fr";
    const gone = { emails: [email], role: "member", team: service.platform.newId() };
    expect(Object.keys((await as("owner").post(`${BASE}/invitations/`, gone)).body.errors)).toEqual(
      ["team"],
    );
    const invited = await as("owner").post(`${BASE}/invitations/`, { ...gone, team: archives });
    expect(invited.body.invitations[0].team).toEqual({ id: archives, name: "Archives" });
    const [mail] = await mailFor(service.platform, email);
    const invitation = linkIn(mail, "https://localhost:8443/invitation#").split("#")[1];
    const registered = await openBrowser(service.app).post("/api/signature/register/", {
      email,
      username: "nadia.benali",
      password: "encre bleue 47",
      invitation,
      first_name: "Nadia",
      last_name: "Benali",
      birth_date: "1990-05-04",
    });
    expect(registered.body).toMatchObject({ activated: true });
    const team = (await teamsOf(as("owner"))).find(({ id }) => id === archives);
    expect(team?.members.map(({ name }) => name)).toContain("Nadia Benali");
  });

  test("teams of another organisation are unknown, and give nothing", async () => {
    const { db } = service.platform;
    const [organisation_id, id] = [service.platform.newId(), service.platform.newId()];
    const now = new Date();
    await db
      .insertInto("organisations")
      .values({ id: organisation_id, created_at: now, updated_at: now })
      .execute();
    await db
      .insertInto("teams")
      .values({ id, organisation_id, name: "Ailleurs", created_at: now })
      .execute();
    expect((await teamsOf(as("owner"))).map(({ name }) => name)).not.toContain("Ailleurs");
    expect((await put(as("owner"), id, { name: "Pris", members: [] })).status).toBe(404);
    expect((await as("owner").send("DELETE", `${BASE}/teams/${id}/`)).status).toBe(404);
  });
});

describe("a list narrowed to a team", () => {
  let clerk: Member;
  let browser: TestBrowser;
  let urbanisme: string;
  let voirie: string;
  const listed = (query: string) => titles(browser, `ordering=title&${query}`);

  beforeAll(async () => {
    clerk = await createMemberAs(service.platform, "member");
    browser = await signIn(service, clerk);
    const members = [{ id: clerk.id, is_administrator: false }];
    for (const name of ["Urbanisme", "Service Voirie"])
      await as("owner").post(`${BASE}/teams/`, { name, members });
    const idNamed = async (name: string) =>
      (await teamsOf(browser)).find((team) => team.name === name)?.id ?? "";
    urbanisme = await idNamed("Urbanisme");
    voirie = await idNamed("Service Voirie");
    await createDraft(browser, { title: "Bail du fonds" });
    await createDraft(browser, { title: "Accord de voirie", team: urbanisme });
    await createDraft(browser, { title: "Permission de stationner", team: voirie });
  });

  test("has the team's envelopes, or those of no team, and must be one of the account's own teams", async () => {
    expect(await listed("status=draft")).toEqual([
      "Accord de voirie",
      "Bail du fonds",
      "Permission de stationner",
    ]);
    expect(await listed(`status=draft&team=${urbanisme}`)).toEqual(["Accord de voirie"]);
    expect(await listed(`team=${voirie}`)).toEqual(["Permission de stationner"]);
    expect(await listed("status=draft&team=mine")).toEqual(["Bail du fonds"]);
    expect(await listed(`status=completed&team=${urbanisme}`)).toEqual([]);
    for (const team of [archives, service.platform.newId()])
      expect(Object.keys((await browser.get(`${ENVELOPES}?team=${team}`)).body.errors)).toEqual([
        "team",
      ]);
    expect((await browser.get(`${ENVELOPES}?team=x`)).status).toBe(400);
  });

  test("a team's name finds its envelopes too, with or without « service », except among titles", async () => {
    for (const [query, found] of [
      ["search=voirie", ["Accord de voirie", "Permission de stationner"]],
      ["search=Service%20Voirie", ["Permission de stationner"]],
      ["search=voirie&search_in=title", ["Accord de voirie"]],
      [`search=voirie&team=${voirie}`, ["Permission de stationner"]],
      [`search=voirie&team=${urbanisme}`, ["Accord de voirie"]],
      ["search=oirie", ["Accord de voirie"]],
    ] as const)
      expect([query, await listed(query)]).toEqual([query, found]);
    const second = (await browser.get(`${ENVELOPES}?search=voirie&page_size=1&page=2`)).body;
    expect([second.count, second.results.length]).toEqual([2, 1]);
  });

  test("what awaits the account is narrowed to the team's envelopes", async () => {
    await service.platform.db
      .updateTable("users")
      .set({ address_confirmed_at: service.platform.clock() })
      .where("id", "=", clerk.id)
      .execute();
    const recipients = [{ email: clerk.email, full_name: "Camille Roux" }];
    await createSent(browser, { title: "Délibération", team: urbanisme, recipients });
    await createSent(as("other"), { title: "Reçu d’ailleurs", recipients });
    for (const [query, found] of [
      ["", ["Délibération", "Reçu d’ailleurs"]],
      [`team=${urbanisme}`, ["Délibération"]],
      ["team=mine", ["Reçu d’ailleurs"]],
      ["search=urba", ["Délibération"]],
    ] as const) {
      const { count, results } = (
        await browser.get(`${ENVELOPES}?status=action_required&ordering=title&${query}`)
      ).body;
      expect([query, count, results.map(({ title }: { title: string }) => title)]).toEqual([
        query,
        found.length,
        found,
      ]);
    }
  });
});

describe("what ends", () => {
  test("a leaver's work passes to a team; the team's own stays there", async () => {
    const leaver = await createMemberAs(service.platform, "member");
    const browser = await signIn(service, leaver);
    await createDraft(browser, { title: "Dossier du partant" });
    const remove = (team_id: string) =>
      as("owner").post(`${BASE}/members/${leaver.id}/removal/`, { team_id });
    const empty = await as("owner").post(`${BASE}/teams/`, { name: "Vide" });
    const none = empty.body.teams.find(({ name }: Team) => name === "Vide").id;
    expect(Object.keys((await remove(none)).body.errors)).toEqual(["team_id"]);
    expect((await remove(marches)).status).toBe(204);
    expect(await titles(as("colleague"), "search=partant")).toEqual(["Dossier du partant"]);
    expect((await sentences())[0]).toContain("confiés à l’équipe «\u00a0Marchés\u00a0»");
  });

  test("a deleted team leaves an owner what they also have alone: renamed, or one contact", async () => {
    const owner = as("owner");
    const made = await owner.post(`${BASE}/teams/`, {
      name: "Paie",
      members: [{ id: idOf("owner"), is_administrator: true }],
    });
    const team = made.body.teams.find(({ name }: Team) => name === "Paie").id;
    const box = { x: 0.1, y: 0.1, width: 0.2, height: 0.05, required: true, label: null };
    const fields = [{ type: "signature", page: 1, document_rank: 0, person_rank: 0, ...box }];
    const envelope = (await prepareBail(owner)).id;
    const zoe = { full_name: "Zoé Roy", email: "zoe@exemple.fr" };
    for (const more of [{}, { team, phone_number: "+33612345678" }])
      for (const [path, body] of [
        ["templates", { envelope, name: "Bail" }],
        ["layouts", { name: "Bail", fields }],
        ["contacts", zoe],
      ] as const) {
        const asked = { ...body, ...(path === "contacts" || !("team" in more) ? more : { team }) };
        expect((await owner.post(`/api/signature/${path}/`, asked)).status).toBe(201);
      }
    expect((await owner.send("DELETE", `${BASE}/teams/${team}/`)).status).toBe(200);
    const listed = async (path: string) =>
      (await owner.get(`/api/signature/${path}/`)).body.results;
    for (const path of ["templates", "layouts"])
      expect((await listed(path)).map(({ name }: Team) => name)).toEqual(["Bail", "Bail (Paie)"]);
    expect(await listed("contacts")).toEqual([
      expect.objectContaining({ ...zoe, phone_number: "+33612345678" }),
    ]);
  });

  test("a deleted team leaves its envelopes to their owners", async () => {
    expect((await as("maker").send("DELETE", `${BASE}/teams/${marches}/`)).status).toBe(403);
    expect((await as("owner").send("DELETE", `${BASE}/teams/${marches}/`)).status).toBe(200);
    expect(await titles(as("maker"), "search=avenant")).toEqual(["Avenant n° 2"]);
    expect(await titles(as("colleague"), "search=avenant")).toEqual([]);
    expect((await as("reader").get(`${ENVELOPES}counts/`)).body).toMatchObject({ draft: 0 });
  });
});
