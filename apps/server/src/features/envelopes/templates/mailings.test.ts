import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES } from "../../../../testing/envelope.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import {
  createMember,
  MEMBER_PASSWORD,
  type Member,
  openMember,
  signIn,
} from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import {
  ownPdf,
  saveTemplate,
  templateField,
  TEMPLATES,
} from "../../../../testing/stages/template-calls.ts";
import type { TestApp } from "../../../../testing/app.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { limitAction } from "../change-envelope.ts";
import { resumeMailings, runMailing } from "./send-mailing.ts";

const MAILINGS = "/api/signature/mailings/";
const service = useTestApp({ settings: { rateLimits: "off" } });
const limited = useTestApp({});

/** A letter with one client, and two texts of theirs. */
async function makeTemplate(
  who: TestBrowser,
  more: object & { readonly team?: string } = {},
): Promise<string> {
  const text = (label: string, y: number) => templateField(0, { type: "text", label, y });
  const draft = await createDraft(who, {
    title: "Lettre de mission",
    files: [{ name: "Lettre.pdf", bytes: ownPdf() }],
    recipients: [{ email: "a@exemple.fr", full_name: "A" }],
    fields: [templateField(0), text("Mission", 0.2), text("Honoraires", 0.3)],
    ...more,
  });
  const roles = [{ recipient: draft.recipients[0]?.id, label: "Client" }];
  return (await saveTemplate(who, draft.id, { roles, team: more.team ?? null })).body.id;
}

type Content = string | Uint8Array;
const base64 = (content: Content) => Buffer.from(content as string).toString("base64");
const post = (who: TestBrowser, template: string, content: Content, name = "clients.csv") =>
  who.post(MAILINGS, { template, file: { name, content: base64(content) } });
async function prepare(who: TestBrowser, template: string, content: Content) {
  const { status, body } = await post(who, template, content);
  expect(status).toBe(201);
  return body;
}
const rowsOf = async (who: TestBrowser, id: string, query = "?order=line&page_size=100") =>
  (await who.get(`${MAILINGS}${id}/rows/${query}`)).body.results;
const read = async (who: TestBrowser, id: string) => (await who.get(`${MAILINGS}${id}/`)).body;
const report = async (who: TestBrowser, id: string, query = "") =>
  (await who.get(`${MAILINGS}${id}/report/${query}`)).text;
async function run({ platform }: Pick<TestApp, "platform">, id: string): Promise<unknown> {
  for (;;) {
    const outcome = await runMailing(platform, id);
    if (outcome === "ended" || outcome.startAfter !== undefined) return outcome;
  }
}
const invited = async ({ platform }: Pick<TestApp, "platform">, domain: string) => {
  const { rows } = await sql<{ email: string; envelopes: number; mails: number }>`
    select r.email, count(distinct e.id)::int as envelopes,
      (select count(*)::int from notices n join recipients o on o.id = n.recipient_id
        where n.kind = 'invitation' and o.email = r.email) as mails
    from recipients r join envelopes e on e.id = r.envelope_id
    where r.email like ${`%@${domain}`} and e.status = 'sent' group by r.email order by r.email`.execute(
    platform.db,
  );
  return rows;
};

const FILE = [
  "Société;Contact;Courriel;Mission;Honoraires;Réf. interne",
  "Atelier Lenoir;Théo Lenoir;theo.lenoir@un.fr;Conseil;1 800 €;C-1",
  "=cmd|' /C calc'!A0;Anaïs Œuvrard;anais@un.fr;+33;@somme;-2",
  "Lycée;Anaïs Le Guen;anais.leguen@;Conseil;950 €;C-3",
  "Sogexia;;juridique@un.fr;Conseil;3 200 €;C-4",
  "Atelier Lenoir;Théo LENOIR;Theo.Lenoir@un.fr;Bail;1 €;C-5",
  ";;;;;",
  "La Poste;Zoë 日本;zoe@un.fr;Bail;1 €;C-6",
].join("\r\n");

