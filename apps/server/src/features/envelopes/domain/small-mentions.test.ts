import { expect, test } from "vitest";
import type { EnvelopeField } from "./envelope.ts";
import { smallMentions } from "./small-mentions.ts";

const documents = [{ id: "d", pages: [{ width: 595, height: 842 }] }];
const CAUTION = "Je me porte caution solidaire pour la somme de douze mille euros en principal, intérêts et pénalités. ";
const mention = (rest: Partial<EnvelopeField>): EnvelopeField => ({
  id: "m",
  documentId: "d",
  recipientId: "r",
  type: "mention",
  page: 1,
  x: 0.1,
  y: 0.1,
  width: 0.45,
  height: 0.05,
  required: true,
  label: null,
  value: "Lu et approuvé",
  ...rest,
});
const isSmall = (rest: Partial<EnvelopeField>) => smallMentions({ documents, fields: [mention(rest)] }).length > 0;

test("a sentence too long for its place is told, on its page and document", () => {
  expect(smallMentions({ documents, fields: [mention({ id: "a", value: CAUTION.repeat(9) }), mention({ id: "b" })] })).toEqual([
    { code: "mention_too_small", field_id: "a", document_id: "d", page: 1 },
  ]);
  expect(isSmall({ value: CAUTION })).toBe(false);
  expect(isSmall({ value: CAUTION.repeat(18) })).toBe(true);
  expect(isSmall({ value: CAUTION.repeat(18), width: 0.8, height: 0.4 })).toBe(false);
});

test("one word wider than its place is, and so is a place lower than a line", () => {
  expect(isSmall({ value: "anticonstitutionnellement", width: 0.1 })).toBe(true);
  expect(isSmall({ value: "Lu", height: 0.007 })).toBe(true);
  expect(isSmall({ value: "Lu", height: 0.008 })).toBe(false);
});

test("what is not a mention, has no sentence yet, or lies on a page that is not there, is not", () => {
  for (const rest of [{ type: "text" }, { value: null }, { value: " \u200b" }, { page: 9 }, { documentId: "e" }] as const)
    expect(isSmall({ value: CAUTION.repeat(18), ...rest })).toBe(false);
});
