import { beforeAll, expect, test } from "vitest";
import {
  ownFields,
  PLACEMENTS,
  PREFIX,
  prepareAll,
  STROKES,
  signAs,
} from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import { TEST_FONTS } from "../../testing/test-fonts.ts";
import { TEST_NOW, type TestPki, createTestPki, trusting } from "../../testing/test-pki.ts";
import { tinyJpeg, tinyPng } from "../../testing/tiny-images.ts";
import { formFields } from "../pdf/form-fields.ts";
import { openPdf, textAt } from "../pdf/open-pdf.ts";
import type { Mark, OwnField, PrepareSignatureOptions } from "../pdf/types.ts";
import type { Signer } from "../ports.ts";
import { validate } from "../validate/validate.ts";
import { completeSignature } from "./create-signature.ts";
import { prepareSignature } from "./prepare-signature.ts";
import { prepareFields } from "./prepare-fields.ts";

let pki: TestPki;
let alice: Signer;
let prepared: Uint8Array;
beforeAll(async () => {
  pki = await createTestPki();
  alice = await pki.issue({ commonName: "Alice" });
  prepared = await prepareAll(smallPdf());
});

const WAVE = Array.from(
  { length: 90 },
  (_, index) => [index / 40, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
);
const latin = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);
const options = (changes: Partial<PrepareSignatureOptions> = {}): PrepareSignatureOptions => ({
  namePrefix: PREFIX,
  ownerKey: "alice",
  ownFields: ownFields("alice"),
  mark: STROKES,
  lines: ["Alice"],
  fonts: TEST_FONTS,
  signingTime: TEST_NOW,
  signerName: "Alice",
  ...changes,
});
const passes = async (bytes: Uint8Array): Promise<string[]> =>
  (
    await validate(bytes, { evidence: trusting(pki.root.certificates), now: TEST_NOW })
  ).signatures.map(({ indication }) => indication);

test("preparation makes one signature field for each signer, and text fields for the rest, each with its Lock", async () => {
  const fields = formFields(await openPdf(prepared));
  expect(fields.map(({ name, type }) => [name.replace(`${PREFIX}_`, ""), type])).toEqual([
    ["signature_alice", "Sig"],
    ["signature_bob", "Sig"],
    ["a-ini", "Tx"],
    ["a-txt", "Tx"],
    ["a-date", "Tx"],
    ["a-name", "Tx"],
    ["a-box", "Tx"],
    ["b-txt", "Tx"],
  ]);
  expect(latin(prepared)).toContain("/SigFlags 3");
  expect(latin(prepared)).not.toContain("NeedAppearances");
});

test("preparation and signing give an appearance the same BBox, on pages of fractional size", async () => {
  const odd = await prepareAll(smallPdf({ cropBox: "0.137 0.211 595.303937 841.889764" }));
  const boxes = (bytes: Uint8Array): string[] => latin(bytes).match(/\/BBox\[[^\]]*\]/g) ?? [];
  const own = new Set(boxes(odd));
  const signed = await signAs(odd, { signer: alice, ownerKey: "alice" });
  expect(boxes(signed.subarray(odd.length)).filter((box) => !own.has(box))).toEqual([]);
});

test("an approver without a place gets an invisible signature field", async () => {
  const bytes = await prepareFields(smallPdf(), {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields: [],
    ownerKeys: ["alice"],
  });
  expect(latin(bytes)).toContain("/Rect[0 0 0 0]");
  const signed = await signAs(bytes, {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
    options: { ownFields: [] },
  });
  expect(await passes(signed)).toEqual(["TOTAL_PASSED"]);
});

test("a signed file gets signature fields alone, and values are printed with the signature", async () => {
  const foreign = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  const again = await prepareFields(foreign, {
    namePrefix: "second",
    fonts: TEST_FONTS,
    fields: PLACEMENTS,
  });
  const added = formFields(await openPdf(again)).filter(({ name }) => name.startsWith("second"));
  expect(added.map(({ type }) => type)).toEqual(["Sig", "Sig"]);
  const signed = await signAs(again, {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
    options: { namePrefix: "second" },
  });
  expect(await passes(signed)).toEqual(["TOTAL_PASSED", "TOTAL_PASSED"]);
});

test("a second envelope on the same file gets its own fields", async () => {
  const once = await prepareAll(smallPdf());
  const twice = await prepareFields(once, {
    namePrefix: "second",
    fonts: TEST_FONTS,
    fields: PLACEMENTS,
  });
  const signed = await signAs(twice, {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
    options: { namePrefix: "second" },
  });
  expect(await passes(signed)).toEqual(["TOTAL_PASSED"]);
});

