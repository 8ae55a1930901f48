import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

/** Displayed from 10 to 40 % of the width, from 10 to 20 % of the height. */
const FORM = "/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(Nom)/Rect[59.5 673.6 238 757.8]>>]";
const place = { type: "signature", x: 0.3, y: 0.15, width: 0.3, height: 0.1 };

test("a place over a field of the file's own form is a warning of the draft, and stops nothing", async () => {
  const anne = await signIn(service, await createMember(service.platform));
  const bytes = makePdf({ pages: 2, pageExtra: FORM });
  const draft = await createDraft(anne, {
    files: [{ name: "Formulaire.pdf", bytes }],
    recipients: [PAUL],
    fields: [
      { ...place, document_index: 0, recipient_index: 0, page: 1 },
      { ...place, document_index: 0, recipient_index: 0, page: 2, y: 0.5 },
    ],
  });
  const [first, second] = draft.fields;
  const warning = { code: "covers_form_field", field_id: first?.id, document_id: draft.documents[0]?.id, page: 1 };
  expect(draft.warnings).toEqual([warning]);
  expect((await anne.get(`${ENVELOPES}${draft.id}/`)).body.warnings).toEqual([warning]);
  expect((await anne.get(ENVELOPES)).body.results[0].warnings).toBeUndefined();
  const moved = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields: [{ ...first, y: 0.6 }, second] } });
  expect(moved.body.warnings).toEqual([]);
  const onSecond = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields: [first, { ...second, y: 0.12 }] } });
  expect(onSecond.body.warnings.map((one: { page: number }) => one.page)).toEqual([1, 2]);
  const sent = await anne.post(`${ENVELOPES}${draft.id}/send/`);
  expect([sent.status, sent.body.warnings]).toEqual([200, undefined]);
});

test("a mention that would be printed too small is a warning of the draft until its place is larger", async () => {
  const anne = await signIn(service, await createMember(service.platform));
  const small = {
    ...place,
    type: "mention",
    x: 0.1,
    y: 0.5,
    width: 0.2,
    height: 0.01,
    value: "Lu et approuvé, bon pour caution solidaire de la somme due",
  };
  const draft = await createDraft(anne, {
    files: [{ name: "Caution.pdf", bytes: makePdf() }],
    recipients: [PAUL],
    fields: [
      { ...place, document_index: 0, recipient_index: 0, page: 1 },
      { ...small, document_index: 0, recipient_index: 0, page: 1 },
    ],
  });
  const [signature, mention] = draft.fields;
  expect(draft.warnings).toEqual([{ code: "mention_too_small", field_id: mention?.id, document_id: draft.documents[0]?.id, page: 1 }]);
  const larger = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields: [signature, { ...mention, height: 0.05 }] } });
  expect(larger.body.warnings).toEqual([]);
});
