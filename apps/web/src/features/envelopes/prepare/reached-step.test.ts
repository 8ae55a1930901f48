import { expect, test } from "vitest";
import { draftOf } from "./draft/draft.ts";
import { reachedStep } from "./use-steps.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";

const reached = (part: Parameters<typeof makeEnvelope>[0]) => {
  const envelope = makeEnvelope(part);
  return reachedStep(draftOf(envelope), envelope.documents, new Date("2026-11-21T14:00:00Z"));
};

test("a draft leads as far as what is in it: its people open the fields, its fields the sending", () => {
  const documents = [makeDocument()];
  expect(reached({ documents: [], recipients: [], fields: [] })).toBe(0);
  expect(reached({ documents, recipients: [], fields: [] })).toBe(0);
  expect(reached({ documents, recipients: [makeRecipient()], fields: [] })).toBe(2);
  expect(reached({ documents, recipients: [makeRecipient()], fields: [makeField()] })).toBe(3);
  expect(
    reached({ documents, title: " ", recipients: [makeRecipient()], fields: [makeField()] }),
  ).toBe(0);
});
