import { expect, test } from "vitest";
import { PdfDict, type PdfNumber } from "@libpdf/core";
import { forgedRevision, lastObject, latin } from "../../testing/forge.ts";
import { type SmallPdfOptions, smallPdf, type Objects } from "../../testing/small-pdf.ts";
import { type OpenPdf, arrayAt, follow, nameAt, numberAt, openPdf } from "../pdf/open-pdf.ts";
import { pageAt } from "../pdf/page-geometry.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { normalisePdf } from "./control-pdf.ts";
import { eachDict } from "../pdf/walk-objects.ts";
import { HIDDEN_OBJECT, sealed } from "../../testing/attack-stage.ts";
import { UNLISTED, UNSIGNED, WITHOUT_RANGE } from "../../testing/attacks-unlisted.ts";
import { packedPdf } from "../../testing/packed-pdf.ts";
import { signFreely } from "../../testing/sign-freely.ts";
import { createTestPki } from "../../testing/test-pki.ts";
import { latinBytes } from "../pdf/incremental-update.ts";

const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
const LOOK = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const cover = stream("1 g 0 0 595 842 re f 0 g BT /F1 18 Tf 72 600 Td (FAUX) Tj ET", LOOK);
const nothing = stream("", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]");
const annotated = (entries: string, more: SmallPdfOptions = {}): Uint8Array =>
  smallPdf({
    pageExtra: "/Annots[20 0 R]",
    ...more,
    objects: { 20: `<</Type/Annot${entries}>>`, 21: cover, 22: nothing, ...more.objects },
  });
const codes = async (bytes: Uint8Array): Promise<readonly string[]> =>
  (await inspectPdf(bytes)).findings.map(({ code }) => code);
const looked = (open: OpenPdf): PdfDict => {
  const [first] = arrayAt(open, pageAt(open, 1).dict, "Annots")?.toArray() ?? [];
  const annotation = follow(open, first);
  if (!(annotation instanceof PdfDict)) throw new Error("Expected an annotation");
  return annotation;
};

/** Expects a file that readers show differently; gives the copy, which they do not. */
async function settled(bytes: Uint8Array, code: string): Promise<OpenPdf> {
  expect(await inspectPdf(bytes)).toMatchObject({ result: "fixable" });
  expect(await codes(bytes)).toContain(code);
  const copy = await normalisePdf(bytes);
  expect(await codes(copy)).not.toContain(code);
  expect(await inspectPdf(copy)).toMatchObject({ result: "ok" });
  return openPdf(copy);
}

const tree = (parent: string, more: Objects = {}): Uint8Array =>
  smallPdf({
    objects: {
      2: "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>",
      3: `<</Type/Page${parent}/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>`,
      33: "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 180>>",
      ...more,
    },
  });

test.each([
  ["names another node than the one that lists it", tree("/Parent 33 0 R")],
  ["names none", tree("")],
])("the copy repairs a page tree where a page %s", async (_what, bytes) => {
  const open = await settled(bytes, "structure_rebuilt");
  expect(pageAt(open, 1).rotation).toBe(90);
});

test("the copy repairs a page tree whose root has a parent", async () => {
  const bytes = tree("/Parent 2 0 R", { 2: "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 33 0 R>>" });
  expect(pageAt(await settled(bytes, "structure_rebuilt"), 1).rotation).toBe(0);
});

test("a consistent page tree is left alone", async () => {
  expect(await inspectPdf(tree("/Parent 2 0 R"))).toMatchObject({ result: "ok", findings: [] });
});

const link = "/Subtype/Link/Rect[0 500 595 842]/F 4/C[1 1 1]/Dest[3 0 R/Fit]";
test.each([
  "/Border[0 0 400]",
  "/BS<</W 400/S/S>>",
  "/Border[0 0 0]/BS<</W 4>>",
  "/Border[0 0 (9)]",
  "/Border[0 0 -9]",
])(
  "a link with a covering border has none in the copy, and keeps its target: %s",
  async (border) => {
    const open = await settled(annotated(link + border), "reader_dependent");
    const found = looked(open);
    expect([found.has("Dest"), found.has("BS")]).toEqual([true, false]);
    expect(
      arrayAt(open, found, "Border")
        ?.toArray()
        .map((item) => (item as PdfNumber).value),
    ).toEqual([0, 0, 0]);
  },
);