test("preparation keeps the file's own fields, annotations and resources", async () => {
  const own = smallPdf({
    catalogExtra: "/AcroForm<</Fields[6 0 R]/DR<</Font<</PsF 5 0 R>>>>/NeedAppearances true>>",
    pageExtra: "/Annots 7 0 R",
    objects: {
      6: "<</FT/Tx/T(existant)/Type/Annot/Subtype/Widget/Rect[0 0 9 9]>>",
      7: "[6 0 R]",
    },
  });
  const bytes = await prepareAll(own);
  expect(formFields(await openPdf(bytes))[0]).toMatchObject({ name: "existant" });
  expect(
    await passes(await signAs(bytes, { signer: alice, tsa: pki.tsa, ownerKey: "alice" })),
  ).toEqual(["TOTAL_PASSED"]);
});

test("preparation refuses a missing page", async () => {
  const fields = [{ ...PLACEMENTS[0], pageNumber: 2 } as (typeof PLACEMENTS)[number]];
  await expect(
    prepareFields(smallPdf(), { namePrefix: PREFIX, fonts: TEST_FONTS, fields }),
  ).rejects.toMatchObject({
    code: "field_not_found",
  });
});

test("preparation refuses a certified file that forbids signing", async () => {
  const certified = smallPdf({
    catalogExtra: "/Perms<</DocMDP 6 0 R>>",
    objects: {
      6: "<</Type/Sig/Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]>>",
    },
  });
  await expect(prepareAll(certified)).rejects.toMatchObject({ code: "pdf_signing_forbidden" });
});

test("the signature dictionary has SubFilter, M and FieldMDP on own fields, and the CMS no signing-time", async () => {
  const text = latin(await signAs(prepared, { signer: alice, ownerKey: "alice" }));
  expect(text).toContain("/SubFilter/ETSI.CAdES.detached");
  expect(text).toContain("/M(D:20261121141604Z)");
  const lock =
    /\/TransformMethod\/FieldMDP\/Data 1 0 R\/TransformParams<<\/Type\/TransformParams\/V\/1\.2\/Action\/Include\/Fields\[([^\]]*)\]/.exec(
      text,
    )?.[1];
  expect(lock).toBe(
    ["signature_alice", "a-ini", "a-txt", "a-date", "a-name", "a-box"]
      .map((name) => `(${PREFIX}_${name})`)
      .join(""),
  );
});

test("a signing revision changes neither catalog, nor form, nor pages", async () => {
  const signed = await signAs(prepared, { signer: alice, ownerKey: "alice" });
  const added = latin(signed.subarray(prepared.length));
  expect(added).not.toMatch(/\/Type ?\/(Catalog|Page)\b/);
  expect(added).not.toContain("/SigFlags");
});

test("a signing revision gives every own field a new appearance, blank ones too", async () => {
  const blank = ownFields("alice").map((field) => ({ ...field, value: null }));
  const { bytes } = await prepareSignature(prepared, options({ ownFields: blank }));
  expect(latin(bytes.subarray(prepared.length)).match(/\/AP <<\/N \d+ 0 R>>/g)).toHaveLength(6);
});

test("a mention is a form value, on as many lines as its box needs", async () => {
  const [text] = PLACEMENTS.filter(({ name }) => name === "a-txt");
  const mention = {
    ...(text as (typeof PLACEMENTS)[number]),
    name: "a-men",
    type: "mention" as const,
  };
  const bytes = await prepareFields(smallPdf(), {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields: [mention],
  });
  expect(latin(bytes)).toContain("/Ff 4097");
  const value =
    "Lu et approuvé, bon pour caution à hauteur de 12 000 €, deux mois de loyer compris";
  const signed = await signAs(bytes, {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
    options: { ownFields: [{ name: "a-men", type: "mention", value }] },
  });
  const [field] = formFields(await openPdf(signed)).filter(({ name }) => name.endsWith("a-men"));
  expect(field && textAt(await openPdf(signed), field.dict, "V")).toBe(value);
  expect(await passes(signed)).toEqual(["TOTAL_PASSED"]);
});

test("a mention is drawn in the signer's handwriting, other text is not", async () => {
  const asHand = ownFields("alice").map((field) =>
    field.name === "a-txt"
      ? { ...field, type: "mention" as const, value: "Lu et approuvé" }
      : field,
  );
  const typed: Mark = { kind: "typed", text: "Zoé", hand: "la-belle-aurore" };
  const fontsOf = async (fields: OwnField[], mark: Mark): Promise<readonly string[]> => {
    const { bytes } = await prepareSignature(prepared, options({ ownFields: fields, mark }));
    return [...latin(bytes.subarray(prepared.length)).matchAll(/\/BaseFont\/\w{6}\+([\w-]+)/g)].map(
      ([, name]) => String(name),
    );
  };
  const [drawn, ofTyped] = [
    await fontsOf(asHand, { kind: "strokes", strokes: [WAVE] }),
    await fontsOf(asHand, typed),
  ];
  expect(drawn.some((name) => /caveat/i.test(name))).toBe(true);
  expect(ofTyped.filter((name) => /aurore/i.test(name)).length).toBeGreaterThan(1);
  const others = await fontsOf(ownFields("alice"), { kind: "strokes", strokes: [WAVE] });
  expect(others.filter((name) => /caveat|aurore/i.test(name))).toEqual([]);
});

