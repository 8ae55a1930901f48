import { beforeAll, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { archiveWith } from "../../testing/archive.ts";
import { forgedRevision, lastObject } from "../../testing/forge.ts";
import { PREFIX, STROKES, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { tinyPng } from "../../testing/tiny-images.ts";
import { trusting } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { formFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, openPdf, textAt } from "../pdf/open-pdf.ts";
import type { FieldPlacement, OwnField } from "../pdf/types.ts";
import { writeObject } from "../pdf/write-object.ts";
import { validate } from "../validate/validate.ts";
import { prepareFields } from "./prepare-fields.ts";
import { sayUnplaced } from "./plan-fields.ts";

const SECOND = "second";
const place = (name: string, type: FieldPlacement["type"], y: number): FieldPlacement => ({
  name,
  ownerKey: "bob",
  type,
  pageNumber: 1,
  x: 0.1,
  y,
  width: 0.3,
  height: 0.12,
  label: name,
  tooltip: name,
});
const FIELDS = [
  place("Montant", "text", 0.1),
  place("ini", "initials", 0.3),
  place("sig", "signature", 0.6),
  place("Accord", "checkbox", 0.8),
];
const OWN: readonly OwnField[] = FIELDS.map(({ name, type, label, pageNumber }) => ({
  name,
  type,
  label,
  pageNumber,
  value: type === "text" ? "1 200 €" : type === "checkbox" ? "true" : null,
}));

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});

const prepareSecond = (bytes: Uint8Array): Promise<Uint8Array> =>
  prepareFields(bytes, { namePrefix: SECOND, fonts: TEST_FONTS, fields: FIELDS });
const signSecond = (bytes: Uint8Array, ownFields: readonly OwnField[] = OWN): Promise<Uint8Array> =>
  signAs(bytes, {
    signer: stage.bob,
    tsa: stage.pki.tsa,
    ownerKey: "bob",
    options: { namePrefix: SECOND, ownFields },
  });
const verdicts = async (bytes: Uint8Array): Promise<(string | null)[][]> =>
  (
    await validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER })
  ).signatures.map(({ indication, laterChanges }) => [indication, laterChanges]);
/** Gives the signature field of the second round, and the dictionary of its signature. */
async function secondField(bytes: Uint8Array) {
  const open = await openPdf(bytes);
  const field = formFields(open).find(({ name }) => name.startsWith(SECOND));
  if (!field) throw new Error("Expected a field of the second round");
  const rectangle = arrayAt(open, field.dict, "Rect");
  return {
    rectangle: rectangle ? writeObject(rectangle) : "",
    reason: textAt(open, dictAt(open, field.dict, "V") ?? field.dict, "Reason"),
  };
}

test("unplaced values are printed in field order, without the place that carries the signature", () => {
  expect(sayUnplaced(OWN, "visible")).toEqual([
    "Paraphé\u00a0: p.\u00a01",
    "Montant\u00a0: 1 200 €",
    "Accord\u00a0: Oui",
  ]);
  expect(sayUnplaced(OWN, "invisible").slice(0, 2)).toEqual([
    "Signé\u00a0: p.\u00a01",
    "Paraphé\u00a0: p.\u00a01",
  ]);
});

test("initialled pages are named once, in order, three or more in a row as a range", () => {
  const initials = [7, 1, 2, 3, 3, 5, 6, 9].map((pageNumber) => ({
    name: `i${pageNumber}`,
    type: "initials" as const,
    pageNumber,
    value: null,
  }));
  const signatures = [1, 4].map((pageNumber) => ({
    name: `s${pageNumber}`,
    type: "signature" as const,
    pageNumber,
    value: null,
  }));
  expect(sayUnplaced([...signatures, ...initials], "visible")).toEqual([
    "Signé aussi\u00a0: p.\u00a04",
    "Paraphé\u00a0: p.\u00a01 à 3, 5 à 7, 9",
  ]);
  expect(
    sayUnplaced(initials.map((own) => ({ ...own, pageNumber: 4 })).slice(0, 2), "visible"),
  ).toEqual(["Paraphé\u00a0: p.\u00a04"]);
  expect(sayUnplaced([{ name: "i", type: "initials", value: null }], "visible")).toEqual([]);
});

test("blank values are left out, an empty box reads Non, an unnamed value stands alone", () => {
  const own = [
    { name: "a", type: "text", value: "" },
    { name: "b", type: "date", value: null },
    { name: "c", type: "checkbox", label: "Copie", value: "false" },
    { name: "d", type: "name", value: "Zoé" },
  ] as const;
  expect(sayUnplaced(own, "visible")).toEqual(["Copie\u00a0: Non", "Zoé"]);
});

test("a file signed elsewhere takes one visible signature, and earlier ones stay passed", async () => {
  const signed = await signSecond(await prepareSecond(stage.archived));
  expect((await secondField(signed)).rectangle).not.toBe("[0 0 0 0]");
  expect((await verdicts(signed)).map(([indication]) => indication)).toEqual(
    Array.from({ length: 4 }, () => "TOTAL_PASSED"),
  );
  expect(
    (await verdicts(await archiveWith(stage.pki, signed, STAGE_LATER))).every(
      ([indication]) => indication === "TOTAL_PASSED",
    ),
  ).toBe(true);
});

