import type { EnvelopeWarning } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { coveredPlaces } from "./field-warnings.ts";

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

test("each page where the file's own form is covered is said once, with its file when there are several", () => {
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

test("a mention that would be printed too small is said on its page", () => {
  const small = { ...covers("f2"), code: "mention_too_small" as const };
  expect(
    said({ fields: [makeField(), makeField({ id: "f2", type: "mention", y: 0.7 })] }, [
      covers("f1"),
      small,
    ]),
  ).toEqual([
    ["Un champ recouvre un champ de formulaire ou une signature du fichier (page 1).", "f1"],
    [
      "Une mention serait imprimée trop petite pour être lue\u00a0: agrandissez son champ (page 1).",
      "f2",
    ],
  ]);
});

test("a page that cannot be signed with so much on it is said at its largest field, and stops the sending", () => {
  const envelope = makeEnvelope({
    recipients: [makeRecipient()],
    fields: [makeField({ page: 3 })],
  });
  const warnings = [{ ...covers("f1"), code: "page_covered" as const, page: 3 }];
  expect(coveredPlaces(draftOf(envelope), envelope.documents, warnings)).toMatchObject([
    {
      kind: "blocking",
      text: "Les champs couvrent trop la page, et une signature apposée avant eux ne serait plus valable\u00a0: réduisez-les, ou placez-les ailleurs (page 3).",
      field: { id: "f1" },
    },
  ]);
});

test("a field taken away since warns of nothing, and a draft without warnings neither", () => {
  expect(said({ fields: [makeField()] }, [covers("gone")])).toEqual([]);
  expect(coveredPlaces(draftOf(makeEnvelope()), [makeDocument()])).toEqual([]);
});
