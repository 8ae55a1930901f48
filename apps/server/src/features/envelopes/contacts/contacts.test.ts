import { IMPORT_SENTENCES } from "@paraphe/contracts";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { multipart, openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  readEnvelope,
} from "../../../../testing/envelope.ts";
import { createMember, openMember, signIn } from "../../../../testing/member.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import { searchText } from "../domain/search-text.ts";
import { runImport } from "./import-contacts.ts";
import { parseContacts } from "./parse-contacts.ts";

const CONTACTS = "/api/signature/contacts/";
const IMPORT = `${CONTACTS}import/`;
const SUGGESTIONS = "/api/signature/recipients/suggestions/";

const service = useTestApp({ settings: { rateLimits: "off" } });

const person = (full_name: string, email: string, phone_number?: string) => ({
  full_name,
  email,
  ...(phone_number ? { phone_number } : {}),
});
const contact = (full_name: string, email: string, more: object = {}) => ({
  full_name,
  email,
  second_email: "",
  phone_number: "",
  company: "",
  ...more,
});
async function ask(who: TestBrowser, ...recipients: object[]) {
  service.platform.clock.advance({ minutes: 1 });
  return createSent(who, { recipients });
}
const suggested = async (who: TestBrowser, search = "") =>
  (await who.get(`${SUGGESTIONS}?search=${encodeURIComponent(search)}`)).body.results.map(
    (row: { full_name: string }) => row.full_name,
  );
const listed = async (who: TestBrowser, query = "") => (await who.get(`${CONTACTS}${query}`)).body;
const names = async (who: TestBrowser, query = "") =>
  (await listed(who, query)).results.map((row: { full_name: string }) => row.full_name);

function upload(who: TestBrowser, content: string | Uint8Array, name = "clients.csv") {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const form = multipart({}, [{ field: "file", name, type: "text/csv", bytes }]);
  return who.post(IMPORT, form.body, { headers: form.headers });
}
const start = (who: TestBrowser, existing = "complete") =>
  who.post(`${IMPORT}start/`, { existing });

