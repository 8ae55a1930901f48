import { expect, it, test } from "vitest";
import {
  type Answers,
  fieldTitle,
  keyboardOf,
  nextField,
  offeredFields,
  ownFields,
  prefilledValues,
  workOf,
} from "./field-walk.ts";
import { sampleField } from "./testing/sample-field.ts";

const none: Answers = { values: {}, marked: new Set() };

it("walks the signer's own fields in reading order, document by document", () => {
  const fields = [
    sampleField("late", { document_id: "d2" }),
    sampleField("low", { y: 0.9 }),
    sampleField("high"),
    sampleField("other", { own: false }),
  ];
  expect(
    ownFields({ fields, documents: [{ id: "d1" }, { id: "d2" }] }).map((own) => own.id),
  ).toEqual(["high", "low", "late"]);
});
it("fills date and name itself; the sender's text wins over the name alone", () => {
  const fields = [
    sampleField("date", { type: "date" }),
    sampleField("dated", { type: "date", value: "01/01/1999" }),
    sampleField("name", { type: "name" }),
    sampleField("written", { type: "name", value: "Mme Roux" }),
    sampleField("sign", { type: "signature" }),
  ];
  expect(prefilledValues(fields, { signerName: "Camille Roux", today: "2026-11-21" })).toEqual({
    date: "21/11/2026",
    dated: "21/11/2026",
    name: "Camille Roux",
    written: "Mme Roux",
  });
});
it("requires the required fields, and always the signature", () => {
  const fields = [
    sampleField("optional", { required: false }),
    sampleField("sign", { type: "signature", required: false }),
    sampleField("text"),
  ];
  expect(workOf(fields, none).remaining.map((left) => left.id)).toEqual(["sign", "text"]);
});
it("counts a box as filled only once ticked", () => {
  const box = sampleField("box", { type: "checkbox" });
  expect(workOf([box], { ...none, values: { box: "Non" } }).remaining).toEqual([box]);
  expect(workOf([box], { ...none, values: { box: "Oui" } }).remaining).toEqual([]);
});
it("counts a mention as filled only once it is the sentence", () => {
  const mention = sampleField("m", { type: "mention", value: "Lu et approuvé" });
  expect(prefilledValues([mention], { signerName: "Camille Roux", today: "2026-11-21" })).toEqual(
    {},
  );
  expect(workOf([mention], { ...none, values: { m: "Lu et aprouvé" } }).remaining).toEqual([
    mention,
  ]);
  expect(workOf([mention], { ...none, values: { m: "Lu et approuvé" } }).remaining).toEqual([]);
  const optional = { ...mention, required: false };
  expect(workOf([optional], none).remaining).toEqual([]);
  expect(workOf([optional], { ...none, values: { m: "Lu" } }).remaining).toEqual([optional]);
  // A zero-width space neither begins a sentence nor is a text.
  expect(workOf([optional], { ...none, values: { m: " \u200b" } }).remaining).toEqual([]);
  expect(workOf([sampleField("t")], { ...none, values: { t: "\u200b" } }).remaining).toEqual([
    sampleField("t"),
  ]);
});
it("counts a signature as filled only where the signer put it", () => {
  const fields = [sampleField("a", { type: "signature" }), sampleField("b", { type: "initials" })];
  expect(
    workOf(fields, { values: {}, marked: new Set(["a"]) }).remaining.map((left) => left.id),
  ).toEqual(["b"]);
});
it("leads to the next field, round to the first, until all are filled", () => {
  const fields = [sampleField("a"), sampleField("b"), sampleField("c")];
  const filled = (ids: string[]): Answers => ({
    ...none,
    values: Object.fromEntries(ids.map((id) => [id, "x"])),
  });
  const next = (answers: Answers, currentId: string | null) =>
    nextField(fields, workOf(fields, answers).remaining, currentId);
  expect(next(none, null)?.id).toBe("a");
  expect(next(filled(["b"]), "a")?.id).toBe("c");
  expect(next(filled(["b", "c"]), "c")?.id).toBe("a");
  expect(next(filled(["a", "b", "c"]), "c")).toBeNull();
});
it("offers an optional field until it is passed or filled", () => {
  const fields = [sampleField("a"), sampleField("phone", { required: false }), sampleField("c")];
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
  expect(keyboardOf({ type: "text", label })).toBe(keyboard);
});
