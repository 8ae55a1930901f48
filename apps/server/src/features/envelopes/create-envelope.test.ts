import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, type EnvelopeValues, envelopeForm, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { verifyChain } from "../audit/index.ts";

let service: TestApp;
let anne: TestBrowser;

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
});
afterAll(() => service.close());

const create = (values: EnvelopeValues = {}) => anne.send("POST", ENVELOPES, envelopeForm(values));
const FIELD = { document_index: 0, recipient_index: 0, type: "signature", page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.07 };

describe("a created envelope", () => {
  it("answers whole, as its owner sees it", async () => {
    const answer = await create({
      title: "Bail d’habitation",
      message: "Bonjour,\nmerci de signer.",
      deadline_at: "2026-12-24T17:00:00.000Z",
      flow: "sequential",
      files: [
        { name: "Bail.pdf", bytes: makePdf({ pages: 2 }) },
        { name: "État des lieux.PDF", bytes: makePdf({ text: "Etat" }) },
      ],
      recipients: [PAUL, { ...ELOISE, role: "approver", order: 2 }, { email: "copie@exemple.fr", full_name: "Copie", role: "viewer" }],
      fields: [FIELD, { ...FIELD, document_index: 1, recipient_index: 1, type: "date", label: "Fait le", required: false }],
    });
    expect(answer.status).toBe(201);
    const { id, documents, recipients, fields, ...rest } = answer.body;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(rest).toMatchObject({
      version: 1,
      title: "Bail d’habitation",
      message: "Bonjour,\nmerci de signer.",
      status: "draft",
      flow: "sequential",
      created_at: "2026-11-21T10:00:00.000Z",
      sent_at: null,
      deadline_at: "2026-12-24T17:00:00.000Z",
      created_by_name: "Anne Roux",
      is_owner: true,
      progress: { signed: 0, total: 2, percent: 0 },
      days_remaining: null,
      level: null,
      download_url: null,
    });
    expect(rest.files).toEqual(documents);
    expect(documents).toMatchObject([
      {
        name: "Bail.pdf",
        page_count: 2,
        order: 1,
        control: { result: "ok", findings: [], accepted: false },
        pages: [
          { width: 595, height: 842, rotation: 0 },
          { width: 595, height: 842, rotation: 0 },
        ],
      },
      { name: "État des lieux.PDF", page_count: 1, order: 2 },
    ]);
    expect(recipients).toMatchObject([
      { email: PAUL.email, role: "signer", order: 1, signed: false, status: "waiting", phone_number: null },
      { full_name: "Éloïse Lefèvre", role: "approver", order: 2, phone_number: "+33612345678" },
      { role: "viewer" },
    ]);
    expect(fields).toMatchObject([
      {
        type: "signature",
        document_id: documents[0].id,
        recipient_id: recipients[0].id,
        page: 1,
        x: 0.1,
        required: true,
        label: null,
        value: null,
      },
      { type: "date", document_id: documents[1].id, recipient_id: recipients[1].id, label: "Fait le", required: false },
    ]);
  });

  it("keeps its files under their hash, and says so in its journal", async () => {
    const bytes = makePdf({ text: "Un seul" });
    const envelope = await createDraft(anne, { files: [{ name: "a.pdf", bytes }] });
    const sha256 = envelope.documents[0]?.sha256 ?? "";
    expect(await service.platform.files.get(Buffer.from(sha256, "hex"))).toEqual(bytes);
    const events = await anne.get(`${ENVELOPES}${envelope.id}/events/`);
    expect(events.body).toMatchObject({
      count: 1,
      results: [{ action: "envelope_created", actor: "Anne Roux", ip: "127.0.0.1", previous_hash: null, detail: { documents: [sha256] } }],
    });
    expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true, count: 1 });
  });

  it("asks one after the other, in the order of the list, where a sequential flow names no order", async () => {
    const people = [1, 2, 3].map((number) => ({ email: `p${number}@exemple.fr`, full_name: `Personne ${number}` }));
    const envelope = await createDraft(anne, { flow: "sequential", recipients: people });
    expect(envelope.recipients.map(({ order }) => order)).toEqual([1, 2, 3]);
    const turned = await anne.send("PATCH", `${ENVELOPES}${envelope.id}/`, { body: { recipients: people.toReversed() } });
    expect(turned.body.recipients.map(({ email, order }: { email: string; order: number }) => [email, order])).toEqual([
      ["p3@exemple.fr", 1],
      ["p2@exemple.fr", 2],
      ["p1@exemple.fr", 3],
    ]);
  });

  it("needs nobody and no field yet", async () => {
    const answer = await anne.send(
      "POST",
      ENVELOPES,
      multipart({ title: "Vide" }, [{ field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() }]),
    );
    expect(answer.body).toMatchObject({ recipients: [], fields: [], progress: { signed: 0, total: 0, percent: 0 } });
  });

  it("takes accents as they are composed, and no direction or control character", async () => {
    const envelope = await createDraft(anne, {
      title: "Re\u0301sume\u0301\u202e\u0007fin",
      files: [{ name: "../é\u202efdp.pdf", bytes: makePdf() }],
    });
    expect(envelope.title).toBe("Résumé fin");
    expect(envelope.documents[0]?.name).toBe("é fdp.pdf");
  });
});