describe("contacts stored by sendings", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openMember(service);
  });

  test("typing help gives the people an account has asked, the last asked first, each address once, by any part of name or address, case and accents ignored", async () => {
    await ask(
      browser,
      person("Éloïse Lefèvre", "eloise@exemple.fr", "06 12 34 56 78"),
      person("Œdipe Ñuñez", "o@thebes.fr"),
    );
    await ask(browser, person("Paul Morel", "paul@exemple.fr"));
    await ask(browser, person("Éloïse Lefèvre", "Eloise@exemple.fr", "06 99 99 99 99"));
    expect(await suggested(browser)).toEqual(["Éloïse Lefèvre", "Paul Morel", "Œdipe Ñuñez"]);
    expect(await suggested(browser, "LEFEVRE elo")).toEqual(["Éloïse Lefèvre"]);
    expect(await suggested(browser, "oedipe nunez")).toEqual(["Œdipe Ñuñez"]);
    expect(await suggested(browser, "THEBES")).toEqual(["Œdipe Ñuñez"]);
    for (const nobody of ["%", "_", "\\", "zzz"])
      expect(await suggested(browser, nobody)).toEqual([]);
    const [eloise] = (await browser.get(`${SUGGESTIONS}?search=eloise`)).body.results;
    expect(eloise).toEqual({
      full_name: "Éloïse Lefèvre",
      email: "Eloise@exemple.fr",
      phone_number: "+33699999999",
    });
    expect((await listed(browser, "?search=eloise")).results[0]).toMatchObject({
      origin: "sent",
      sent_count: 2,
      last_sent_at: service.platform.clock().toISOString(),
    });
  });

  test("typing help gives eight at most, and nothing of others, of drafts or of the account itself", async () => {
    const many = Array.from({ length: 10 }, (_, index) =>
      person(`Témoin ${index}`, `temoin${index}@exemple.fr`),
    );
    await ask(browser, ...many);
    expect(await suggested(browser, "temoin")).toHaveLength(8);
    const member = await createMember(service.platform);
    const other = await signIn(service, member);
    expect(await suggested(other)).toEqual([]);
    await createDraft(browser, { recipients: [person("Brouillon Seul", "brouillon@exemple.fr")] });
    expect(await suggested(browser, "brouillon")).toEqual([]);
    await ask(other, person("Soi-même", member.email));
    expect(await suggested(other)).toEqual([]);
    expect((await openBrowser(service.app).get(SUGGESTIONS)).status).toBe(401);
    expect((await openBrowser(service.app).get(CONTACTS)).status).toBe(401);
  });

  test("an erased contact leaves list and typing help; the envelope keeps its recipient", async () => {
    const sent = await ask(browser, person("Jean Oublié", "oublie@exemple.fr"));
    const [row] = (await listed(browser, "?search=oublie")).results;
    expect((await browser.send("DELETE", `${CONTACTS}${row.id}/`)).status).toBe(204);
    expect(await suggested(browser, "oublie")).toEqual([]);
    expect(await names(browser, "?search=oublie")).toEqual([]);
    expect((await readEnvelope(browser, sent.id)).recipients[0]?.email).toBe("oublie@exemple.fr");
    expect(refusal(await browser.send("DELETE", `${CONTACTS}${row.id}/`))).toEqual([
      404,
      "not_found",
    ]);
  });

  test("a purged envelope leaves its contact, which only its owner erases", async () => {
    const sent = await ask(browser, person("Purgé Demain", "purge@exemple.fr"));
    await actOn(browser, sent.id, "cancel");
    await browser.send("DELETE", `${ENVELOPES}${sent.id}/purge/`);
    expect(await suggested(browser, "purge")).toEqual(["Purgé Demain"]);
  });

  test("a corrected address replaces the mistaken one", async () => {
    const sent = await ask(browser, person("Luce Faute", "luce@exmple.fr"));
    const recipient = `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/`;
    const corrected = await browser.send("PATCH", recipient, {
      body: { email: "luce@exemple.fr" },
    });
    expect(corrected.status).toBe(200);
    const { results } = await listed(browser, "?search=luce");
    expect(results.map(({ email }: { email: string }) => email)).toEqual(["luce@exemple.fr"]);
  });

  test("nothing is stored once the choice is off; earlier contacts stay", async () => {
    const who = await openMember(service);
    await ask(who, person("Avant", "avant@exemple.fr"));
    const settings = `${CONTACTS}settings/`;
    expect((await who.get(settings)).body).toEqual({ keeps_sent: true });
    await who.send("PUT", settings, { body: { keeps_sent: false } });
    await ask(who, person("Après", "apres@exemple.fr"), person("Avant", "avant@exemple.fr"));
    expect(await suggested(who)).toEqual(["Avant"]);
    expect((await listed(who)).results[0].sent_count).toBe(1);
    await who.send("PUT", settings, { body: { keeps_sent: true } });
    await ask(who, person("Ensuite", "ensuite@exemple.fr"));
    expect(await suggested(who)).toEqual(["Ensuite", "Avant"]);
  });

  test("parallel sendings to the same people keep each contact once, with every envelope counted", async () => {
    const who = await openMember(service);
    const people = [person("Anne", "anne@p.fr"), person("Zoé", "zoe@p.fr")];
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        createSent(who, { recipients: index % 2 ? people : people.toReversed() }),
      ),
    );
    const { results } = await listed(who, "?ordering=name");
    expect(results.map((row: { sent_count: number }) => row.sent_count)).toEqual([6, 6]);
  });

  test("known domains are those of contacts, the most used first", async () => {
    const who = await openMember(service);
    const domains = async () => (await who.get("/api/signature/recipients/domains/")).body.results;
    expect(await domains()).toEqual([]);
    await ask(who, person("Anne", "anne@Cabinet-Durand.fr"), person("Luc", "luc@thebes.fr"));
    await ask(
      who,
      person("Anne", "ANNE@cabinet-durand.fr"),
      person("Zoé", "zoe@cabinet-durand.fr"),
    );
    expect(await domains()).toEqual([
      { domain: "cabinet-durand.fr", people: 2 },
      { domain: "thebes.fr", people: 1 },
    ]);
  });

  test("the database folds texts as every search does, in the letters of every European language", async () => {
    const letters = [
      [0x20, 0x7e],
      [0xa0, 0x24f],
      [0x386, 0x3ce],
      [0x400, 0x52f],
      [0x1e00, 0x1eff],
      [0xfb00, 0xfb06],
    ].flatMap(([first = 0, last = 0]) =>
      Array.from(
        { length: last - first + 1 },
        (_, index) => `a${String.fromCodePoint(first + index)}b`,
      ),
    );
    const { rows } = await sql<{ letter: string; text: string }>`
      select letter, folded_text(letter) as text from unnest(${sql.val(letters)}::text[]) as given (letter)`.execute(
      service.platform.db,
    );
    expect(rows.filter(({ letter, text }) => text !== searchText(letter))).toEqual([]);
  });
});

