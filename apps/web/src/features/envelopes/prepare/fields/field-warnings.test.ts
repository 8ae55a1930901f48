import { describe, expect, it } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { fieldWarnings } from "./field-warnings.ts";

const warn = (part: Parameters<typeof makeEnvelope>[0]) => {
  const envelope = makeEnvelope(part);
  return fieldWarnings(draftOf(envelope), envelope.documents).map(({ kind, text }) => [kind, text]);
};

describe("what is warned of while fields are placed", () => {
  it("is nothing when each signer signs somewhere and no field covers another", () => {
    expect(
      warn({
        recipients: [makeRecipient()],
        fields: [makeField(), makeField({ id: "f2", type: "date", y: 0.7 })],
      }),
    ).toEqual([]);
  });
  it("is the page where fields cover one another, and its document when there are several", () => {
    const fields = [
      makeField({ page: 2 }),
      makeField({ id: "f2", page: 2, y: 0.52 }),
      makeField({ id: "f3", page: 1 }),
    ];
    expect(warn({ recipients: [makeRecipient()], fields })).toEqual([
      ["overlap", "Des champs se chevauchent (page 2)."],
    ]);
    const documents = [makeDocument(), makeDocument({ id: "d2", name: "annexe.pdf" })];
    expect(warn({ documents, recipients: [makeRecipient()], fields })).toEqual([
      ["overlap", "Des champs se chevauchent (contrat.pdf, page 2)."],
    ]);
  });
  it("is the signer who has no signature, never an approver nor a copy", () => {
    const recipients = [
      makeRecipient(),
      makeRecipient({ id: "r2", full_name: "Paul Roux", role: "approver" }),
      makeRecipient({ id: "r3", full_name: "Ève Roux", role: "viewer" }),
    ];
    expect(warn({ recipients, fields: [makeField({ type: "date" })] })).toEqual([
      ["missing", "Camille Roux n’a pas de champ Signature."],
    ]);
  });
});
