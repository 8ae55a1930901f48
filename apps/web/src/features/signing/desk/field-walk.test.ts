import { expect, it, test } from "vitest";
import {
  type Answers,
  type SigningField,
  fieldTitle,
  keyboardFor,
  nextField,
  offeredFields,
  ownFields,
  prefilledValues,
  remainingFields,
} from "./field-walk.ts";

const field = (id: string, part: Partial<SigningField> = {}): SigningField => ({
  id,
  document_id: "d1",
  recipient_id: "r1",
  type: "text",
  page: 1,
  x: 0.1,
  y: 0.1,
  width: 0.3,
  height: 0.05,
  required: true,
  label: null,
  value: null,
  own: true,
  ...part,
});
const none: Answers = { values: {}, marked: new Set() };

it("walks the signer's own fields in reading order, document by document", () => {
  const fields = [
    field("late", { document_id: "d2" }),
    field("low", { y: 0.9 }),
    field("high"),
    field("other", { own: false }),
  ];
  expect(
    ownFields({ fields, documents: [{ id: "d1" }, { id: "d2" }] }).map((own) => own.id),
  ).toEqual(["high", "low", "late"]);
});
it("fills date and name itself; the sender's text wins over the name alone", () => {
  const fields = [
    field("date", { type: "date" }),
    field("dated", { type: "date", value: "01/01/1999" }),
    field("name", { type: "name" }),
    field("written", { type: "name", value: "Mme Roux" }),
    field("sign", { type: "signature" }),
  ];
  expect(prefilledValues(fields, { fullName: "Camille Roux", today: "21/11/2026" })).toEqual({
    date: "21/11/2026",
    dated: "21/11/2026",
    name: "Camille Roux",
    written: "Mme Roux",
  });
});
it("requires the required fields, and always the signature", () => {
  const fields = [
    field("optional", { required: false }),
    field("sign", { type: "signature", required: false }),
    field("text"),
  ];
  expect(remainingFields(fields, none).map((left) => left.id)).toEqual(["sign", "text"]);
});
it("counts a box as filled only once ticked", () => {
  const box = field("box", { type: "checkbox" });
  expect(remainingFields([box], { ...none, values: { box: "Non" } })).toEqual([box]);
  expect(remainingFields([box], { ...none, values: { box: "Oui" } })).toEqual([]);
});
it("counts a mention as filled only once it is the sentence", () => {
  const mention = field("m", { type: "mention", value: "Lu et approuvé" });
  expect(prefilledValues([mention], { fullName: "Camille Roux", today: "21/11/2026" })).toEqual(
    {},
  );
  expect(remainingFields([mention], { ...none, values: { m: "Lu et aprouvé" } })).toEqual([
    mention,
  ]);
  expect(remainingFields([mention], { ...none, values: { m: "Lu et approuvé" } })).toEqual([]);
  const optional = { ...mention, required: false };
  expect(remainingFields([optional], none)).toEqual([]);
  expect(remainingFields([optional], { ...none, values: { m: "Lu" } })).toEqual([optional]);
  // A space of no width is not a sentence begun, nor a text.
  expect(remainingFields([optional], { ...none, values: { m: " \u200b" } })).toEqual([]);
  expect(remainingFields([field("t")], { ...none, values: { t: "\u200b" } })).toEqual([
    field("t"),
  ]);
});
it("counts a signature as filled only where the signer put it", () => {
  const fields = [field("a", { type: "signature" }), field("b", { type: "initials" })];
  expect(
    remainingFields(fields, { values: {}, marked: new Set(["a"]) }).map((left) => left.id),
  ).toEqual(["b"]);
});
it("leads to the next field, round to the first, until all are filled", () => {
  const fields = [field("a"), field("b"), field("c")];
  const filled = (ids: string[]): Answers => ({
    ...none,
    values: Object.fromEntries(ids.map((id) => [id, "x"])),
  });
  const next = (answers: Answers, currentId: string | null) =>
    nextField(fields, remainingFields(fields, answers), currentId);
  expect(next(none, null)?.id).toBe("a");
  expect(next(filled(["b"]), "a")?.id).toBe("c");
  expect(next(filled(["b", "c"]), "c")?.id).toBe("a");
  expect(next(filled(["a", "b", "c"]), "c")).toBeNull();
});
it("offers an optional field until it is passed or filled", () => {
  const fields = [field("a"), field("phone", { required: false }), field("c")];
  const offered = (answers: Answers, passed: string[]) =>
    offeredFields(fields, answers, new Set(passed)).map(({ id }) => id);
  expect(offered(none, [])).toEqual(["a", "phone", "c"]);
  expect(offered(none, ["phone", "a"])).toEqual(["a", "c"]);
  expect(offered({ ...none, values: { phone: "06" } }, [])).toEqual(["a", "c"]);
});
it("names a field by its own label, else by its kind", () => {
  expect([
    fieldTitle({ type: "text", label: "Fait à" }),
    fieldTitle({ type: "initials", label: null }),
  ]).toEqual(["Fait à", "Paraphe"]);
});

test.each([
  ["Téléphone", "tel"],
  ["Votre numéro de telephone portable", "tel"],
  ["Tél.", "tel"],
  ["E-mail", "email"],
  ["Adresse électronique du locataire", "email"],
  ["Code postal", "numeric"],
  ["SIRET de l’entreprise", "numeric"],
  // Letters may be asked for: an address, a name of a shop, a reference.
  ["Adresse", "text"],
  ["Téléphonie", "text"],
  ["Numéro de contrat", "text"],
  ["Somme en toutes lettres", "text"],
  ["", "text"],
])("types a field called « %s » with the keyboard %s", (label, keyboard) => {
  expect(keyboardFor(label)).toBe(keyboard);
});