describe("a person's own contacts", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openMember(service);
  });

  test("adding, changing and sorting; another contact's address is refused at its field", async () => {
    const zoe = await browser.post(CONTACTS, contact(" Zoé  Ÿbert ", "zoe@ville.fr"));
    expect(zoe.status).toBe(201);
    expect(zoe.body).toMatchObject({ full_name: "Zoé  Ÿbert", origin: "added", sent_count: 0 });
    await browser.post(
      CONTACTS,
      contact("Abel Roux", "abel@ville.fr", { phone_number: "06 12 34 56 78", company: "Mairie" }),
    );
    expect(await names(browser, "?ordering=name")).toEqual(["Abel Roux", "Zoé  Ÿbert"]);
    expect(await names(browser, "?search=mairie")).toEqual(["Abel Roux"]);
    expect(await names(browser, "?origin=imported")).toEqual([]);
    const twice = await browser.post(CONTACTS, contact("Zoé", "ZOE@ville.fr"));
    expect([twice.status, twice.body.errors]).toEqual([
      400,
      { email: ["Un autre de vos contacts a déjà cette adresse."] },
    ]);
    const changed = await browser.send("PUT", `${CONTACTS}${zoe.body.id}/`, {
      body: contact("Zoé Ÿbert", "zoe@ville.fr", { second_email: "z@perso.fr" }),
    });
    expect(changed.body).toMatchObject({ second_email: "z@perso.fr", company: null });
    for (const body of [
      contact("Abel", "a@ville.fr", { second_email: "z@perso.fr" }),
      contact("Abel", "a@ville.fr", { second_email: "A@ville.fr" }),
      contact("", "b@ville.fr"),
      contact("N".repeat(10_000), "b@ville.fr"),
      contact("=cmd|' /C calc'!A0", "http"),
    ])
      expect((await browser.post(CONTACTS, body)).status).toBe(400);
    expect((await listed(browser)).count).toBe(2);
  });

  test("a second address is proposed, and a sending to it counts for its contact", async () => {
    const { body } = await browser.get(`${SUGGESTIONS}?search=perso`);
    expect(body.results.map(({ email }: { email: string }) => email)).toEqual([
      "zoe@ville.fr",
      "z@perso.fr",
    ]);
    await ask(browser, person("Z. Ybert", "z@perso.fr"));
    const { results, count } = await listed(browser, "?search=perso");
    expect([count, results[0].sent_count, results[0].full_name]).toEqual([1, 1, "Zoé Ÿbert"]);
  });

  test("contacts with one name, and one domain or number, are compared: merged, or remembered as two people", async () => {
    const doubles = async () => (await browser.get(`${CONTACTS}doubles/`)).body;
    expect(await doubles()).toEqual({ count: 0, results: [] });
    const lenoir = contact("Théo Lenoir", "theo@atelier.fr");
    const second = contact("THEO LENOIR", "t.lenoir@atelier.fr", { phone_number: "0612345678" });
    for (const body of [lenoir, second, contact("Theo Lenoir", "theo@ailleurs.fr")]) {
      service.platform.clock.advance({ seconds: 1 });
      await browser.post(CONTACTS, body);
    }
    await ask(browser, person("Théo Lenoir", "theo@atelier.fr"));
    const { count, results } = await doubles();
    expect(count).toBe(1);
    const [{ first, second: other }] = results;
    expect([first.email, other.email]).toEqual(["theo@atelier.fr", "t.lenoir@atelier.fr"]);
    const stranger = await openMember(service);
    const merge = {
      first: first.id,
      second: other.id,
      contact: contact("Théo Lenoir", "theo@atelier.fr", {
        second_email: "t.lenoir@atelier.fr",
        phone_number: "0612345678",
      }),
    };
    const merging = `${CONTACTS}doubles/merge/`;
    expect(refusal(await stranger.post(merging, merge))).toEqual([404, "not_found"]);
    const merged = await browser.post(merging, merge);
    expect(merged.body).toMatchObject({
      id: first.id,
      sent_count: 1,
      second_email: "t.lenoir@atelier.fr",
      phone_number: "+33612345678",
    });
    expect((await doubles()).count).toBe(0);
    expect(refusal(await browser.post(merging, merge))).toEqual([404, "not_found"]);

    const two = await browser.post(CONTACTS, contact("Théo Lenoir", "jeune@atelier.fr"));
    expect((await doubles()).count).toBe(1);
    const apart = { first: two.body.id, second: first.id };
    expect(refusal(await stranger.post(`${CONTACTS}doubles/apart/`, apart))[0]).toBe(404);
    expect((await browser.post(`${CONTACTS}doubles/apart/`, apart)).status).toBe(204);
    expect((await doubles()).count).toBe(0);
    const [away] = (await listed(browser, "?search=ailleurs")).results;
    const numbered = contact("Theo Lenoir", "theo@ailleurs.fr", { phone_number: "0612345678" });
    await browser.send("PUT", `${CONTACTS}${away.id}/`, { body: numbered });
    expect((await doubles()).count).toBe(1);
  });

  test("the export has no formulas, and an import reads every column of it back", async () => {
    const who = await openMember(service);
    const name = "=cmd|' /C calc'!A0; \"vrai\"";
    const full = { phone_number: "0612345678", second_email: "b@x.fr", company: "+Société" };
    await who.post(CONTACTS, contact(name, "a@x.fr", full));
    await who.post(CONTACTS, contact("Rien d’autre", "seul@x.fr"));
    const { text, headers } = await who.get(`${CONTACTS}export/`);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(text).toContain(`"'=cmd|' /C calc'!A0; ""vrai"""`);
    expect(text).toContain(";'+33612345678;'+Société\r\n");
    const other = await openMember(service);
    await upload(other, text);
    expect((await start(other)).body.written_count).toBe(2);
    const again = (await other.get(`${CONTACTS}export/`)).text;
    expect(again.split("\r\n").toSorted()).toEqual(text.split("\r\n").toSorted());
    expect((await listed(other, "?search=b@x.fr")).results).toMatchObject([
      { full_name: name, email: "a@x.fr", ...full, phone_number: "+33612345678" },
    ]);
  });
});