test.each([
  "",
  "/Border[0 0 1]",
  "/Border[0 0 0]",
  "/Border[0 0]",
  "/BS<</W 3>>",
  "/Border[0 0 0]/BS<</S/U>>",
])("a link with a thin border is accepted: %s", async (border) => {
  expect(await inspectPdf(annotated(link + border))).toMatchObject({
    result: "ok",
    findings: [],
  });
});

const form = { catalogExtra: "/AcroForm<</Fields[20 0 R]>>" };
const field = "/Subtype/Widget/FT/Tx/T(x)/V(FAUX)/Rect[0 0 595 842]/AP<</N 21 0 R>>";
test.each([
  [36, 6, form],
  [36, 6, {}],
  [0, 4, form],
  [260, 4, form],
])(
  "the copy of a field with the flags %i shows what the screen does",
  async (flags, wanted, options) => {
    const open = await settled(annotated(`${field}/F ${flags}`, options), "reader_dependent");
    expect(numberAt(open, looked(open), "F")).toBe(wanted);
  },
);

test.each(["/F 4", "/F 2", "/F 38", "/F 32"])(
  "a field shown alike on screen and paper is accepted: %s",
  async (flags) => {
    expect(await codes(annotated(field + flags, form))).toEqual(["existing_form"]);
  },
);

test("an attachment icon that is only printed is a finding", async () => {
  await settled(
    annotated("/Subtype/FileAttachment/Rect[0 0 595 842]/AP<</N 21 0 R>>/F 36"),
    "reader_dependent",
  );
});

const button = "/Subtype/Widget/FT/Btn/Rect[0 0 595 842]/F 4/AP<</N<</Oui 21 0 R/Off 22 0 R>>>>";
test.each([
  ["its value's", `${button}/T(x)/V/Oui`, "Oui"],
  ["none where it has no value", `${button}/T(x)`, "Off"],
  ["none where its value is no state", `${button}/T(x)/V/Autre`, "Off"],
  ["its group's value", `${button}/Parent 23 0 R`, "Oui"],
])("a button without a chosen state gets one in the copy: %s", async (_what, entries, state) => {
  const group = "<</FT/Btn/T(x)/V/Oui/Kids[20 0 R]>>";
  const options = entries.includes("Parent")
    ? { catalogExtra: "/AcroForm<</Fields[23 0 R]>>", objects: { 23: group } }
    : form;
  const open = await settled(annotated(entries, options), "reader_dependent");
  expect(nameAt(open, looked(open), "AS")).toBe(state);
});

test("a button with a chosen state is accepted", async () => {
  expect(await codes(annotated(`${button}/T(x)/V/Oui/AS/Off`, form))).toEqual(["existing_form"]);
});

test.each(["45", "/Droite", "90.5"])(
  "an invalid rotation is removed in the copy: /Rotate %s",
  async (turn) => {
    const bytes = smallPdf({ pageExtra: `/Rotate ${turn}` });
    const open = await settled(bytes, "reader_dependent");
    expect(numberAt(open, pageAt(open, 1).dict, "Rotate")).toBe(0);
  },
);

const boxless = cover.replace("/BBox[0 0 595 842]", "");
test.each([
  ["a look without a box", "/N 21 0 R", boxless],
  ["a look with a box of three numbers", "/N 21 0 R", cover.replace("595 842]", "595]")],
  ["a look by state without a box", "/N<</Oui 21 0 R/Off 22 0 R>>", boxless],
  ["a look under the pointer without a box", "/N 22 0 R/R 21 0 R", boxless],
])("the copy removes %s", async (_what, looks, object) => {
  const field = `/Subtype/Widget/FT/Btn/Ff 65536/T(x)/AS/Oui/Rect[10 10 11 11]/F 4/AP<<${looks}>>`;
  const open = await settled(
    annotated(field, { ...form, objects: { 21: object } }),
    "reader_dependent",
  );
  expect(looked(open).has("AP")).toBe(false);
  expect(await codes(annotated(field, form))).toEqual(["existing_form"]);
});

