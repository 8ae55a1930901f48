import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, recordTestSignature } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { verifyChain } from "../audit/index.ts";

let service: TestApp;
let anne: TestBrowser;
let paulMember: Member;

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
  paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
});
afterAll(() => service.close());

const FIELD = { document_index: 1, recipient_index: 1, type: "text", page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.07, label: "Fait à" };
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
const duplicate = (id: string, who = anne) => who.post(`${ENVELOPES}${id}/duplicate/`);
const files = ({ documents }: Envelope) => documents.map(({ name, sha256, page_count }) => ({ name, sha256, page_count }));
const people = ({ recipients }: Envelope) =>
  recipients.map(({ email, full_name, phone_number, role, order }) => ({ email, full_name, phone_number, role, order }));
const places = ({ documents, recipients, fields }: Envelope) =>
  fields.map(({ id: _id, document_id, recipient_id, value: _value, ...place }) => ({
    ...place,
    document: documents.findIndex(({ id }) => id === document_id),
    recipient: recipients.findIndex(({ id }) => id === recipient_id),
  }));
const values = ({ fields }: Envelope) => fields.map(({ value }) => value);

it("is a draft of its own with the same files, people, fields and settings, but no deadline", async () => {
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
  const ids = ({ id, documents, recipients, fields }: Envelope) => [id, ...[...documents, ...recipients, ...fields].map((part) => part.id)];
  expect(ids(copy).filter((id) => ids(draft).includes(id))).toEqual([]);
  const { results } = (await anne.get(`${ENVELOPES}${copy.id}/events/`)).body;
  expect(results).toMatchObject([{ action: "envelope_created", detail: { copy_of: draft.id, recipients: 3, fields: 2 } }]);
  expect(await verifyChain(service.platform.db, copy.id)).toMatchObject({ ok: true });
  // What becomes of the copy is nothing to the envelope it was made of.
  await anne.post(`${ENVELOPES}${copy.id}/cancel/`);
  await anne.send("DELETE", `${ENVELOPES}${copy.id}/purge/`);
  expect((await anne.get(`${ENVELOPES}${draft.id}/documents/${draft.documents[0]?.id}/file/`)).status).toBe(200);
});

it("of an envelope that was sent holds nothing that its people answered or signed", async () => {
  const { platform } = service;
  const draft = await prepared();
  const sent = (await anne.post(`${ENVELOPES}${draft.id}/send/`)).body as Envelope;
  await recordTestSignature(platform, sent.id, sent.recipients[0]?.id ?? "");
  await platform.db.updateTable("fields").set({ value: "Répondu" }).where("envelope_id", "=", sent.id).execute();
  const copy = (await duplicate(sent.id)).body as Envelope;
  expect(copy.status).toBe("draft");
  expect(values(copy)).toEqual([null, null]);
  expect(copy.recipients.map(({ status, signed }) => [status, signed])).toEqual([
    ["waiting", false],
    ["waiting", false],
    ["waiting", false],
  ]);
  // The files as they came: neither prepared for those fields, nor signed.
  expect(files(copy)).toEqual(files(draft));
  expect((await anne.post(`${ENVELOPES}${copy.id}/send/`)).status).toBe(200);
});

it("may be made of a cancelled envelope, and of none that is purged", async () => {
  const draft = await prepared();
  await anne.post(`${ENVELOPES}${draft.id}/cancel/`);
  expect((await duplicate(draft.id)).status).toBe(201);
  await anne.send("DELETE", `${ENVELOPES}${draft.id}/purge/`);
  expect((await duplicate(draft.id)).body).toMatchObject({ status: 404, code: "not_found" });
});

it("is the owner's to make: 403 for a recipient, 404 for a stranger, 401 for nobody", async () => {
  const draft = await prepared();
  const paul = await signIn(service, paulMember);
  expect((await duplicate(draft.id, paul)).status).toBe(404);
  await anne.post(`${ENVELOPES}${draft.id}/send/`);
  expect((await duplicate(draft.id, paul)).body).toMatchObject({ status: 403, code: "not_allowed" });
  const zoe = await signIn(service, await createMember(service.platform));
  expect((await duplicate(draft.id, zoe)).status).toBe(404);
  expect((await duplicate(draft.id, openBrowser(service.app))).status).toBe(401);
});

it("counts as any new envelope: one too many is refused and makes nothing", async () => {
  const draft = await prepared();
  const { platform } = service;
  const before = (await anne.get(`${ENVELOPES}counts/`)).body.draft;
  await platform.db.updateTable("throttles").set({ hits: 1_000 }).where("key", "like", "envelope create %").execute();
  expect((await duplicate(draft.id)).body).toMatchObject({ status: 429, code: "too_many_requests" });
  expect((await anne.get(`${ENVELOPES}counts/`)).body.draft).toBe(before);
});