describe("an import", () => {
  test("shows three figures and the faults first, and writes nothing before it begins", async () => {
    const who = await openMember(service);
    await who.post(CONTACTS, contact("Théo Lenoir", "theo@atelier.fr"));
    const shown = await upload(
      who,
      [
        "Nom;Prénom;Courriel;Tél. mobile;Société",
        "Œuvrard;Camille;camille@oeuvrard.fr;06 12 34 56 78;Œuvrard SARL",
        "Le Guen;Anaïs;anais.leguen@;;",
        ";;juridique@sogexia.fr;;",
        "LENOIR;Théo;theo.@atelier.fr;;",
        "LENOIR;Théo;THEO@atelier.fr;0699999999;Atelier",
        "Œuvrard;C.;CAMILLE@oeuvrard.fr;;",
        "",
        "Numéro;Faux;faux@exemple.fr;12;",
        `${"N".repeat(10_000)};;long@exemple.fr;;`,
      ].join("\r\n"),
    );
    expect(shown.status).toBe(201);
    expect(shown.body).toMatchObject({
      file_name: "clients.csv",
      format: "csv",
      separator: ";",
      encoding: "utf-8",
      state: "ready",
      line_count: 8,
      new_count: 3,
      known_count: 1,
      refused_count: 3,
    });
    expect(
      shown.body.lines.map((line: { line: number; state: string; note: string | null }) => [
        line.line,
        line.state,
        line.note?.replaceAll("\u00a0", " ") ?? null,
      ]),
    ).toEqual([
      [3, "refused", "Adresse email incomplète"],
      [5, "refused", "Adresse email invalide"],
      [10, "refused", "Nom : 150 caractères au maximum"],
      [4, "new", "Nom absent : « juridique » sera pris"],
      [7, "double", "Même adresse que la ligne 2 : réunies"],
      [9, "new", "Téléphone illisible : laissé de côté"],
      [6, "known", null],
      [2, "new", null],
    ]);
    expect((await listed(who)).count).toBe(1);
    const faults = await who.get(`${IMPORT}faults/`);
    expect(faults.text).toContain("3;Anaïs Le Guen;anais.leguen@;;;;Adresse email incomplète\r\n");

    const begun = await start(who);
    expect(begun.body).toMatchObject({ state: "done", written_count: 4, lines: [] });
    expect((await start(who)).body.written_count).toBe(4);
    const { results, count } = await listed(who, "?ordering=name&page_size=100");
    expect(count).toBe(4);
    expect(
      results.find(({ email }: { email: string }) => email === "theo@atelier.fr"),
    ).toMatchObject({
      full_name: "Théo Lenoir",
      phone_number: "+33699999999",
      company: "Atelier",
      origin: "added",
    });
    await service.settle();
    expect((await listed(who)).count).toBe(4);
  });

  test.each([
    ["complete", ["Ancien", "b@x.fr", "+33611111111", "Neuve"]],
    ["replace", ["Nouveau", "c@x.fr", "+33622222222", "Neuve"]],
    ["skip", ["Ancien", "b@x.fr", "+33611111111", null]],
  ])("what exists is changed as chosen: %s", async (existing, expected) => {
    const who = await openMember(service);
    const known = contact("Ancien", "a@x.fr", {
      phone_number: "0611111111",
      second_email: "b@x.fr",
    });
    for (const email of ["a@x.fr", existing === "replace" ? "c@x.fr" : "b@x.fr"]) {
      if (email === "a@x.fr") await who.post(CONTACTS, known);
      const line = `${email},Nouveau,0622222222,Neuve,${email === "a@x.fr" ? "c@x.fr" : ""}`;
      await upload(who, `Email,Name,Phone,Company,Secondary Email\n${line}\n`);
      expect((await start(who, existing)).body.written_count).toBe(existing === "skip" ? 0 : 1);
      const { results, count } = await listed(who);
      const [{ full_name, second_email, phone_number, company }] = results;
      expect([count, full_name, second_email, phone_number, company]).toEqual([1, ...expected]);
    }
  });

  test("a second address that another contact has is written, both are compared, and each can still be changed", async () => {
    const who = await openMember(service);
    await who.post(CONTACTS, contact("Z. Tremblay", "zoe.perso@x.fr"));
    service.platform.clock.advance({ seconds: 1 });
    await upload(who, "Nom complet;Email;Email 2\nZoé Tremblay;zoe@notaires.fr;ZOE.perso@x.fr\n");
    expect((await start(who)).body.written_count).toBe(1);
    const { count, results } = (await who.get(`${CONTACTS}doubles/`)).body;
    expect([count, results[0].second.second_email]).toEqual([1, "ZOE.perso@x.fr"]);
    const { id } = results[0].second;
    const change = (body: object) => who.send("PUT", `${CONTACTS}${id}/`, { body });
    const both = { second_email: "zoe.perso@x.fr", company: "Notaires" };
    expect((await change(contact("Zoé Tremblay", "zoe@notaires.fr", both))).status).toBe(200);
    const taken = await change(contact("Zoé Tremblay", "zoe.perso@x.fr"));
    expect(taken.body.errors).toEqual({
      email: ["Un autre de vos contacts a déjà cette adresse."],
    });
  });

  test("goes on in the background above a thousand lines; parallel runs, and a run that stops half-way, write each contact once", async () => {
    const who = await openMember(service);
    const lines = Array.from({ length: 2_400 }, (_, index) =>
      index % 12 === 5 ? `Sans adresse ${index};` : `Personne ${index};p${index}@exemple.fr`,
    );
    await upload(who, `Nom complet;Email\n${lines.join("\n")}\n`);
    const begun = await start(who);
    expect(begun.body).toMatchObject({ state: "running", written_count: 0 });
    expect(refusal(await upload(who, "Email\na@b.fr\n"))).toEqual([409, "import_in_progress"]);
    expect(refusal(await who.send("DELETE", IMPORT))).toEqual([409, "import_in_progress"]);
    const { id } = await service.platform.db
      .selectFrom("contact_imports")
      .select("id")
      .where("state", "=", "running")
      .executeTakeFirstOrThrow();
    // The third slice fails: what was committed before stays.
    let slices = 0;
    const failing = {
      ...service.platform,
      clock: Object.assign(() => {
        slices += 1;
        if (slices === 3) throw new Error("the process ends here");
        return service.platform.clock();
      }, service.platform.clock),
    };
    await expect(runImport(failing, id)).rejects.toThrow("the process ends here");
    expect((await who.get(IMPORT)).body.import).toMatchObject({
      state: "running",
      written_count: 1_000,
    });
    await Promise.all([runImport(service.platform, id), runImport(service.platform, id)]);
    await service.settle();
    expect((await who.get(IMPORT)).body.import).toMatchObject({
      state: "done",
      written_count: 2_200,
      refused_count: 200,
    });
    expect((await listed(who)).count).toBe(2_200);
    const left = await service.platform.db
      .selectFrom("contact_import_lines")
      .select("line")
      .where("import_id", "=", id)
      .execute();
    expect(left).toEqual([]);
    expect((await who.send("DELETE", IMPORT)).status).toBe(204);
    expect((await who.get(IMPORT)).body).toEqual({ import: null });
  });

  test("50,000 lines with 200 faults are read, and one more line is refused", async () => {
    const who = await openMember(service);
    const lines = Array.from({ length: 50_000 }, (_, index) =>
      index % 250 === 9
        ? `Personne ${index};p${index}@`
        : `Personne ${index};p${index}@exemple.fr;Société ${index}`,
    );
    const csv = `Nom complet;Email;Société\n${lines.join("\n")}`;
    const shown = await upload(who, csv);
    expect(shown.body).toMatchObject({
      line_count: 50_000,
      new_count: 49_800,
      refused_count: 200,
    });
    expect(shown.body.lines).toHaveLength(55);
    expect((await who.get(`${IMPORT}faults/`)).text.trim().split("\r\n")).toHaveLength(201);
    const longer = await upload(who, `${csv}\nUn de trop;trop@exemple.fr;`);
    expect([longer.status, longer.body.errors]).toEqual([
      400,
      { file: [IMPORT_SENTENCES.too_long] },
    ]);
    expect((await listed(who)).count).toBe(0);
  }, 60_000);
});

