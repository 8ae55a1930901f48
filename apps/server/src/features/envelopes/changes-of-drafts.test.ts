import { type Envelope, problemSentence } from "@paraphe/contracts";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { multipart, openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  eventsOf,
  PAUL,
  readEnvelope,
  signNth,
} from "../../../testing/envelope.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { verifyChain } from "../journal/journal.ts";
import { invalidState } from "./domain/envelope.ts";

const service = useTestApp();

let member: Member;
let anne: TestBrowser;

beforeAll(async () => {
  member = await createMember(service.platform);
  anne = await signIn(service, member);
});

const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  anne.send("PATCH", `${ENVELOPES}${id}/`, { body, headers });
const asGiven = ({
  id,
  email,
  full_name,
  phone_number,
  role,
  order,
}: Envelope["recipients"][number]) => ({
  id,
  email,
  full_name,
  phone_number,
  role,
  order,
});
const FIELD = { type: "signature", page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.07 };

test("a draft takes what the request names, and nothing else; its version moves on", async () => {
  const draft = await createDraft(anne, { message: "avant" });
  service.platform.clock.advance({ minutes: 1 });
  const answer = await patch(draft.id, {
    title: "Avenant n° 2",
    flow: "sequential",
    deadline_at: "2026-12-01T10:00:00+01:00",
  });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      version: 2,
      title: "Avenant n° 2",
      flow: "sequential",
      deadline_at: "2026-12-01T09:00:00.000Z",
      message: "avant",
    },
  });
  expect(answer.body.recipients).toEqual(draft.recipients);
  expect(answer.body.updated_at > draft.updated_at).toBe(true);
  expect((await patch(draft.id, { message: null, deadline_at: null })).body).toMatchObject({
    version: 3,
    message: null,
    deadline_at: null,
  });
});

test("a change that a draft has already keeps its version and its date, and writes no event", async () => {
  const { db, clock } = service.platform;
  const draft = await createDraft(anne, {
    title: "Bail",
    message: "m",
    deadline_at: "2026-12-01T09:00:00Z",
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0, label: "Ici", x: 0.1 + 0.2 }],
  });
  const [document] = draft.documents;
  const unplaced = { ...draft.fields[0], id: undefined };
  const same = {
    title: " Bail ",
    message: "m",
    deadline_at: "2026-12-01T10:00:00+01:00",
    flow: draft.flow,
    reminders: { every_days: null },
    proof_only: false,
    team: null,
    recipients: draft.recipients.map(asGiven),
    fields: draft.fields,
    remove_documents: [],
    order: [document?.id],
    accept_normalised: [document?.id],
    use_forms: [],
    document_names: [{ id: document?.id, name: document?.name }],
  };
  const told = () =>
    sql`select e.version, e.updated_at, e.xmin::text,
      (select count(*)::int from audit_events a where a.envelope_id = e.id) as events
      from envelopes e where e.id = ${draft.id}`.execute(db);
  const before = await told();
  clock.advance({ minutes: 1 });
  for (const body of [{}, same, { fields: [unplaced] }, { title: "Bail", message: "m" }]) {
    const answer = await patch(draft.id, body, { "if-match": `"${draft.version}"` });
    expect([answer.status, answer.body]).toEqual([200, draft]);
  }
  expect((await told()).rows).toEqual(before.rows);
  for (const [part, value] of Object.entries({
    flow: "sequential",
    proof_only: true,
    reminders: { every_days: 3 },
    fields: [{ ...unplaced, value: "v" }],
    title: "Avenant",
    recipients: draft.recipients.slice(0, 1).map(asGiven),
  })) {
    const { version } = await readEnvelope(anne, draft.id);
    const answer = await patch(draft.id, { ...same, message: "m", [part]: value });
    expect([part, answer.body.version]).toEqual([part, version + 1]);
  }
});

test("a draft is found again by its new title", async () => {
  const draft = await createDraft(anne);
  await patch(draft.id, { title: "Été caniculaire" });
  expect((await anne.get(`${ENVELOPES}?search=ete%20CANIC`)).body.results[0].id).toBe(draft.id);
});

