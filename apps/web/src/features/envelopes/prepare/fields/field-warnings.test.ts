import type { EnvelopeWarning } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { coveredPlaces, fieldWarnings } from "./field-warnings.ts";

const warn = (part: Parameters<typeof makeEnvelope>[0]) => {
  const envelope = makeEnvelope(part);
  return fieldWarnings(draftOf(envelope), envelope.documents).map(({ kind, text }) => [kind, text]);
};

describe("what is warned of while fields are placed", () => {
  it("a complete page gives no warning", () => {
    expect(
      warn({
        recipients: [makeRecipient()],
        fields: [makeField(), makeField({ id: "f2", type: "date", y: 0.7 })],
      }),
    ).toEqual([]);
  });
  it("overlapping fields are warned of by page, and by document among several", () => {
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
  it("a signer without a signature is warned of, an approver or viewer is not", () => {
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

const covers = (fieldId: string): EnvelopeWarning => ({
  code: "covers_form_field",
  field_id: fieldId,
  document_id: "d1",
  page: 1,
});
const said = (part: Parameters<typeof makeEnvelope>[0], warnings: readonly EnvelopeWarning[]) => {
  const envelope = makeEnvelope({ recipients: [makeRecipient()], ...part });
  return coveredPlaces(draftOf(envelope), envelope.documents, warnings).map(({ text, field }) => [
    text,
    field.id,
  ]);
};

it("a covered form is warned of once a page, with the file's name among several", () => {
  const fields = [makeField(), makeField({ id: "f2", y: 0.7 }), makeField({ id: "f3", page: 2 })];
  const warnings = ["f1", "f2", "f3"].map(covers);
  expect(said({ fields }, warnings)).toEqual([
    ["Un champ recouvre un champ de formulaire ou une signature du fichier (page 1).", "f1"],
    ["Un champ recouvre un champ de formulaire ou une signature du fichier (page 2).", "f3"],
  ]);
  const documents = [makeDocument(), makeDocument({ id: "d2", name: "annexe.pdf" })];
  expect(said({ documents, fields: fields.slice(0, 1) }, [covers("f1")])).toEqual([
    [
      "Un champ recouvre un champ de formulaire ou une signature du fichier (contrat.pdf, page 1).",
      "f1",
    ],
  ]);
});

it("a mention too small to read is warned of on its page", () => {
  const small = { ...covers("f2"), code: "mention_too_small" as const };
  expect(
    said({ fields: [makeField(), makeField({ id: "f2", type: "mention", y: 0.7 })] }, [
      covers("f1"),
      small,
    ]),
  ).toEqual([
    ["Un champ recouvre un champ de formulaire ou une signature du fichier (page 1).", "f1"],
    ["Une mention serait trop petite pour être lue\u00a0: agrandissez son champ (page 1).", "f2"],
  ]);
});

it("a page covered too far to sign blocks the sending at its largest field", () => {
  const envelope = makeEnvelope({
    recipients: [makeRecipient()],
    fields: [makeField({ page: 3 })],
  });
  const warnings = [{ ...covers("f1"), code: "page_covered" as const, page: 3 }];
  expect(coveredPlaces(draftOf(envelope), envelope.documents, warnings)).toMatchObject([
    {
      kind: "blocking",
      text: "Les champs couvrent trop la page, et une signature apposée avant eux ne serait plus valable\u00a0: réduisez-les ou déplacez-les (page 3).",
      field: { id: "f1" },
    },
  ]);
});

it("a removed field and a draft without warnings give no warning", () => {
  expect(said({ fields: [makeField()] }, [covers("gone")])).toEqual([]);
  expect(coveredPlaces(draftOf(makeEnvelope()), [makeDocument()])).toEqual([]);
});