test("in a file signed elsewhere initials are drawn beside the mark", async () => {
  const prepared = await prepareSecond(stage.second);
  const image = (kind: "rgb" | "rgba") => ({ kind: "image" as const, bytes: tinyPng(kind) });
  const signed = await signAs(prepared, {
    signer: stage.bob,
    ownerKey: "bob",
    options: { namePrefix: SECOND, ownFields: OWN, mark: image("rgb"), initials: image("rgba") },
  });
  expect(new TextDecoder("latin1").decode(signed.subarray(prepared.length))).toMatch(
    /\/XObject<<\/PsI \d+ 0 R\/PsJ \d+ 0 R>>/,
  );
});

test("a certified file is a finding beside its signature", async () => {
  expect((await inspectPdf(stage.certified)).findings).toEqual([
    { code: "existing_signatures", count: 1 },
    { code: "certified" },
  ]);
  expect((await inspectPdf(stage.second)).findings.map(({ code }) => code)).not.toContain(
    "certified",
  );
});

test.each(["certified", "certifiedForNotes"] as const)(
  "a certified file takes invisible signatures alone, and stays passed (%s)",
  async (which) => {
    const signed = await signSecond(await prepareSecond(stage[which]));
    expect(await verdicts(signed)).toEqual([
      ["TOTAL_PASSED", "signing"],
      ["TOTAL_PASSED", "none"],
    ]);
    expect((await secondField(signed)).rectangle).toBe("[0 0 0 0]");
    const archived = await verdicts(await archiveWith(stage.pki, signed, STAGE_LATER));
    expect(archived.map(([indication]) => indication)).toEqual([
      "TOTAL_PASSED",
      "TOTAL_PASSED",
      "TOTAL_PASSED",
    ]);
  },
);

test("in a certified file the signature's Reason says what cannot be shown", async () => {
  const prepared = await prepareSecond(stage.certified);
  expect(await secondField(await signSecond(prepared))).toMatchObject({
    reason:
      "Signé\u00a0: p.\u00a01\u202f; Paraphé\u00a0: p.\u00a01\u202f; Montant\u00a0: 1 200 €\u202f; Accord\u00a0: Oui",
  });
  const options = {
    namePrefix: SECOND,
    ownFields: OWN.slice(0, 1),
    reason: "Bon pour accord",
    mark: STROKES,
  };
  const reasoned = await signAs(prepared, { signer: stage.bob, ownerKey: "bob", options });
  expect((await secondField(reasoned)).reason).toBe(
    "Bon pour accord\u202f; Montant\u00a0: 1 200 €",
  );
});

test("an invisible signature embeds no image", async () => {
  const prepared = await prepareSecond(stage.certified);
  const options = {
    namePrefix: SECOND,
    ownFields: OWN,
    mark: { kind: "image" as const, bytes: tinyPng("rgb") },
  };
  const signed = await signAs(prepared, { signer: stage.bob, ownerKey: "bob", options });
  expect(new TextDecoder("latin1").decode(signed.subarray(prepared.length))).not.toContain(
    "/Subtype/Image",
  );
});

test("our field names in a certified file never collide with others'", async () => {
  const again = await prepareFields(stage.certified, {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields: [],
    ownerKeys: ["bob", "alice"],
  });
  expect(
    formFields(await openPdf(again)).filter(({ name }) => name.startsWith(PREFIX)),
  ).toHaveLength(2);
});

test("a field with a seed value is not signed", async () => {
  const prepared = await prepareSecond(smallPdf());
  const { number, syntax } = lastObject(prepared, "/T(second_signature_bob)");
  const seeded = forgedRevision(prepared, {
    objects: { [number]: `${syntax.slice(0, -2)}/SV<</Ff 1/Filter/Entrust.PPKEF>>>>` },
  });
  await expect(signSecond(seeded)).rejects.toMatchObject({ code: "pdf_signing_forbidden" });
});

test("a field with a seed value stays beside the signer's own field", async () => {
  const asks =
    "<</Type/Annot/Subtype/Widget/FT/Sig/T(autre)/F 4/P 3 0 R/Rect[50 50 90 90]/SV<</Ff 1/Filter/Entrust.PPKEF>>>>";
  const file = smallPdf({
    catalogExtra: "/AcroForm<</Fields[20 0 R]>>",
    pageExtra: "/Annots[20 0 R]",
    objects: { 20: asks },
  });
  expect(await verdicts(await signSecond(await prepareSecond(file)))).toEqual([
    ["TOTAL_PASSED", "none"],
  ]);
});

test("a place larger than half of a signed page shrinks, and the first signature stays valid", async () => {
  const whole = { ...place("sig", "signature", 0), x: 0, width: 1, height: 1 };
  const prepared = await prepareFields(stage.archived, {
    namePrefix: SECOND,
    fonts: TEST_FONTS,
    fields: [whole],
  });
  expect((await verdicts(prepared)).every(([indication]) => indication === "TOTAL_PASSED")).toBe(
    true,
  );
  const own: readonly OwnField[] = [
    { name: "sig", type: "signature", label: "sig", pageNumber: 1, value: null },
  ];
  const signed = await verdicts(await signSecond(prepared, own));
  expect(signed.map(([indication]) => indication)).toEqual([
    "TOTAL_PASSED",
    "TOTAL_PASSED",
    "TOTAL_PASSED",
    "TOTAL_PASSED",
  ]);
});