test("a draft replaces the whole list of recipients; rows with an id keep it, those left out go with their fields", async () => {
  const draft = await createDraft(anne, {
    fields: [
      { ...FIELD, document_index: 0, recipient_index: 0 },
      { ...FIELD, y: 0.5, document_index: 0, recipient_index: 1 },
    ],
  });
  const [paul, eloise] = draft.recipients;
  const answer = await patch(draft.id, {
    recipients: [
      { email: "neuf@exemple.fr", full_name: "Neuf" },
      { id: eloise?.id, ...ELOISE, full_name: "Éloïse L." },
    ],
  });
  expect(answer.body.recipients).toMatchObject([
    { full_name: "Neuf" },
    { id: eloise?.id, full_name: "Éloïse L." },
  ]);
  expect(answer.body.recipients[0].id).not.toBe(paul?.id);
  expect(answer.body.fields).toMatchObject([{ recipient_id: eloise?.id }]);
  expect(answer.body.progress.total).toBe(2);
});

test("a draft takes the fields away from a person who is now in copy", async () => {
  const draft = await createDraft(anne, {
    recipients: [PAUL],
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0 }],
  });
  const answer = await patch(draft.id, {
    recipients: [{ id: draft.recipients[0]?.id, ...PAUL, role: "viewer" }],
  });
  expect(answer.body).toMatchObject({ fields: [], progress: { total: 0 } });
});

test("a draft replaces the whole list of fields; its own ids stay, a foreign one is replaced", async () => {
  const other = await createDraft(anne, {
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0 }],
  });
  const draft = await createDraft(anne, {
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0 }],
  });
  const place = { document_id: draft.documents[0]?.id, recipient_id: draft.recipients[1]?.id };
  const answer = await patch(draft.id, {
    fields: [
      { ...FIELD, ...place, id: draft.fields[0]?.id },
      { ...FIELD, y: 0.2, ...place, id: other.fields[0]?.id },
    ],
  });
  expect(answer.status).toBe(200);
  expect(answer.body.fields[0].id).toBe(draft.fields[0]?.id);
  expect(answer.body.fields[1].id).not.toBe(other.fields[0]?.id);
  expect((await readEnvelope(anne, other.id)).fields).toEqual(other.fields);
});

test("a draft adds, removes and orders documents, and numbers them from 1", async () => {
  const file = (name: string) => ({ name, bytes: makePdf({ text: name }) });
  const draft = await createDraft(anne, {
    files: [file("a.pdf"), file("b.pdf"), file("c.pdf")],
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0 }],
  });
  const [a, b, c] = draft.documents.map((document) => document.id);
  const form = multipart({ remove_documents: JSON.stringify([a]), order: JSON.stringify([c, b]) }, [
    { field: "files", type: "application/pdf", ...file("d.pdf") },
  ]);
  const answer = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, form);
  expect(answer.status).toBe(200);
  expect(answer.body.documents).toMatchObject([
    { id: c, name: "c.pdf", order: 1 },
    { id: b, order: 2 },
    { name: "d.pdf", order: 3 },
  ]);
  expect(answer.body.fields).toEqual([]);
});

test("a draft renames a file, cleaned and with its ending, and records it", async () => {
  const draft = await createDraft(anne, {
    files: ["a.pdf", "b.pdf"].map((name) => ({ name, bytes: makePdf() })),
  });
  const [a, b] = draft.documents.map((document) => document.id);
  const answer = await patch(draft.id, {
    document_names: [{ id: b, name: " Bail 12/2026\u202en° 2 " }],
  });
  expect(answer.body.documents).toMatchObject([
    { id: a, name: "a.pdf" },
    { id: b, name: "Bail 12-2026 n° 2.pdf" },
  ]);
  const results = await eventsOf(anne, draft.id);
  expect(
    results.find(({ action }: { action: string }) => action === "envelope_updated").detail.changed,
  ).toEqual(["document_names"]);
});

test("an empty text in a form clears a draft's message and deadline", async () => {
  const draft = await createDraft(anne, { message: "m", deadline_at: "2026-12-01T09:00:00Z" });
  expect(
    (
      await anne.send(
        "PATCH",
        `${ENVELOPES}${draft.id}/`,
        multipart({ message: "", deadline_at: "" }),
      )
    ).body,
  ).toMatchObject({
    message: null,
    deadline_at: null,
  });
});

