import { expect, test } from "vitest";
import { coveredFields } from "./covered-fields.ts";
import type { EnvelopeField } from "./envelope.ts";

const OWN = { x: 0.2, y: 0.2, width: 0.3, height: 0.1 };
const documents = [
  { id: "d", pages: [{}, { fields: [OWN, { x: 0.8, y: 0.8, width: 0.1, height: 0.1 }] }] },
  { id: "e", pages: [{}, {}] },
];
const field = (rest: Partial<EnvelopeField>): EnvelopeField => ({
  id: "f",
  documentId: "d",
  recipientId: "r",
  type: "signature",
  page: 2,
  ...OWN,
  required: true,
  label: null,
  value: null,
  ...rest,
});
const isCovering = (rest: Partial<EnvelopeField>) => coveredFields({ documents, fields: [field(rest)] }).length > 0;

test("a place over a field of the file's own form is told, on its page and document", () => {
  expect(
    coveredFields({ documents, fields: [field({ id: "a" }), field({ id: "b", page: 1 }), field({ id: "c", documentId: "e" })] }),
  ).toEqual([{ code: "covers_form_field", field_id: "a", document_id: "d", page: 2 }]);
  expect(isCovering({ x: 0.45, y: 0.25 })).toBe(true);
  expect(isCovering({ x: 0.25, y: 0.22, width: 0.05, height: 0.02 })).toBe(true);
  expect(isCovering({ x: 0.75, y: 0.85 })).toBe(true);
});

test("one beside it, or that touches its edge, is not", () => {
  expect(isCovering({ x: 0.5 })).toBe(false);
  expect(isCovering({ x: 0.499 })).toBe(false);
  expect(isCovering({ y: 0.3 })).toBe(false);
  expect(isCovering({ x: 0.55, y: 0.5 })).toBe(false);
});

test("of a page that is not there, or of a document without a form, nothing is told", () => {
  expect(isCovering({ page: 9 })).toBe(false);
  expect(coveredFields({ documents: [], fields: [field({})] })).toEqual([]);
});