describe("a file of contacts", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
  async function read(bytes: Uint8Array) {
    const parsed = await parseContacts(bytes);
    return parsed.ok
      ? {
          ...parsed.value,
          lines: parsed.value.lines.map((line) => [line.line, line.fullName, line.email]),
        }
      : (parsed.error.errors ?? {});
  }

  test("says at which line a quote was opened that nothing closes", async () => {
    const text =
      'Nom;Email\r\n"Paul\r\nMorel";p@exemple.fr\r\nA;"b@exemple.fr\r\nC;c@exemple.fr\r\n';
    expect(await read(bytesOf(text))).toEqual({
      file: ["Un guillemet ouvert à la ligne 4 n’est jamais fermé. Corrigez-le, puis recommencez."],
    });
  });

  test("is read in UTF-8, Windows-1252 and UTF-16, with each separator, quotes and a byte order mark", async () => {
    const noe = [2, "Noé Ÿbert", "noe@ville.fr"];
    expect(await read(bytesOf('\ufeffNom complet,Email\r\n"Noé Ÿbert",noe@ville.fr\r\n'))).toEqual({
      format: "csv",
      separator: ",",
      encoding: "utf-8",
      lines: [noe],
    });
    expect(await read(latin1("Prénom\tNom\tCourriel\nNoé\tDurand\tnoe@ville.fr"))).toEqual({
      format: "csv",
      separator: "tab",
      encoding: "windows-1252",
      lines: [[2, "Noé Durand", "noe@ville.fr"]],
    });
    const utf16 = Buffer.from("\ufeffNom complet\tE-mail\r\nNoé Ÿbert\tnoe@ville.fr", "utf16le");
    expect(await read(Uint8Array.from(utf16))).toMatchObject({ encoding: "utf-16", lines: [noe] });
    expect(
      await read(bytesOf('Email;Nom complet\n"a@b.fr";"Durand; ""dit"" Léo\nbis"\n\nc@d.fr;Eva')),
    ).toMatchObject({
      lines: [
        [2, 'Durand; "dit" Léo bis', "a@b.fr"],
        [5, "Eva", "c@d.fr"],
      ],
    });
  });

  test("needs no headings", async () => {
    expect(await read(bytesOf("Léo Durand;0612345678;leo@durand.fr;Durand SARL\n"))).toMatchObject({
      lines: [[1, "Léo Durand", "leo@durand.fr"]],
    });
  });

  test("gives the second address of a person; what cannot be kept is told", async () => {
    const seconds = async (text: string) => {
      const parsed = await parseContacts(bytesOf(text));
      if (!parsed.ok) throw new Error("refused");
      return parsed.value.lines.map((one) => [
        one.email,
        one.secondEmail,
        one.note?.replaceAll("\u00a0", " ") ?? null,
      ]);
    };
    const card = (...addresses: string[]) =>
      `BEGIN:VCARD\nFN:Zoé\n${addresses.map((one) => `EMAIL;TYPE=HOME:${one}\n`).join("")}END:VCARD\n`;
    const both = ["zoe@a.fr", "zoe@b.fr"];
    expect(await seconds(card(...both))).toEqual([[...both, null]]);
    for (const headings of [
      "Nom,Email,Email 2",
      "Name,E-mail 1 - Value,E-mail 2 - Value",
      "Display Name,Primary Email,Secondary Email",
      "Nom,Adresse de messagerie,Adresse de messagerie 2",
      "Nom,Courriel,Seconde adresse",
      "Nom,Email,Adresse email",
    ])
      expect(await seconds(`${headings}\nZoé,${both.join(",")}`)).toEqual([[...both, null]]);
    expect(await seconds(`Zoé,${both.join(",")}`)).toEqual([[...both, null]]);
    expect(await seconds("Nom,Adresse,Email\nZoé,12 rue Haute,zoe@a.fr")).toEqual([
      ["zoe@a.fr", null, null],
    ]);
    expect(await seconds(card("zoe@a.fr", "ZOE@a.fr", "zoe@", "zoe@b.fr", "zoe@c.fr"))).toEqual([
      [
        ...both,
        "Seconde adresse illisible : laissée de côté. Deux adresses au plus : zoe@c.fr laissée de côté",
      ],
    ]);
    const joined = [["zoe@a.fr"], ["zoe@a.fr", "zoe@b.fr"], ["zoe@b.fr", "zoe@c.fr"]];
    expect(await seconds(joined.map((one) => card(...one)).join(""))).toEqual([
      [...both, null],
      [...both, "Même adresse que la ligne 1 : réunies"],
      [
        "zoe@b.fr",
        "zoe@c.fr",
        "Même adresse que la ligne 1 : réunies. Deux adresses au plus : zoe@c.fr laissée de côté",
      ],
    ]);
  });

  test("may be vCards 3 and 4, and those of Android: photos are left out, names decoded", async () => {
    const cards = [
      "BEGIN:VCARD",
      "VERSION:3.0",
      "N:Durand;Léo;;;",
      "FN:Léo Durand",
      "ORG:Durand\\, SARL;Vente",
      "item1.EMAIL;type=INTERNET;type=pref:leo@durand.fr",
      "TEL;TYPE=CELL:06 12 34 56 78",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
      ` ${"A".repeat(70)}`,
      "END:VCARD",
      "BEGIN:VCARD",
      "VERSION:4.0",
      "FN:Anne-Sophie de ",
      " Kerangal",
      "EMAIL:mailto:anne@kerangal.fr",
      'TEL;VALUE=uri;TYPE="voice,home":tel:+33-2-98-00-00-00;ext=5',
      "END:VCARD",
      "BEGIN:VCARD",
      "VERSION:2.1",
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4C=C3=A9=67=65=72;=5A=6F=",
      "=C3=A9;;;",
      "EMAIL;HOME:zoe@leger.fr",
      "END:VCARD",
      "BEGIN:VCARD",
      "FN:Sans adresse",
      "END:VCARD",
    ].join("\r\n");
    const parsed = await parseContacts(bytesOf(cards));
    if (!parsed.ok) throw new Error("refused");
    expect(parsed.value.format).toBe("vcard");
    expect(
      parsed.value.lines.map((one) => [
        one.line,
        one.fullName,
        one.email,
        one.phoneNumber,
        one.company,
      ]),
    ).toEqual([
      [1, "Léo Durand", "leo@durand.fr", "+33612345678", "Durand, SARL"],
      [11, "Anne-Sophie de Kerangal", "anne@kerangal.fr", "+33298000000", null],
      [18, "Zoé Léger", "zoe@leger.fr", null, null],
      [24, "Sans adresse", "", null, null],
    ]);
  });

  test("a file that is none of these is refused with what to do", async () => {
    const sentences = async (bytes: Uint8Array) =>
      (Object.values(await read(bytes))[0] as readonly string[])[0];
    expect(await sentences(new Uint8Array())).toMatch("ne contient aucun contact");
    expect(await sentences(bytesOf("Email;Nom\n\n"))).toMatch("ne contient aucun contact");
    expect(await sentences(bytesOf("PK\u0003\u0004 classeur"))).toMatch("est un classeur");
    expect(await sentences(Uint8Array.of(0x25, 0x50, 0, 1))).toMatch("ni un CSV ni une vCard");
    expect(await sentences(bytesOf("Nom;Ville\nDurand;Paris"))).toMatch(
      "Aucune colonne d’adresses",
    );
    expect(await sentences(bytesOf('Email;Nom\n"a@b.fr;Durand\nc@d.fr;Eva'))).toMatch(
      "jamais fermé",
    );
    const paul = await openMember(service);
    expect((await upload(paul, new Uint8Array(), "vide.csv")).body.errors.file[0]).toMatch(
      "aucun contact",
    );
  });
});