test("the journal records a draft's files and people each time, the rest once a quarter of an hour", async () => {
  const { clock } = service.platform;
  const draft = await createDraft(anne, { recipients: [PAUL] });
  const told = async () =>
    (await eventsOf(anne, draft.id))
      .filter((event: { action: string }) => event.action === "envelope_updated")
      .map((event: { detail: { changed: string[] } }) => event.detail.changed);
  await patch(draft.id, { title: "b", message: "c", flow: draft.flow });
  expect(await told()).toEqual([["message", "title"]]);
  clock.advance({ minutes: 10 });
  anne = await signIn(service, member);
  await patch(draft.id, { title: "d" });
  const same = { ...PAUL, id: draft.recipients[0]?.id };
  await patch(draft.id, { recipients: [same] });
  expect(await told()).toHaveLength(1);
  await patch(draft.id, { recipients: [{ ...same, full_name: "Paul Morin" }] });
  expect(await told()).toEqual([["recipients"], ["message", "title"]]);
  const form = multipart({}, [
    { field: "files", type: "application/pdf", name: "b.pdf", bytes: makePdf({ text: "b" }) },
  ]);
  await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, form);
  expect((await told())[0]).toEqual(["files"]);
  clock.advance({ minutes: 15 });
  anne = await signIn(service, member);
  await patch(draft.id, { title: "e" });
  expect((await told())[0]).toEqual(["title"]);
  expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({
    ok: true,
    count: 5,
  });
});

test("a draft saved again writes the rows of what differs, and no other", async () => {
  const { db } = service.platform;
  const draft = await createDraft(anne, {
    fields: [0.1, 0.3, 0.5].map((y) => ({
      ...FIELD,
      y,
      document_index: 0,
      recipient_index: y === 0.5 ? 1 : 0,
    })),
  });
  const rowsOf = async (table: "fields" | "recipients") => {
    const { rows } = await sql<{ id: string; row: string }>`
        select id, xmin || ' ' || ctid as row from ${sql.table(table)} where envelope_id = ${draft.id}::uuid order by position`.execute(
      db,
    );
    return rows.map(({ id, row }) => `${id} ${row}`);
  };
  const [fields, recipients] = [await rowsOf("fields"), await rowsOf("recipients")];
  const [first, second, third] = draft.fields;
  await patch(draft.id, { fields: draft.fields, recipients: draft.recipients.map(asGiven) });
  expect(await rowsOf("fields")).toEqual(fields);
  expect(await rowsOf("recipients")).toEqual(recipients);
  const answer = await patch(draft.id, {
    fields: [first, { ...third, x: 0.2 }, { ...second, id: undefined, y: 0.7 }],
  });
  expect(answer.body.fields).toEqual([
    first,
    { ...third, x: 0.2 },
    { ...second, id: expect.any(String), y: 0.7 },
  ]);
  expect((await rowsOf("fields"))[0]).toBe(fields[0]);
  expect((await rowsOf("fields"))[1]).not.toContain(fields[2]);
  expect(answer.body.fields[2].id).not.toBe(second?.id);
});

test("a change of a draft is refused when another tab changed it first: the version seen is not the last", async () => {
  const draft = await createDraft(anne);
  expect((await patch(draft.id, { title: "onglet 1" }, { "if-match": '"1"' })).status).toBe(200);
  expect((await patch(draft.id, { title: "onglet 2" }, { "if-match": '"1"' })).body).toMatchObject({
    status: 409,
    code: "version_conflict",
    version: 2,
  });
  expect((await readEnvelope(anne, draft.id)).title).toBe("onglet 1");
  expect((await patch(draft.id, { title: "onglet 2" }, { "if-match": '"2"' })).status).toBe(200);
});

test("a version may stand bare or in a weak tag, * takes any, and anything else is refused in words", async () => {
  const draft = await createDraft(anne);
  const statusOf = async (tag: string) =>
    (await patch(draft.id, { title: `Bail ${tag.length}` }, { "if-match": tag })).status;
  for (const [version, tag] of ['"1"', "2", 'W/"3"', "*", ' "5" '].entries())
    expect([version, tag, await statusOf(tag)]).toEqual([version, tag, 200]);
  expect(await statusOf('"123456789012"')).toBe(409);
  for (const tag of ["abc", '"abc"', '"6', "W/6", '"6", "7"', "-6", ""]) {
    const { status, body } = await patch(draft.id, { title: "x" }, { "if-match": tag });
    expect([tag, status, body.code, body.errors]).toEqual([
      tag,
      400,
      "validation",
      { "If-Match": ['La «\u00a0version\u00a0» lue, entre guillemets ("3"), ou *'] },
    ]);
  }
  expect((await readEnvelope(anne, draft.id)).title).toBe("Bail 5");
});