test("a form without a BBox is shown whole in the copy", async () => {
  const called = (object: string): Uint8Array =>
    smallPdf({
      objects: {
        3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</Q 21 0 R>>>>>>",
        4: stream("/Q Do"),
        21: object,
      },
    });
  const open = await settled(called(boxless), "reader_dependent");
  const copied = [...eachDict(open)].find((dict) => nameAt(open, dict, "Subtype") === "Form");
  expect(copied && arrayAt(open, copied, "BBox")?.length).toBe(4);
  expect(await codes(called(cover))).toEqual([]);
  expect(await codes(called(stream("", "/Type/XObject/Subtype/Form")))).toEqual([]);
});

const shown = (object: string): Uint8Array =>
  smallPdf({ pageExtra: "/PieceInfo<</X 20 0 R>>", objects: { 20: object } });
const inverted = "<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>";
test.each([
  ["a program in PostScript", shown(stream("showpage", "/Type/XObject/Subtype/PS")), "showpage"],
  [
    "a form with such a program",
    shown(stream("", "/Subtype/Form/BBox[0 0 9 9]/Subtype2/PS/PS 4 0 R")),
    "Subtype2",
  ],
  [
    "an image that stands for another",
    shown(stream("", "/Subtype/Form/BBox[0 0 9 9]/OPI<</2.0<</F(a.tif)>>>>")),
    "OPI",
  ],
  ["a function of every colour", shown(`<</ExtGState<</G<</TR ${inverted}>>>>>>`), "/TR"],
  [
    "such a function, with a mask's entries",
    shown(`<</ExtGState<</G<</S/Luminosity/G 4 0 R/TR2[${inverted}]>>>>>>`),
    "/TR2",
  ],
  [
    "a shading's own function of every colour",
    shown(`<</PatternType 2/ExtGState<</TR ${inverted}>>>>`),
    "/TR",
  ],
])("the copy removes %s", async (_what, bytes, gone) => {
  await settled(bytes, "reader_dependent");
  expect(latin(await normalisePdf(bytes))).not.toContain(gone);
});

test.each([
  ["colours as they are", "<</ExtGState<</G<</TR/Identity/TR2/Default>>>>>>"],
  ["a mask's function", `<</ExtGState<</G<</SMask<</S/Luminosity/G 4 0 R/TR ${inverted}>>>>>>>>`],
  ["a row of a table", "<</RoleMap<</TR/P>>/ClassMap<</TR<</O/Table>>>>>>"],
])("%s are accepted unchanged", async (_what, object) => {
  expect(await codes(shown(object))).toEqual([]);
});

const IMAGE =
  "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";

async function signed(bytes: Uint8Array): Promise<Uint8Array> {
  const pki = await createTestPki();
  const signer = await pki.issue({ commonName: "Alice" });
  return signFreely(bytes, { cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered) });
}

test.each([
  ["an object in a stream", stream(HIDDEN_OBJECT), "structure_rebuilt"],
  ["an object in a string", `<</X(\n${HIDDEN_OBJECT})>>`, "structure_rebuilt"],
  ["an object in a string of an array", `<</X[(\n${HIDDEN_OBJECT})]>>`, "structure_rebuilt"],
  [
    "a stream whose data is in another file",
    stream("BT ET", "/F(autre.bin)/FFilter/FlateDecode"),
    "external_action",
  ],
  [
    "a form that stands for a page of another file",
    stream("", "/Subtype/Form/BBox[0 0 9 9]/Ref<</F(a.pdf)/Page 0>>"),
    "external_action",
  ],
  [
    "an image that is printed as another one",
    stream("x", `${IMAGE}/Alternates[<</Image 4 0 R>>]`),
    "alternate_images",
  ],
])("%s is a finding, and the copy looks the same everywhere", async (_name, object, code) => {
  const bytes = shown(object);
  const found = await inspectPdf(bytes);
  expect(found.findings.map((finding) => finding.code)).toEqual([code]);
  expect(found.result).toBe("fixable");
  const copy = await normalisePdf(bytes);
  expect(await codes(copy)).toEqual([]);
  expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
});

