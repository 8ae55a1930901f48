import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { multipart, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const TYPED = JSON.stringify({ kind: "typed", text: "Camille Roux", font: "caveat" });
/** A place across the page. `height`: the part of the page that it takes. */
const across = (height: number, y = 0) => ({ x: 0, y, width: 1, height });

let test: TestApp;
let owner: TestBrowser;
beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

async function signOwn(bytes: Uint8Array, place: object) {
  const file = { field: "file", name: "contrat.pdf", type: "application/pdf", bytes };
  const form = multipart({ placement: JSON.stringify({ page: 1, ...place }), signature: TYPED }, [file]);
  return owner.send("POST", "/api/signature/self-sign/", form);
}
async function signedOwn(bytes: Uint8Array, place: object): Promise<Uint8Array> {
  const answer = await signOwn(bytes, place);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return (await owner.get(`${ENVELOPES}${answer.body.id}/signed-document/`)).bytes;
}
const warned = ({ warnings }: Envelope) => warnings?.map(({ code, page, field_id }) => ({ code, page, field_id }));
const SENTENCE = (share: string) =>
  `Les champs couvriraient ${share} de la page 1 de «\u00a0contrat.pdf\u00a0», et une signature apposée avant eux ne serait plus valable. Réduisez-les, ou placez-les sur d’autres pages.`;

it("fields that would cover too much of a page signed before are said in the draft, and nobody is asked to sign", async () => {
  const signed = await signedOwn(makePdf(), across(0.05, 0.9));
  const field = (recipient_index: number, y: number) => ({
    ...across(0.27, y),
    type: "signature",
    page: 1,
    document_index: 0,
    recipient_index,
  });
  const files = [{ name: "contrat.pdf", bytes: signed }];
  const draft = await createDraft(owner, { files, recipients: [PAUL, ELOISE], fields: [field(0, 0.1), field(1, 0.4)] });
  expect(warned(draft)).toEqual([{ code: "page_covered", page: 1, field_id: draft.fields[0]?.id }]);
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([...refusal(refused), refused.body.detail]).toEqual([422, "page_covered", SENTENCE("plus de la moitié")]);
  expect((await owner.get(`${ENVELOPES}${draft.id}/`)).body.status).toBe("draft");
  const fields = draft.fields.map((one) => ({ ...one, height: 0.2 }));
  const smaller = await owner.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields } });
  expect(smaller.body.warnings).toEqual([]);
  expect((await owner.post(`${ENVELOPES}${draft.id}/send/`)).status).toBe(200);
});

it("in a file without signatures, what those who sign later fill counts, by the order in which they sign", async () => {
  const fields = [
    { ...across(0.05, 0.9), type: "signature", page: 1, document_index: 0, recipient_index: 0 },
    { ...across(0.75), type: "text", page: 1, document_index: 0, recipient_index: 1 },
    { ...across(0.05, 0.8), type: "signature", page: 1, document_index: 0, recipient_index: 1 },
  ];
  const files = [{ name: "contrat.pdf", bytes: makePdf() }];
  const draft = await createDraft(owner, { files, recipients: [PAUL, ELOISE], fields });
  expect(warned(draft)).toEqual([{ code: "page_covered", page: 1, field_id: draft.fields[1]?.id }]);
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([...refusal(refused), refused.body.detail]).toEqual([422, "page_covered", SENTENCE("plus de 70\u00a0%")]);
  const turned = draft.recipients.map((one, index) => ({
    id: one.id,
    email: one.email,
    full_name: one.full_name,
    role: one.role,
    order: 2 - index,
  }));
  const later = await owner.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { flow: "sequential", recipients: turned } });
  expect([later.status, later.body.warnings]).toEqual([200, []]);
  expect((await owner.post(`${ENVELOPES}${draft.id}/send/`)).status).toBe(200);
});

it("one's own document, alone or in a batch, is refused before it is signed when the page has no room left", async () => {
  const first = await signedOwn(makePdf(), across(0.05, 0.9));
  const second = await signedOwn(first, across(0.4, 0.1));
  const refused = await signOwn(second, across(0.15, 0.6));
  expect([...refusal(refused), refused.body.detail]).toEqual([422, "page_covered", SENTENCE("plus de la moitié")]);
  const placement = JSON.stringify({ page: 1, ...across(0.15, 0.6) });
  const form = multipart({ placement, signature: TYPED }, [
    { field: "files", name: "contrat.pdf", type: "application/pdf", bytes: second },
  ]);
  const batch = await owner.send("POST", "/api/signature/batch-sign/", form);
  await test.settle({ deferred: "run" });
  expect((await owner.get(`/api/signature/batch-jobs/${batch.body.id}/`)).body.items).toMatchObject([
    { status: "failed", code: "page_covered", detail: SENTENCE("plus de la moitié") },
  ]);
  expect((await signOwn(second, across(0.05, 0.6))).status).toBe(201);
});