test("one of four changes at once of a draft wins", async () => {
  const draft = await createDraft(anne);
  const answers = await Promise.all(
    ["a", "b", "c", "d"].map((title) => patch(draft.id, { title }, { "if-match": '"1"' })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409]);
});

test("a draft needs a document", async () => {
  const draft = await createDraft(anne);
  expect(
    (await patch(draft.id, { remove_documents: [draft.documents[0]?.id] })).body.errors,
  ).toEqual({
    files: ["Au moins un fichier"],
  });
});

test("a change of a draft is refused with ids that are not this envelope's", async () => {
  const draft = await createDraft(anne);
  const other = await createDraft(anne);
  const foreign = [other.documents[0]?.id];
  expect((await patch(draft.id, { remove_documents: foreign })).body.errors).toHaveProperty(
    "remove_documents",
  );
  expect((await patch(draft.id, { accept_normalised: foreign })).body.errors).toHaveProperty(
    "accept_normalised",
  );
  expect(
    (await patch(draft.id, { document_names: [{ id: foreign[0], name: "x.pdf" }] })).body.errors,
  ).toHaveProperty("document_names");
  expect((await patch(draft.id, { order: foreign })).body.errors).toHaveProperty("order");
  expect(
    (await patch(draft.id, { recipients: [{ id: other.recipients[0]?.id, ...PAUL }] })).body.errors,
  ).toHaveProperty("recipients");
  expect(
    (
      await patch(draft.id, {
        fields: [{ ...FIELD, document_id: foreign[0], recipient_id: other.recipients[0]?.id }],
      })
    ).body.errors,
  ).toEqual({
    "fields.0.document_id": ["Ce document n’est pas dans l’enveloppe"],
    "fields.0.recipient_id": ["Ce destinataire n’est pas dans l’enveloppe"],
  });
  expect((await readEnvelope(anne, other.id)).recipients).toEqual(other.recipients);
});

test("a change of a draft is refused with the same field, person or file twice, and then writes nothing", async () => {
  const draft = await createDraft(anne, {
    fields: [{ ...FIELD, document_index: 0, recipient_index: 0 }],
  });
  const [document, paul, eloise] = [draft.documents[0]?.id, ...draft.recipients.map(asGiven)];
  const field = {
    ...FIELD,
    id: draft.fields[0]?.id,
    document_id: document,
    recipient_id: paul?.id,
  };
  const twice = {
    fields: [field, { ...field, y: 0.2 }],
    recipients: [paul, { ...eloise, id: paul?.id }],
    remove_documents: [document, document],
    accept_normalised: [document, document],
  };
  const said = {
    fields: "Ce champ figure deux fois",
    recipients: "Ce destinataire figure deux fois",
    remove_documents: "Ce document figure deux fois",
    accept_normalised: "Ce document figure deux fois",
  };
  for (const part of Object.keys(twice) as (keyof typeof twice)[]) {
    const refused = await patch(draft.id, { title: "autre", [part]: twice[part] });
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      400,
      "validation",
      { [part]: [said[part]] },
    ]);
  }
  expect(await readEnvelope(anne, draft.id)).toEqual(draft);
  // Rows without an id count as they stand.
  const { id: _, ...unnamed } = field;
  expect(
    (await patch(draft.id, { fields: [unnamed, { ...unnamed, y: 0.2 }] })).body.fields,
  ).toHaveLength(2);
});

test("a change of a draft is refused with a file named twice or not at all", async () => {
  const draft = await createDraft(anne);
  const id = draft.documents[0]?.id;
  expect((await patch(draft.id, { document_names: [{ id, name: " " }] })).body.errors).toEqual({
    "document_names.0.name": ["Nom requis"],
  });
  const twice = ["x.pdf", "y.pdf"].map((name) => ({ id, name }));
  expect((await patch(draft.id, { document_names: twice })).body.errors).toHaveProperty(
    "document_names",
  );
  expect((await readEnvelope(anne, draft.id)).documents[0].name).toBe("Bail.pdf");
});