describe("the lines of a CSV", () => {
  let browser: TestBrowser;
  let template: string;
  beforeAll(async () => {
    browser = await openMember(service);
    template = await makeTemplate(browser);
  });

  test("a line can be previewed as the envelope it would become, on the template's pages", async () => {
    const mailing = await prepare(browser, template, FILE);
    const count = async () =>
      (await service.platform.db.selectFrom("envelopes").select("id").execute()).length;
    const before = await count();
    const preview = (line: number, who = browser) =>
      who.get(`${MAILINGS}${mailing.id}/rows/${line}/preview/`);
    const { status, body } = await preview(2);
    expect([status, body.title, body.recipients]).toEqual([
      200,
      "Atelier Lenoir",
      [{ full_name: "Théo Lenoir", email: "theo.lenoir@un.fr", role: "signer" }],
    ]);
    const filled = body.fields.map((one: { type: string; value: string }) => [one.type, one.value]);
    expect(filled).toEqual([
      ["signature", null],
      ["text", "Conseil"],
      ["text", "1 800 €"],
    ]);
    expect(await count()).toBe(before);
    expect((await preview(4)).body.errors).toEqual({ line: ["Adresse email incomplète"] });
    expect((await preview(99)).status).toBe(404);
    const fileOf = (position: number, who = browser) =>
      who.get(`${TEMPLATES}${template}/documents/${position}/file/`);
    const file = await fileOf(0);
    expect([file.status, file.headers]).toEqual([
      200,
      expect.objectContaining({
        "content-type": "application/pdf",
        "content-disposition": expect.stringMatching(/^inline; filename="[\w-]+\.pdf"$/),
      }),
    ]);
    expect(Buffer.from(file.bytes).toString("latin1", 0, 5)).toBe("%PDF-");
    expect((await fileOf(1)).status).toBe(404);
    const other = await openMember(service);
    expect([(await preview(2, other)).status, (await fileOf(0, other)).status]).toEqual([404, 404]);
  });

  test("POST mailings/ reads a Windows file with semicolons, guesses its columns, and says the fault of each line without sending any", async () => {
    const windows = Buffer.from(
      FILE.replaceAll("Œ", "\u008c").replaceAll("€", "\u0080").replace("日本", "Lô"),
      "latin1",
    );
    const mailing = await prepare(browser, template, windows);
    expect(mailing).toMatchObject({
      template,
      file_name: "clients.csv",
      separator: ";",
      encoding: "windows-1252",
      state: "ready",
      faults: [],
      total: 6,
      ready: 3,
      refused: 2,
      doubles: 1,
      sent: 0,
    });
    expect(mailing.columns.map(({ target }: { target: string }) => target)).toEqual([
      "title",
      "name:0",
      "email:0",
      "text:0",
      "text:1",
      null,
    ]);
    expect(await invited(service, "un.fr")).toEqual([]);
  });

  test("a line that lacks something, that repeats people or that no font prints says so at its column, faults first", async () => {
    const { id } = await prepare(browser, template, FILE);
    const said = (await rowsOf(browser, id, "")).map(
      ({ line, state, note, column }: Record<string, unknown>) => [line, state, note, column],
    );
    expect(said).toEqual([
      [4, "refused", "Adresse email incomplète", 2],
      [5, "refused", "Nom absent", 1],
      [8, "refused", expect.stringContaining("日"), 1],
      [6, "double", "Déjà à la ligne 2", null],
      [2, "ready", null, null],
      [3, "ready", null, null],
    ]);
  });

  test("a line with texts beyond the columns says so, keeps them, and leaves once it is corrected", async () => {
    const lines = [
      "Guy;guy@onze.fr;Bail;reste",
      "Dupont; Jean;jean@onze.fr;T",
      "Ève;eve@onze.fr;Bail;; ;",
    ];
    const { id } = await prepare(browser, template, ["Nom;Email;Titre", ...lines].join("\n"));
    const note = expect.stringMatching(/^4 cellules pour 3 colonnes\u00a0: un texte/);
    const said = await rowsOf(browser, id);
    expect(said).toMatchObject([
      {
        line: 2,
        state: "refused",
        note,
        column: null,
        cells: ["Guy", "guy@onze.fr", "Bail", "reste"],
      },
      { line: 3, state: "refused", note },
      { line: 4, state: "ready", cells: ["Ève", "eve@onze.fr", "Bail"] },
    ]);
    expect((await report(browser, id)).split("\r\n").slice(0, 4)).toEqual([
      expect.stringMatching(/Ligne;Nom;Email;Titre;État;/),
      expect.stringMatching(/^2;Guy;guy@onze.fr;"Bail;reste";À revoir;/),
      expect.stringMatching(/^3;Dupont;Jean;"jean@onze.fr;T";À revoir;/),
      "4;Ève;eve@onze.fr;Bail;Prête;;",
    ]);
    const change = async (cells: string[]) =>
      (await browser.send("PATCH", `${MAILINGS}${id}/rows/3/`, { body: { cells } })).body;
    expect(await change(["Dupont", "Jean", "jean@onze.fr", "T"])).toMatchObject({ note });
    expect((await change(["Dupont; Jean", "jean@onze.fr", "T", ""])).state).toBe("ready");
  });

  test("a line keeps one cell beyond the most columns, and the report the file's columns", async () => {
    const wide = `Guy;guy@douze.fr${";x".repeat(200_000)}`;
    const { id } = await prepare(browser, template, `Nom;Email\n${wide}\nB;b@douze.fr\n`);
    const [first, second] = await rowsOf(browser, id);
    expect([first.state, first.cells.length, second.state]).toEqual(["refused", 61, "ready"]);
    expect(first.note).toMatch(/^Plus de 60 cellules pour 2 colonnes/);
    const change = (body: object) => browser.send("PATCH", `${MAILINGS}${id}/rows/2/`, { body });
    const corrected = { cells: first.cells.with(0, "Guillaume") };
    for (const [body, state] of [
      [corrected, "refused"],
      [{ choice: "leave" }, "left"],
    ] as const)
      expect((await change(body)).body).toMatchObject({ ...corrected, state });
    const [heading] = (await report(browser, id)).split("\r\n");
    expect(heading?.split(";")).toHaveLength(6);
  });

  test.each([
    ["a workbook", Buffer.from("PK\u0003\u0004"), /est un classeur/],
    ["binary bytes", Buffer.from([1, 0, 2]), /n’est pas un fichier CSV/],
    ["a PDF", "%PDF-1.7\n%âãÏÓ\n1 0 obj\n", /n’est pas un fichier CSV/],
    ["control bytes", Buffer.from([0x4e, 1, 0x0a]), /n’est pas un fichier CSV/],
    ["headings alone", "Nom;Email\n", /aucune ligne/],
    ["an open quote", 'Nom;Email\nA;"b@c.fr\n', /ouvert à la ligne 2 /],
    [
      "a quote opened before other lines",
      'Nom;Email\n"A\nA";a@b.fr\n\nB;"b@c.fr\nC;c@d.fr\n',
      /à la ligne 5 /,
    ],
    ["100,000 lines", `Nom;Email\n${"A;a@b.fr\n".repeat(100_000)}`, /plus de 1\u202f000 lignes/],
    ["more than 5 MB", `Nom;Email\n${"A".repeat(5_300_000)};a@b.fr\n`, /dépasse 5\u00a0Mo/],
    ["61 columns", `${"a;".repeat(60)}b\nA\n`, /plus de 60 colonnes/],
  ])(
    "%s is refused by its own sentence, which repeats nothing of the file",
    async (_, content, sentence) => {
      const answer = await post(browser, template, content, "liste.csv");
      expect(refusal(answer)).toEqual([400, "validation"]);
      expect(answer.body.errors.file[0]).toMatch(sentence);
      expect(JSON.stringify(answer.body)).not.toContain("b.fr");
    },
  );

  test("PUT plan/ refuses a destination taken twice or unknown and a role without anybody, and takes one person for every line", async () => {
    const { id } = await prepare(browser, template, FILE);
    const plan = (columns: (string | null)[], more: object = {}) =>
      browser.send("PUT", `${MAILINGS}${id}/plan/`, { body: { columns, ...more } });
    const none = [null, null, null];
    for (const [columns, sentence] of [
      [["title", "name:0", "name:0", ...none], /^Deux colonnes deviennent/],
      [
        ["title", "name:3", "email:0", ...none],
        /^La colonne 2 devient «\u00a0name:3\u00a0»\u00a0: le modèle a un seul rôle, 0\.$/,
      ],
      [
        ["title", "name:0", "email:0", "text:2", null, null],
        /^La colonne 4 .*: le modèle a 2\u00a0textes, de 0 à 1\.$/,
      ],
      [["title", "name:0", null, ...none], /adresse email de «\u00a0Client\u00a0»/],
      [["title"], /a 6 colonnes/],
    ] as const) {
      const answer = await plan([...columns]);
      expect(refusal(answer)).toEqual([400, "validation"]);
      expect(answer.body.errors.columns[0]).toMatch(sentence);
    }
    expect((await plan(["mail:0", "title", "email:0", ...none])).body.errors).toEqual({
      "columns.0": [expect.stringMatching(/: title, name:0, first:0, email:0, phone:0, text:0 \(/)],
    });
    const beyond = await plan(["title", "name:0", "email:0", ...none], {
      people: [{ role_index: 5, ...ELOISE }],
    });
    expect(beyond.body.errors).toEqual({
      "people.0.role_index": ["Rang inconnu\u00a0: le modèle a un seul rôle, 0"],
    });
    expect((await read(browser, id)).people).toEqual([]);
    const people = [{ role_index: 0, ...ELOISE }];
    const planned = await plan(["title", null, null, ...none], { people, deadline_days: 14 });
    expect(planned.body).toMatchObject({ ready: 1, refused: 0, doubles: 5, deadline_days: 14 });
  });

  test("a record over several lines has the number of its first", async () => {
    const made = await prepare(
      browser,
      template,
      'Contact;Courriel;Mission\r\nA;a@lignes.fr;"Deux\r\nlignes"\r\n\r\nB;b@lignes.fr;\nC;A@lignes.fr;',
    );
    expect(
      (await rowsOf(browser, made.id)).map(
        ({ line, note }: { line: number; note: string | null }) => [line, note],
      ),
    ).toEqual([
      [2, null],
      [5, null],
      [6, "Déjà à la ligne 2"],
    ]);
  });

  test("a line is corrected, left out or sent all the same; what leaves has its title and texts, and the report escapes formulas", async () => {
    const { id } = await prepare(browser, template, FILE.replaceAll("@un.fr", "@deux.fr"));
    const change = (line: number, body: object) =>
      browser.send("PATCH", `${MAILINGS}${id}/rows/${line}/`, { body });
    expect(
      (await change(4, { cells: ["Lycée", "Anaïs", "anais.leguen@deux.fr"] })).body,
    ).toMatchObject({ line: 4, state: "ready", note: null });
    expect((await change(8, { choice: "leave" })).body.state).toBe("left");
    expect((await change(6, { choice: "send" })).body.state).toBe("ready");
    expect((await change(7, {})).status).toBe(404);
    const started = await browser.post(`${MAILINGS}${id}/start/`, {});
    expect([started.status, started.body.state]).toEqual([202, "running"]);
    expect(refusal(await change(2, { choice: "leave" }))).toEqual([400, "validation"]);
    expect(await run(service, id)).toBe("ended");
    expect(await read(browser, id)).toMatchObject({ state: "done", sent: 4, left: 1, refused: 1 });
    const late = await change(2, { choice: "leave" });
    expect([late.status, late.body.errors]).toEqual([
      400,
      { line: ["Cette ligne est déjà envoyée"] },
    ]);
    const garbled = { template, file: { name: "a.csv", content: "YWJj*ZGVm" } };
    expect((await browser.post(MAILINGS, garbled)).body.errors).toEqual({
      "file.content": [expect.stringMatching(/^Base64 invalide.*data:/)],
    });
    expect(await invited(service, "deux.fr")).toEqual([
      { email: "Theo.Lenoir@deux.fr", envelopes: 1, mails: 1 },
      { email: "anais.leguen@deux.fr", envelopes: 1, mails: 1 },
      { email: "anais@deux.fr", envelopes: 1, mails: 1 },
      { email: "theo.lenoir@deux.fr", envelopes: 1, mails: 1 },
    ]);
    const rows = await rowsOf(browser, id);
    const { body: envelope } = await browser.get(`${ENVELOPES}${rows[1].envelope_id}/`);
    expect(envelope.title).toBe("=cmd|' /C calc'!A0");
    expect(envelope.fields.map(({ value }: { value: string }) => value)).toEqual([
      null,
      "+33",
      "@somme",
    ]);
    const text = await report(browser, id);
    expect(text).toContain(
      `3;'=cmd|' /C calc'!A0;Anaïs Œuvrard;anais@deux.fr;'+33;'@somme;'-2;Envoyée;;`,
    );
    expect(text.split("\r\n")).toHaveLength(8);
    expect((await report(browser, id, "?only=faults")).split("\r\n")).toHaveLength(4);
    const { rows: notices } = await sql<{ count: number }>`
      select count(*)::int as count from notices where kind = 'mailing_ended'`.execute(
      service.platform.db,
    );
    expect(notices[0]?.count).toBe(1);
  });

  test("two processes at once, and one after the other, invite each person once", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `P${index};p${index}@trois.fr`);
    const { id } = await prepare(browser, template, ["Nom;Email", ...lines].join("\n"));
    await browser.post(`${MAILINGS}${id}/start/`, {});
    await browser.post(`${MAILINGS}${id}/start/`, {});
    await resumeMailings(service.platform);
    await Promise.all([run(service, id), run(service, id)]);
    await run(service, id);
    expect((await read(browser, id)).sent).toBe(12);
    const once = await invited(service, "trois.fr");
    expect(once).toHaveLength(12);
    expect(once.every(({ envelopes, mails }) => envelopes === 1 && mails === 1)).toBe(true);
  }, 60_000);

  test("a stopped mailing keeps what left; the rest leaves again at « réessayer », nothing twice", async () => {
    const lines = Array.from({ length: 3 }, (_, index) => `P${index};p${index}@quatre.fr`);
    const { id } = await prepare(browser, template, ["Nom;Email", ...lines].join("\n"));
    await browser.post(`${MAILINGS}${id}/start/`, {});
    const stopped = await browser.post(`${MAILINGS}${id}/stop/`, {});
    expect(stopped.body).toMatchObject({ state: "done", sent: 0, left: 3, stopped: 3 });
    expect(await runMailing(service.platform, id)).toBe("ended");
    const again = await browser.post(`${MAILINGS}${id}/start/`, {});
    expect([again.status, again.body.errors.rows]).toEqual([
      400,
      [expect.stringContaining("retry")],
    ]);
    const changed = { body: { cells: ["P0", "p0@quatre.fr"] } };
    await browser.send("PATCH", `${MAILINGS}${id}/rows/2/`, changed);
    expect(await read(browser, id)).toMatchObject({ ready: 1, left: 2, stopped: 2 });
    await browser.send("PATCH", `${MAILINGS}${id}/rows/3/`, { body: { choice: "leave" } });
    expect(await read(browser, id)).toMatchObject({ ready: 1, left: 2, stopped: 1 });
    await browser.send("PATCH", `${MAILINGS}${id}/rows/3/`, { body: { choice: "send" } });
    await browser.post(`${MAILINGS}${id}/start/`, { retry: true });
    await run(service, id);
    expect((await read(browser, id)).sent).toBe(3);
    expect(await invited(service, "quatre.fr")).toHaveLength(3);
    for (const retry of [false, true]) {
      const repeated = await browser.post(`${MAILINGS}${id}/start/`, { retry });
      expect([repeated.status, repeated.body]).toEqual([202, await read(browser, id)]);
    }
    const unsent = await prepare(browser, template, "Nom;Email\nA;a@\n");
    expect((await browser.post(`${MAILINGS}${unsent.id}/start/`, {})).body.errors.rows).toEqual([
      "Aucune ligne à envoyer.",
    ]);
  });

  test("a line fails alone once the template is gone, and nothing leaves in the name of a closed account", async () => {
    const leaver: Member = await createMember(service.platform);
    const who = await signIn(service, leaver);
    const own = await makeTemplate(who);
    const content = "Nom;Email\nA;a@cinq.fr\n";
    const { id } = await prepare(who, own, content);
    const { id: closed } = await prepare(who, own, content);
    for (const one of [id, closed]) await who.post(`${MAILINGS}${one}/start/`, {});
    await who.send("DELETE", `${TEMPLATES}${own}/`);
    await run(service, id);
    expect((await rowsOf(who, id))[0]).toMatchObject({
      state: "failed",
      note: "Le modèle ou le brouillon de cette ligne a été supprimé",
    });
    expect(await read(who, id)).toMatchObject({ template: null, faults: [expect.any(String)] });
    await sql`update users set deactivated_at = now() where id = ${leaver.id}`.execute(
      service.platform.db,
    );
    expect(await run(service, closed)).toBe("ended");
    expect(await invited(service, "cinq.fr")).toEqual([]);
  });

  test("a draft cancelled before it left is no sent line, and is made anew at « réessayer »", async () => {
    const { id } = await prepare(browser, template, "Nom;Email\nA;a@neuf.fr\n");
    const draft = await createDraft(browser, { recipients: [ELOISE] });
    await sql`update mailing_rows set envelope_id = ${draft.id} where mailing_id = ${id}`.execute(
      service.platform.db,
    );
    expect((await browser.post(`${ENVELOPES}${draft.id}/cancel/`)).status).toBe(200);
    await browser.post(`${MAILINGS}${id}/start/`, {});
    await run(service, id);
    expect((await rowsOf(browser, id))[0]).toMatchObject({ state: "failed" });
    await browser.post(`${MAILINGS}${id}/start/`, { retry: true });
    await run(service, id);
    expect((await read(browser, id)).sent).toBe(1);
    expect(await invited(service, "neuf.fr")).toHaveLength(1);
  });

  test("a thousand lines of which thirty are faulty are read at once, and the next page says them in order", async () => {
    service.platform.clock.advance({ minutes: 1 });
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      index % 33 === 7 && index < 990 ? `P${index};` : `P${index};p${index}@six.fr`,
    );
    const { id, ...mailing } = await prepare(browser, template, ["Nom;Email", ...lines].join("\n"));
    expect(mailing).toMatchObject({ total: 1_000, refused: 30, ready: 970 });
    const [first] = await rowsOf(browser, id, "?order=faults&page=2&page_size=30");
    expect([first.line, first.state]).toEqual([2, "ready"]);
    expect((await browser.get(`${MAILINGS}?page_size=1`)).body.results[0]).toMatchObject({ id });
    expect((await browser.send("DELETE", `${MAILINGS}${id}/`)).status).toBe(204);
    expect((await browser.get(`${MAILINGS}${id}/`)).status).toBe(404);
  });

  async function startByTeamKey() {
    const { platform } = service;
    await platform.db.deleteFrom("organisation_members").execute();
    const [owner, maker, heir] = [
      await createMemberAs(platform, "owner"),
      await createMemberAs(platform, "member"),
      await createMemberAs(platform, "member"),
    ];
    const lead = await signIn(service, owner);
    const name = platform.newId();
    const members = [maker, heir].map(({ id }) => ({ id, is_administrator: true }));
    const { teams } = (await lead.post("/api/organisation/teams/", { name, members })).body;
    const team: string = teams.find((one: { name: string }) => one.name === name).id;
    const change = (people: readonly Member[]) =>
      lead.send("PUT", `/api/organisation/teams/${team}/`, {
        body: { name, members: people.map(({ id }) => ({ id, is_administrator: true })) },
      });
    const making = await signIn(service, maker);
    const own = await makeTemplate(making);
    const shared = await makeTemplate(making, { team });
    const asked = { name: "CRM", scopes: ["envelopes:read", "envelopes:send"], days: null };
    const keys = "/api/signature/me/keys/";
    const { secret, key } = (await making.post(keys, { ...asked, holder: team })).body;
    const call = async (method: "GET" | "POST", url: string, payload?: object) =>
      (
        await service.app.inject({
          method,
          url,
          headers: { authorization: `Bearer ${secret}` },
          ...(payload && { payload }),
        })
      ).json();
    const file = { name: "a.csv", content: base64("Nom;Email\nA;a@neuf.fr\n") };
    expect((await call("POST", MAILINGS, { template: own, file })).code).toBe("not_found");
    const { id }: { id: string } = await call("POST", MAILINGS, { template: shared, file });
    expect((await making.get(`${MAILINGS}${id}/`)).status).toBe(404);
    await call("POST", `${MAILINGS}${id}/start/`, {});
    const revoke = () => making.send("DELETE", `${keys}${key.id}/`);
    const sentBy = async (person: Member) =>
      (
        await platform.db
          .selectFrom("envelopes")
          .select("status")
          .where("owner_id", "=", person.id)
          .where("team_id", "=", team)
          .where("status", "<>", "draft")
          .execute()
      ).length;
    return { lead, owner, maker, making, heir, team, change, call, revoke, id, sentBy };
  }

  test("a team's key begins a mailing for its team, which goes on under the leaver's heir", async () => {
    const { lead, maker, heir, call, id, sentBy } = await startByTeamKey();
    const removal = `/api/organisation/members/${maker.id}/removal/`;
    expect((await lead.post(removal, { heir_id: heir.id })).status).toBe(204);
    await run(service, id);
    expect(await call("GET", `${MAILINGS}${id}/`)).toMatchObject({ sent: 1, state: "done" });
    expect(await sentBy(heir)).toBe(1);
  });

  test("a team's mailing leaves under who is in the team now, also once its maker erased the account", async () => {
    const { maker, making, heir, owner, change, call, id, sentBy } = await startByTeamKey();
    await change([heir]);
    await run(service, id);
    expect([await sentBy(maker), await sentBy(heir)]).toEqual([0, 1]);
    const [told] = await mailFor(service.platform, heir.email);
    expect(told?.subject).toMatch(/enveloppe envoyée/);
    const body = { password: MEMBER_PASSWORD };
    expect((await making.send("DELETE", "/api/signature/me/", { body })).status).toBe(204);
    await service.settle();
    expect(await call("GET", `${MAILINGS}${id}/`)).toMatchObject({ sent: 1, state: "done" });
    expect(await sentBy(owner)).toBe(0);
  });

  test("a team's mailing ends with its reason when nobody may send in the team's name", async () => {
    const { lead, team, maker, id, sentBy } = await startByTeamKey();
    await lead.send("DELETE", `/api/organisation/teams/${team}/`);
    expect(await run(service, id)).toBe("ended");
    const { rows } = await sql`
      select state, note from mailing_rows where mailing_id = ${id}`.execute(service.platform.db);
    expect(rows).toEqual([{ state: "failed", note: "Plus personne ne peut envoyer en ce nom" }]);
    expect(await sentBy(maker)).toBe(0);
  });

  test("a mailing ends with its reason once the key that started it is revoked", async () => {
    const { maker, revoke, id, sentBy } = await startByTeamKey();
    expect((await revoke()).status).toBe(204);
    expect(await run(service, id)).toBe("ended");
    const { rows } = await sql`
      select m.state, r.state as line, r.note from mailings m
      join mailing_rows r on r.mailing_id = m.id where m.id = ${id}`.execute(service.platform.db);
    const note = "La clé du programme qui a lancé cet envoi a été révoquée";
    expect(rows).toEqual([{ state: "done", line: "failed", note }]);
    expect(await sentBy(maker)).toBe(0);
  });

  test("a person sends again what their revoked key did not", async () => {
    const asked = { name: "CRM", scopes: ["envelopes:send"], days: null };
    const { secret, key } = (await browser.post("/api/signature/me/keys/", asked)).body;
    const { id } = await prepare(browser, template, "Nom;Email\nA;a@treize.fr\n");
    const started = await service.app.inject({
      method: "POST",
      url: `${MAILINGS}${id}/start/`,
      headers: { authorization: `Bearer ${secret}` },
      payload: {},
    });
    expect(started.statusCode).toBe(202);
    await browser.send("DELETE", `/api/signature/me/keys/${key.id}/`);
    await run(service, id);
    expect(await read(browser, id)).toMatchObject({ state: "done", failed: 1, sent: 0 });
    await browser.post(`${MAILINGS}${id}/start/`, { retry: true });
    await run(service, id);
    expect(await read(browser, id)).toMatchObject({ state: "done", failed: 0, sent: 1 });
  });

  test("a key needs envelopes:send to make, change and start a mailing, and envelopes:read to follow it", async () => {
    const keyWith = async (scopes: string[]) =>
      (await browser.post("/api/signature/me/keys/", { name: "CRM", scopes, days: null })).body
        .secret;
    const call = async (method: "GET" | "POST", url: string, secret: string, payload?: object) => {
      const headers = { authorization: `Bearer ${secret}` };
      return service.app.inject({ method, url, headers, ...(payload && { payload }) });
    };
    const [reading, sending] = [
      await keyWith(["envelopes:read"]),
      await keyWith(["envelopes:send"]),
    ];
    const body = { template, file: { name: "a.csv", content: base64("Nom;Email\nA;a@sept.fr\n") } };
    expect((await call("POST", MAILINGS, reading, body)).json().code).toBe("key_scope");
    const made = (await call("POST", MAILINGS, sending, body)).json();
    expect((await call("GET", `${MAILINGS}${made.id}/`, sending)).json().code).toBe("key_scope");
    expect((await call("GET", `${MAILINGS}${made.id}/`, reading)).json().ready).toBe(1);
    expect((await call("POST", `${MAILINGS}${made.id}/start/`, sending, {})).statusCode).toBe(202);
    await run(service, made.id);
    const [row] = await rowsOf(browser, made.id);
    const { body: events } = await browser.get(`${ENVELOPES}${row.envelope_id}/events/`);
    expect(JSON.stringify(events)).toContain("le programme «\u00a0CRM\u00a0»");
  });
});

test("a limit of the service pauses a mailing with its sentence, and it goes on once it may", async () => {
  const member = await createMember(limited.platform);
  const browser = await signIn(limited, member);
  const template = await makeTemplate(browser);
  const { id } = await prepare(
    browser,
    template,
    "Nom;Email\nA;a@huit.fr\nB;b@huit.fr\nC;c@huit.fr\n",
  );
  await limitAction(limited.platform, { kind: "create", id: member.id, count: 998 });
  await browser.post(`${MAILINGS}${id}/start/`, {});
  const outcome = await run(limited, id);
  expect(outcome).toEqual({ startAfter: expect.any(Date) });
  expect(await read(browser, id)).toMatchObject({
    state: "paused",
    pause: { detail: expect.stringMatching(/^Trop de demandes\. Réessayez dans/) },
    sent: 1,
    ready: 2,
    failed: 0,
  });
  expect(await runMailing(limited.platform, id)).toEqual(outcome);
  limited.platform.clock.advance({ hours: 2 });
  expect(await run(limited, id)).toBe("ended");
  const renewed = await signIn(limited, member);
  expect(await read(renewed, id)).toMatchObject({ state: "done", sent: 3 });
  expect(await invited(limited, "huit.fr")).toHaveLength(3);
});
