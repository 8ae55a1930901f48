import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { searchText } from "./domain/search-text.ts";
import { suggestRecipients } from "./suggest-recipients.ts";
import { searchedText } from "./suggestions/store.ts";

const SUGGESTIONS = "/api/signature/recipients/suggestions/";
let service: TestApp;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  browser = await signIn(service, await createMember(service.platform));
});
afterAll(() => service.close());

const person = (full_name: string, email: string, phone_number?: string) => ({
  full_name,
  email,
  ...(phone_number ? { phone_number } : {}),
});
const names = async (search: string, who: TestBrowser = browser) =>
  (await who.get(`${SUGGESTIONS}?search=${encodeURIComponent(search)}`)).body.results.map((row: { full_name: string }) => row.full_name);
async function ask(...recipients: object[]) {
  service.platform.clock.advance({ minutes: 1 });
  return createSent(browser, { recipients });
}

test("gives the people one has asked, the last asked first, each once, by any part of name or address, case and accents ignored", async () => {
  await ask(person("Éloïse Lefèvre", "eloise@exemple.fr", "06 12 34 56 78"), person("Œdipe Ñuñez", "o@thebes.fr"));
  await ask(person("Paul Morel", "paul@exemple.fr"));
  await ask(person("Éloïse Lefèvre", "Eloise@exemple.fr", "06 99 99 99 99"));
  expect(await names("")).toEqual(["Éloïse Lefèvre", "Paul Morel", "Œdipe Ñuñez"]);
  expect(await names("LEFEVRE elo")).toEqual(["Éloïse Lefèvre"]);
  expect(await names("lefèvre")).toEqual(["Éloïse Lefèvre"]);
  expect(await names("oedipe nunez")).toEqual(["Œdipe Ñuñez"]);
  expect(await names("THEBES")).toEqual(["Œdipe Ñuñez"]);
  for (const nobody of ["%", "_", "\\", "zzz"]) expect(await names(nobody)).toEqual([]);
  const [eloise] = (await browser.get(`${SUGGESTIONS}?search=eloise`)).body.results;
  expect(eloise).toEqual({ full_name: "Éloïse Lefèvre", email: "Eloise@exemple.fr", phone_number: "+33699999999" });
});

test("gives eight at most", async () => {
  await ask(...Array.from({ length: 10 }, (_, index) => person(`Témoin ${index}`, `temoin${index}@exemple.fr`)));
  expect(await names("temoin")).toHaveLength(8);
});

test("gives nothing of others, of drafts, or of what was purged", async () => {
  const other = await signIn(service, await createMember(service.platform));
  expect(await names("", other)).toEqual([]);
  await createDraft(browser, { recipients: [person("Brouillon Seul", "brouillon@exemple.fr")] });
  expect(await names("brouillon")).toEqual([]);
  const sent = await ask(person("Purgé Demain", "purge@exemple.fr"));
  expect(await names("purge")).toEqual(["Purgé Demain"]);
  await browser.post(`${ENVELOPES}${sent.id}/cancel/`);
  await browser.send("DELETE", `${ENVELOPES}${sent.id}/purge/`);
  expect(await names("purge")).toEqual([]);
  expect((await openBrowser(service.app).get(SUGGESTIONS)).status).toBe(401);
});

test("gives the domains one has written to, the most used first; drafts, other people and strangers have no part in it", async () => {
  const sender = await signIn(service, await createMember(service.platform));
  const domains = async (who: TestBrowser) => (await who.get("/api/signature/recipients/domains/")).body.results;
  expect(await domains(sender)).toEqual([]);
  service.platform.clock.advance({ minutes: 1 });
  await createSent(sender, { recipients: [person("Anne", "anne@Cabinet-Durand.fr"), person("Luc", "luc@thebes.fr")] });
  await createSent(sender, { recipients: [person("Anne", "ANNE@cabinet-durand.fr"), person("Zoé", "zoe@cabinet-durand.fr")] });
  await createDraft(sender, { recipients: [person("Brouillon", "seul@brouillon.fr")] });
  expect(await domains(sender)).toEqual([
    { domain: "cabinet-durand.fr", people: 2 },
    { domain: "thebes.fr", people: 1 },
  ]);
  expect(await domains(await signIn(service, await createMember(service.platform)))).toEqual([]);
  expect((await openBrowser(service.app).get("/api/signature/recipients/domains/")).status).toBe(401);
});

test("finds people by their names as every search does, in whatever letters Europe writes them", async () => {
  await ask(person("Jörg Strauß", "js@exemple.de"), person("Łukasz  Đorđević", "ld@exemple.pl"));
  for (const search of ["Strauß", "strauss", "JÖRG STRAUSS"]) expect(await names(search)).toEqual(["Jörg Strauß"]);
  expect(await names("lukasz dordevic")).toHaveLength(1);
  const letters = [
    [0x20, 0x7e],
    [0xa0, 0x24f],
    [0x386, 0x3ce],
    [0x400, 0x52f],
    [0x1e00, 0x1eff],
    [0xfb00, 0xfb06],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => `a${String.fromCodePoint(first + index)}b`));
  const { rows } = await sql<{ letter: string; text: string }>`
    select letter, ${searchedText(sql`letter`)} as text from unnest(${sql.val(letters)}::text[]) as given (letter)`.execute(
    service.platform.db,
  );
  expect(rows.filter(({ letter, text }) => text !== searchText(letter))).toEqual([]);
});

test("costs a sender who asks a hundred people each time a bounded reading", async () => {
  const owner = await createMember(service.platform);
  const { db } = service.platform;
  await sql`insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, signer_count, created_at, updated_at, sent_at)
    select gen_random_uuid(), ${owner.id}::uuid, '', '', '', 'sent', 'parallel', 100, at, at, at
    from (select now() - n * interval '1 minute' as at from generate_series(1, 100) n) times`.execute(db);
  await sql`insert into recipients (id, envelope_id, position, routing_order, role, email, email_key, full_name, status)
    select gen_random_uuid(), e.id, n, 1, 'signer', 'p' || n || '@exemple.fr', 'p' || n || '@exemple.fr', 'Personne ' || n, 'notified'
    from envelopes e, generate_series(1, 100) n where e.owner_id = ${owner.id}::uuid`.execute(db);
  await sql`analyze envelopes, recipients`.execute(service.platform.owner);
  const asked: RootOperationNode[] = [];
  const ear: KyselyPlugin = { transformQuery: ({ node }) => (asked.push(node), node), transformResult: async ({ result }) => result };
  const people = await suggestRecipients({ db: db.withPlugin(ear) }, { ownerId: owner.id, search: "personne 4" });
  expect(people.map(({ fullName }) => fullName)).toContain("Personne 42");
  const { sql: text, parameters } = db.getExecutor().compileQuery(asked[0] as RootOperationNode, { queryId: "plan" });
  const plan = await db.executeQuery<{ "QUERY PLAN": string }>(CompiledQuery.raw(`explain (analyze, timing off) ${text}`, [...parameters]));
  const lines = plan.rows.map((row) => row["QUERY PLAN"]);
  // Of a hundred envelopes, forty are enough.
  const loops = lines.filter((line) => /Scan .*on recipients/.test(line)).map((line) => Number(/loops=(\d+)/.exec(line)?.[1]));
  expect([...new Set(loops)]).toEqual([40]);
});