test("a change of a draft refuses what nobody may set", async () => {
  const draft = await createDraft(anne);
  for (const key of [
    "status",
    "owner_id",
    "created_at",
    "signed",
    "version",
    "constructor",
    "level",
  ]) {
    expect((await patch(draft.id, { [key]: "x" })).status).toBe(400);
  }
});

test("a change of a draft is refused with a bad file, and then changes nothing", async () => {
  const draft = await createDraft(anne);
  const form = multipart({ title: "autre" }, [
    { field: "files", name: "vide.pdf", type: "application/pdf", bytes: new Uint8Array() },
  ]);
  expect((await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, form)).body.errors).toEqual({
    "files.0": ["Le fichier est vide"],
  });
  expect(await readEnvelope(anne, draft.id)).toMatchObject({
    version: 1,
    title: draft.title,
  });
});

test("a change of a draft is refused over 50 MB or 20 documents in all", async () => {
  const file = (index: number) => ({ name: `${index}.pdf`, bytes: makePdf() });
  const draft = await createDraft(anne, {
    files: Array.from({ length: 20 }, (_, index) => file(index)),
  });
  const form = multipart({}, [{ field: "files", type: "application/pdf", ...file(20) }]);
  expect((await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, form)).body.code).toBe(
    "envelope_too_large",
  );
});

test("a change of a draft is refused once it is sent", async () => {
  const sent = await createSent(anne);
  expect((await patch(sent.id, { title: "x" })).body).toMatchObject({
    status: 409,
    code: "invalid_state",
    detail: problemSentence(invalidState("sent")),
  });
});