const page = "/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
const look = stream(
  "BT /F1 24 Tf 72 700 Td (FAUX) Tj ET",
  "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
);
const withAnnotation = (entries: string): SmallPdfOptions => ({
  pageExtra: "/Annots[7 0 R]",
  objects: { 7: `<</Type/Annot${entries}/Rect[0 0 595 842]/AP<</N 8 0 R>>>>`, 8: look },
});
test.each<[string, SmallPdfOptions, string]>([
  [
    "a key twice",
    { objects: { 3: `<<${page}/Contents 4 0 R/Contents 6 0 R>>`, 6: stream("BT ET") } },
    "structure_rebuilt",
  ],
  [
    "a key twice, once in digits",
    { objects: { 3: `<<${page}/Contents 4 0 R/Content#73 6 0 R>>`, 6: stream("BT ET") } },
    "structure_rebuilt",
  ],
  [
    "a key twice, deep inside",
    { objects: { 6: "<</A[1 0 R<</B% remark\n true/B 2 0 R>>]>>" } },
    "structure_rebuilt",
  ],
  [
    "a stream that is longer than it says",
    {
      objects: { 4: "<</Length 10>>\nstream\nBT /F1 24 Tf 72 700 Td (Contrat) Tj ET\nendstream" },
    },
    "structure_rebuilt",
  ],
  [
    "a stream that is shorter than it says",
    { objects: { 4: "<</Length 900>>\nstream\nBT ET\nendstream" } },
    "structure_rebuilt",
  ],
  ["a portfolio", { catalogExtra: "/Collection<</Type/Collection/D(a.pdf)>>" }, "portfolio"],
  ["a link with a look", withAnnotation("/Subtype/Link"), "hidden_layers"],
  ["a note's window with a look", withAnnotation("/Subtype/Popup"), "hidden_layers"],
  ["an annotation of no kind, with a look", withAnnotation(""), "hidden_layers"],
])("%s is a finding, and the copy has one reading", async (_name, options, code) => {
  const bytes = smallPdf(options);
  expect(await codes(bytes)).toEqual([code]);
  expect(await codes(await normalisePdf(bytes))).toEqual([]);
});

test("an object written again where no table leads is a finding, an update is not", async () => {
  const whole = latin(smallPdf());
  const at = whole.indexOf("xref\n0 1");
  const again = `4 0 obj\n${stream("BT /F1 24 Tf 72 700 Td (FAUX) Tj ET")}\nendobj\n`;
  const hidden = latinBytes(
    whole.slice(0, at) +
      again +
      whole.slice(at).replace(/startxref\n\d+/, `startxref\n${at + again.length}`),
  );
  expect(await codes(hidden)).toEqual(["structure_rebuilt"]);
  const copy = await normalisePdf(hidden);
  expect(await codes(copy)).toEqual([]);
  expect(latin(copy)).not.toContain("FAUX");
  expect(await codes(forgedRevision(smallPdf(), { objects: { 4: stream("BT ET") } }))).toEqual([]);
});

test("a duplicate key in an object stream is a finding, the same key in two dictionaries is not", async () => {
  expect(await codes(packedPdf({ more: new Map([[8, "<</A 1/A 2>>"]]) }))).toEqual([
    "structure_rebuilt",
  ]);
  expect(
    await codes(packedPdf({ more: new Map([[8, "<</A<</A[/A/A<</A 1>>]>>/B(/A)>>"]]) })),
  ).toEqual([]);
});

test("pages below a page are refused, as readers differ on them", async () => {
  const kids = {
    3: `<<${page}/Contents 4 0 R/Kids[7 0 R]/Count 1>>`,
    7: "<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]>>",
  };
  await expect(inspectPdf(smallPdf({ objects: kids }))).rejects.toMatchObject({
    code: "pdf_damaged",
  });
});