test.each<[string, Mark]>([
  ["strokes", { kind: "strokes", strokes: [WAVE] }],
  ["a short typed name", { kind: "typed", text: "Zoé", hand: "herr-von-muellerhoff" }],
  ["an image", { kind: "image", bytes: tinyPng("rgba") }],
])(
  "a signature drawn as %s with a text and a date adds at most 21 KB, with six fields 23 KB",
  async (_, mark) => {
    const own = ownFields("alice").map((field) =>
      field.name === "a-txt" ? { ...field, value: "Lu et approuvé" } : field,
    );
    const added = async (fields: OwnField[]): Promise<number> =>
      (await prepareSignature(prepared, options({ ownFields: fields, mark }))).bytes.length -
      prepared.length;
    expect(
      await added(own.filter(({ name }) => ["a-sig", "a-txt", "a-date"].includes(name))),
    ).toBeLessThan(21 * 1024);
    expect(await added(own)).toBeLessThan(23 * 1024);
  },
);

test("a typed name is drawn in an embedded font, once for all places", async () => {
  const mark: Mark = {
    kind: "typed",
    text: "Jean-Christophe de La Rochefoucauld",
    hand: "caveat",
  };
  const short: Mark = { kind: "typed", text: "Zoé", hand: "caveat" };
  const added = async (ownFields: OwnField[], drawn: Mark): Promise<number> =>
    (await prepareSignature(prepared, options({ ownFields, mark: drawn }))).bytes.length -
    prepared.length;
  const blank = ownFields("alice").map((field) => ({ ...field, value: null }));
  expect((await added(blank, mark)) - (await added(blank, short))).toBeLessThan(4 * 1024);
  expect((await added(blank, mark)) - (await added(blank.slice(0, 1), mark))).toBeLessThan(
    2.5 * 1024,
  );
});

test.each<[string, Mark]>([
  ["a typed name", { kind: "typed", text: "Zoé Œuvrard-d’Été", hand: "herr-von-muellerhoff" }],
  ["a PNG with transparency", { kind: "image", bytes: tinyPng("rgba") }],
  ["an opaque PNG", { kind: "image", bytes: tinyPng("rgb") }],
  ["a JPEG", { kind: "image", bytes: tinyJpeg() }],
])("a signature takes %s", async (_, mark) => {
  const signed = await signAs(prepared, {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
    options: { mark, initials: { kind: "typed", text: "Z. Œ.", hand: "caveat" } },
  });
  expect(await passes(signed)).toEqual(["TOTAL_PASSED"]);
});

test.each([
  ["a value", { ownFields: ownFields("alice").map((field) => ({ ...field, value: "漢" })) }, "漢"],
  ["a line", { lines: ["Nom 🖋"] }, "🖋"],
  ["a typed mark", { mark: { kind: "typed", text: "ไทย", hand: "caveat" } as const }, "ไ"],
])("a character without a glyph in %s is refused and named", async (_, changes, character) => {
  await expect(prepareSignature(prepared, options(changes))).rejects.toMatchObject({
    name: "PadesError",
    code: "unsupported_character",
    character,
  });
});

test.each(["not an image", "\u0089PNG\r\n\u001a\n", "\u00ff\u00d8\u00ff\u00d9"])(
  "bytes that are no image are refused (%#)",
  async (text) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    await expect(
      prepareSignature(prepared, options({ mark: { kind: "image", bytes } })),
    ).rejects.toMatchObject({
      code: "invalid_image",
    });
  },
);

test("signing refuses somebody unprepared, and a second signature of the same person", async () => {
  await expect(prepareSignature(prepared, options({ ownerKey: "carole" }))).rejects.toMatchObject({
    code: "field_not_found",
  });
  const signed = await signAs(prepared, { signer: alice, ownerKey: "alice" });
  await expect(prepareSignature(signed, options())).rejects.toMatchObject({
    code: "field_not_found",
  });
});

test("a CMS larger than its room is refused", async () => {
  const small = await prepareSignature(prepared, options({ reserveBytes: 100 }));
  expect(() => completeSignature(small, new Uint8Array(101))).toThrow("at most 100 bytes");
});

test("signing fails when the time-stamp authority fails or answers for something else", async () => {
  const away = { timestamp: () => Promise.reject(new Error("away")) };
  await expect(signAs(prepared, { signer: alice, tsa: away, ownerKey: "alice" })).rejects.toThrow(
    "away",
  );
  const wrong = { timestamp: () => pki.tsa.timestamp(new Uint8Array(32)) };
  await expect(
    signAs(prepared, { signer: alice, tsa: wrong, ownerKey: "alice" }),
  ).rejects.toMatchObject({ code: "timestamp_invalid" });
});