describe("a duplicate", () => {
  let anne: TestBrowser;
  let paulMember: Member;

  beforeAll(async () => {
    anne = await openMember(service, { firstName: "Anne", lastName: "Roux" });
    paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
  });

  const FIELD = {
    document_index: 1,
    recipient_index: 1,
    type: "text",
    page: 1,
    x: 0.1,
    y: 0.8,
    width: 0.3,
    height: 0.07,
    label: "Fait à",
  };
  const prepared = () =>
    createDraft(anne, {
      title: "Bail d’habitation",
      message: "Bonjour",
      flow: "sequential",
      deadline_at: "2026-12-24T17:00:00.000Z",
      reminders: { every_days: 3, business_days: true },
      files: [
        { name: "Bail.pdf", bytes: makePdf({ pages: 2 }) },
        { name: "Annexe.pdf", bytes: makePdf({ text: "Annexe" }) },
      ],
      recipients: [
        { email: paulMember.email, full_name: "Paul Morel" },
        { ...ELOISE, role: "approver", order: 2 },
        { email: "copie@exemple.fr", full_name: "Copie", role: "viewer", order: 3 },
      ],
      fields: [
        { ...FIELD, document_index: 0, recipient_index: 0, type: "signature", label: null },
        { ...FIELD, value: "Lyon" },
      ],
    });
  const duplicate = (id: string, who = anne) => actOn(who, id, "duplicate");
  const files = ({ documents }: Envelope) =>
    documents.map(({ name, sha256, page_count }) => ({ name, sha256, page_count }));
  const people = ({ recipients }: Envelope) =>
    recipients.map(({ email, full_name, phone_number, role, order }) => ({
      email,
      full_name,
      phone_number,
      role,
      order,
    }));
  const places = ({ documents, recipients, fields }: Envelope) =>
    fields.map(({ id: _id, document_id, recipient_id, value: _value, ...place }) => ({
      ...place,
      document: documents.findIndex(({ id }) => id === document_id),
      recipient: recipients.findIndex(({ id }) => id === recipient_id),
    }));
  const values = ({ fields }: Envelope) => fields.map(({ value }) => value);

  test("a duplicate is a draft of its own with the same files, people, fields and settings, but no deadline", async () => {
    const draft = await prepared();
    const answer = await duplicate(draft.id);
    expect(answer.status).toBe(201);
    const copy = answer.body as Envelope;
    expect(copy).toMatchObject({
      version: 1,
      status: "draft",
      title: "Bail d’habitation",
      message: "Bonjour",
      flow: "sequential",
      deadline_at: null,
      reminders: { every_days: 3 },
      progress: { signed: 0, total: 2 },
    });
    expect(files(copy)).toEqual(files(draft));
    expect(people(copy)).toEqual(people(draft));
    expect(places(copy)).toEqual(places(draft));
    expect(values(copy)).toEqual([null, "Lyon"]);
    const ids = ({ id, documents, recipients, fields }: Envelope) => [
      id,
      ...[...documents, ...recipients, ...fields].map((part) => part.id),
    ];
    expect(ids(copy).filter((id) => ids(draft).includes(id))).toEqual([]);
    const results = await eventsOf(anne, copy.id);
    expect(results).toMatchObject([
      { action: "envelope_created", detail: { copy_of: draft.id, recipients: 3, fields: 2 } },
    ]);
    expect(await verifyChain(service.platform.db, copy.id)).toMatchObject({ ok: true });
    // Nothing that happens to the copy changes the envelope it was made of.
    await actOn(anne, copy.id, "cancel");
    await anne.send("DELETE", `${ENVELOPES}${copy.id}/purge/`);
    expect(
      (await anne.get(`${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`)).status,
    ).toBe(200);
  });

  test("a duplicate of a sent envelope has no answer and no signature", async () => {
    const { platform } = service;
    const draft = await prepared();
    const sent = (await actOn(anne, draft.id, "send")).body as Envelope;
    await signNth(platform, sent);
    await platform.db
      .updateTable("fields")
      .set({ value: "Répondu" })
      .where("envelope_id", "=", sent.id)
      .execute();
    const copy = (await duplicate(sent.id)).body as Envelope;
    expect(copy.status).toBe("draft");
    expect(values(copy)).toEqual([null, null]);
    expect(copy.recipients.map(({ status, signed }) => [status, signed])).toEqual([
      ["waiting", false],
      ["waiting", false],
      ["waiting", false],
    ]);
    // The files are as uploaded: neither prepared for those fields, nor signed.
    expect(files(copy)).toEqual(files(draft));
    expect((await actOn(anne, copy.id, "send")).status).toBe(200);
  });

  test("a duplicate may be made of a cancelled envelope, never of a purged one", async () => {
    const draft = await prepared();
    await actOn(anne, draft.id, "cancel");
    expect((await duplicate(draft.id)).status).toBe(201);
    await anne.send("DELETE", `${ENVELOPES}${draft.id}/purge/`);
    expect(refusal(await duplicate(draft.id))).toEqual([404, "not_found"]);
  });

  test("only the owner makes a duplicate: 403 for a recipient, 404 for a stranger, 401 for a visitor", async () => {
    const draft = await prepared();
    const paul = await signIn(service, paulMember);
    expect((await duplicate(draft.id, paul)).status).toBe(404);
    await actOn(anne, draft.id, "send");
    expect(refusal(await duplicate(draft.id, paul))).toEqual([403, "not_allowed"]);
    const zoe = await openMember(service);
    expect((await duplicate(draft.id, zoe)).status).toBe(404);
    expect((await duplicate(draft.id, openBrowser(service.app))).status).toBe(401);
  });

  test("a duplicate counts as a new envelope, and one beyond the limit is refused", async () => {
    const draft = await prepared();
    const { platform } = service;
    const before = (await anne.get(`${ENVELOPES}counts/`)).body.draft;
    await platform.db
      .updateTable("throttles")
      .set({ hits: 1_000 })
      .where("key", "like", "envelope create %")
      .execute();
    expect(refusal(await duplicate(draft.id))).toEqual([429, "too_many_requests"]);
    expect((await anne.get(`${ENVELOPES}counts/`)).body.draft).toBe(before);
  });
});

describe("the order of titles", () => {
  let anne: TestBrowser;
  beforeAll(async () => {
    anne = await openMember(service, { firstName: "Élise", lastName: "d’Œuvre" });
  });

  test("a title that begins another one comes before it, in a list and in a search", async () => {
    for (const title of ["Bail 2", "Bail", "Avenant d’Élise"])
      await createDraft(anne, { title, recipients: [], fields: [] });
    const titles = async (query: string) =>
      (await anne.get(`${ENVELOPES}${query}`)).body.results.map(({ title }: Envelope) => title);
    expect(await titles("?ordering=title")).toEqual(["Avenant d’Élise", "Bail", "Bail 2"]);
    expect(await titles("?ordering=title&search=BAIL")).toEqual(["Bail", "Bail 2"]);
    expect(await titles("?ordering=title&search=oeuvre")).toEqual([
      "Avenant d’Élise",
      "Bail",
      "Bail 2",
    ]);
  });
});