test("a link keeps its target when its appearance becomes part of the page", async () => {
  const copy = await openPdf(
    await normalisePdf(
      smallPdf(withAnnotation("/Subtype/Link/A<</S/URI/URI(https://exemple.fr)>>")),
    ),
  );
  const [link] = [...eachDict(copy)].filter((dict) => nameAt(copy, dict, "Subtype") === "Link");
  expect([link?.has("A"), link?.has("AP")]).toEqual([true, false]);
});

test("an object in the data of an unused stream is a finding", async () => {
  const bytes = smallPdf({ objects: { 20: stream(HIDDEN_OBJECT) } });
  expect(await codes(bytes)).toEqual(["structure_rebuilt"]);
  expect(await codes(await normalisePdf(bytes))).toEqual([]);
});

test("an object in an uncompressed object stream is a finding, in a compressed one it is not", async () => {
  const note = `<</X(\n${HIDDEN_OBJECT})>>`;
  const plain = packedPdf({ more: new Map([[8, note]]) });
  expect(await codes(plain)).toEqual(["structure_rebuilt"]);
  const copy = await normalisePdf(plain);
  expect(await codes(copy)).toEqual([]);
  expect(latin(copy)).not.toContain("4 0 obj\n<</Length 35");
  expect(await codes(packedPdf({ more: new Map([[8, note]]), pack: "hexadecimal" }))).toEqual([]);
  expect(await codes(packedPdf())).toEqual([]);
});

test("a signed file with two readings has a finding and stays unchanged", async () => {
  const { findings, result } = await inspectPdf(await signed(shown(stream(HIDDEN_OBJECT))));
  expect(result).toBe("ok");
  expect(findings.map(({ code }) => code)).toContain("structure_rebuilt");
});

test("data that mention objects are no object", async () => {
  expect(await codes(shown(stream("12 objets, 3 trailers; endobj, xref")))).toEqual([]);
});

test("a signature that no field lists is refused where the page shows it", async () => {
  const whole = await signed(smallPdf());
  const { number, syntax } = lastObject(whole, "/SigFlags");
  const hidden = forgedRevision(whole, {
    objects: { [number]: syntax.replace(/\/Fields ?\[[^\]]*\]/, "/Fields[]") },
  });
  expect((await inspectPdf(whole)).signatureCount).toBe(1);
  await expect(inspectPdf(hidden)).rejects.toMatchObject({ code: "pdf_unverifiable_signatures" });
});

test.each(Object.entries(UNLISTED))(
  "a signature that no field lists is refused as unverifiable: %s",
  async (_name, options) => {
    await expect(inspectPdf(smallPdf(options))).rejects.toMatchObject({
      code: "pdf_unverifiable_signatures",
    });
  },
);

test("the value of a listed field without a ByteRange is an invalid signature", async () => {
  await expect(inspectPdf(smallPdf(WITHOUT_RANGE))).rejects.toMatchObject({
    code: "pdf_invalid_signatures",
  });
});

test.each(Object.entries(UNSIGNED))("this is no unlisted signature: %s", async (_name, options) => {
  expect(await inspectPdf(smallPdf(options))).toMatchObject({ result: "ok", signatureCount: 0 });
});

test("an unlisted signature is found on the shown field's parent", async () => {
  const bytes = smallPdf({
    catalogExtra: "/AcroForm<</Fields[8 0 R]/SigFlags 3>>",
    pageExtra: "/Annots[12 0 R]",
    objects: {
      8: "<</FT/Sig/T(p)/V 9 0 R/Kids[12 0 R]>>",
      9: "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 10 20 30]/Contents<00>>>",
      12: "<</T(k)/Parent 8 0 R/Type/Annot/Subtype/Widget/Rect[0 0 0 0]>>",
    },
  });
  await expect(inspectPdf(bytes)).rejects.toMatchObject({ code: "pdf_invalid_signatures" });
});

test("usage rights are no unlisted signature", async () => {
  const bytes = smallPdf({
    catalogExtra: "/Perms<</UR3 9 0 R>>",
    objects: { 9: "<</Type/Sig/ByteRange[0 10 20 30]/Contents<00>>>" },
  });
  expect(await codes(bytes)).toEqual([]);
});
