import { concatBytes } from "../src/asn1/der-writer.ts";
import { toHex } from "../src/asn1/der-reader.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { prepareFields } from "../src/sign/prepare-fields.ts";
import { type Attack, type AttackStage, sealed, swap, type Attacks } from "./attack-stage.ts";
import { forgedRevision, latin } from "./forge.ts";
import { PREFIX, signAs } from "./sign-flow.ts";
import { type FreeSignature, signFreely } from "./sign-freely.ts";
import { smallPdf, stream, type Objects } from "./small-pdf.ts";
import { TEST_FONTS } from "./test-fonts.ts";

const look = (data: string): string =>
  stream("/Type/XObject/Subtype/Form/BBox[0 0 120 20]/Resources<</Font<</F1 5 0 R>>>>", data);
const place = (rest: string, rect: string): string =>
  `<</Type/Annot/Subtype/Widget${rest}/Rect[${rect}]/F 4/P 3 0 R>>`;
const states = (state: string): string => `/AP<</N<</${state} 40 0 R/Off 41 0 R>>>>`;

const WHOLE = "0 0 595 842";
const CHOICE = "<</FT/Btn/T(choix)/Ff 49152/V/Off/Kids[31 0 R 32 0 R]>>";
const ONE = place(`/Parent 30 0 R/AS/Off${states("un")}`, "50 500 70 520");
const NAME = "<</FT/Tx/T(nom)/Kids[34 0 R 35 0 R]/DA(/F1 10 Tf)>>";
const [HERE, THERE] = [
  place("/Parent 33 0 R", "50 400 170 420"),
  place("/Parent 33 0 R", "50 300 170 320"),
];
const ALONE = place("/FT/Tx/T(seul)/DA(/F1 10 Tf)", "50 200 170 220");
const LARGE = place("/FT/Tx/T(note)/DA(/F1 10 Tf)", WHOLE);
const EMPTY = place("/FT/Sig/T(vide)", WHOLE);
const MARKED = place("/FT/Tx/T(filigrane)/DA(/F1 10 Tf)/AP<</N 40 0 R>>", WHOLE);
const [APART, APART_PLACE] = [
  "<</FT/Sig/T(deux)/Kids[48 0 R]>>",
  place("/Parent 47 0 R", "50 100 250 150"),
];
const [OVERALL, OVERALL_PLACE] = [
  "<</FT/Sig/T(partout)/Kids[52 0 R]>>",
  place("/Parent 51 0 R", WHOLE),
];
const TILES = Array.from({ length: 12 }, (_, index) =>
  place(`/FT/Tx/T(t${index})/DA(/F1 10 Tf)`, `0 ${index * 60} 595 ${index * 60 + 50}`),
);

const OBJECTS: Objects = {
  30: CHOICE,
  31: ONE,
  32: place(`/Parent 30 0 R/AS/Off${states("deux")}`, "80 500 100 520"),
  33: NAME,
  34: HERE,
  35: THERE,
  36: ALONE,
  37: LARGE,
  38: EMPTY,
  39: MARKED,
  40: look("0 0 20 20 re f"),
  41: look(" "),
  47: APART,
  48: APART_PLACE,
  51: OVERALL,
  52: OVERALL_PLACE,
  ...Object.fromEntries(TILES.map((tile, index) => [60 + index, tile])),
};
const list = (...numbers: readonly number[]): string =>
  numbers.map((number) => `${number} 0 R`).join(" ");
const tiles = TILES.map((_, index) => 60 + index);
const FORM = smallPdf({
  catalogExtra: `/AcroForm<</Fields[${list(30, 33, 36, 37, 38, 39, 47, 51, ...tiles)}]/DR<</Font<</F1 5 0 R>>>>>>`,
  pageExtra: `/Annots[${list(31, 32, 34, 35, 36, 37, 38, 39, 48, 52, ...tiles)}]`,
  objects: OBJECTS,
});

const signing = (
  stage: AttackStage,
  who: "alice" | "bob",
  more: Partial<FreeSignature> = {},
): FreeSignature => ({
  cms: (covered) => sealed({ signer: stage[who], tsa: stage.pki.tsa }, covered),
  fieldName: who,
  ...more,
});
/** Certified by Alice for filling, then filled. */
const certified =
  (change: Objects): Attack =>
  async (stage) =>
    forgedRevision(await signFreely(FORM, signing(stage, "alice", { certification: 2 })), {
      objects: change,
    });
/** Signed by Alice, then filled, then signed by Bob. */
const approved =
  (change: Objects): Attack =>
  async (stage) =>
    signFreely(
      forgedRevision(await signFreely(FORM, signing(stage, "alice")), { objects: change }),
      signing(stage, "bob"),
    );

const NEW_LOOK = { 50: look("/Tx BMC q BT /F1 10 Tf 2 5 Td (Jean) Tj ET Q EMC") };
const with50 = (syntax: string): string => swap(syntax, "/Rect", "/AP<</N 50 0 R>>/Rect");
const CHOSEN: Objects = { 30: swap(CHOICE, "/V/Off", "/V/un"), 31: swap(ONE, "/AS/Off", "/AS/un") };
const NAMED: Objects = {
  33: swap(NAME, "/DA", "/V(Jean)/DA"),
  34: with50(HERE),
  35: with50(THERE),
  ...NEW_LOOK,
};
const FILLED: Objects = { 36: swap(with50(ALONE), "/FT", "/V(Jean)/FT"), ...NEW_LOOK };
const OVERLAY = { 50: look("1 g 0 0 595 842 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET") };
const OVER: Objects = { 37: swap(with50(LARGE), "/FT", "/V(x)/FT"), ...OVERLAY };
const TILED: Objects = {
  ...Object.fromEntries(
    TILES.map((tile, index) => [60 + index, swap(with50(tile), "/FT", "/V(x)/FT")]),
  ),
  ...OVERLAY,
};

const ROOM = 16_384;
/** Signed by Alice, then by Bob in a field that was there. */
const inEmptyField =
  (objects: (value: string) => Objects): Attack =>
  async (stage) => {
    const first = await signFreely(FORM, signing(stage, "alice"));
    const value = `<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 ${"@".repeat(30)}]/Contents<${"0".repeat(ROOM * 2)}>>>`;
    const text = latin(forgedRevision(first, { objects: { 950: value, ...objects("950 0 R") } }));
    const from = text.lastIndexOf("/Contents<0000") + 9;
    const to = from + ROOM * 2 + 2;
    const whole = latinBytes(
      text.replace("@".repeat(30), `${from} ${to} ${text.length - to}`.padEnd(30)),
    );
    const covered = concatBytes([whole.subarray(0, from), whole.subarray(to)]);
    whole.set(
      latinBytes(toHex(await sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered))),
      from + 1,
    );
    return whole;
  };

export const FILLING_ATTACKS: Attacks = {
  "widgets: a widget repainted, the value kept": certified({
    31: swap(ONE, "40 0 R", "50 0 R"),
    ...OVERLAY,
  }),
  "widgets: a widget moved": certified({ ...NAMED, 34: swap(with50(HERE), "50 400", "50 600") }),
  "widgets: a widget that gets a value of its own": certified({
    ...NAMED,
    34: swap(with50(HERE), "/Parent", "/V(FAUX)/Parent"),
  }),
  "widgets: a state in a text field": certified({
    ...NAMED,
    34: swap(with50(HERE), "/Parent", "/AS/un/Parent"),
  }),
  "widgets: a look that is none": certified({
    ...NAMED,
    34: swap(HERE, "/Rect", "/AP 50 0 R/Rect"),
  }),
  "widgets: one more": certified({
    ...NAMED,
    33: swap(NAMED[33] ?? "", "35 0 R", "35 0 R 36 0 R"),
  }),
  "widgets: one gone": certified({
    ...NAMED,
    33: swap(NAMED[33] ?? "", "34 0 R 35 0 R", "34 0 R"),
  }),
  "widgets: no widget any more": certified({ ...NAMED, 35: "null" }),
  "widgets: a background that came with the value": certified({
    ...FILLED,
    36: swap(FILLED[36] ?? "", "/FT", "/MK<</BG[1 1 1]>>/FT"),
  }),
  "widgets: filled by nobody who signs": async (stage) =>
    forgedRevision(await signFreely(FORM, signing(stage, "alice")), { objects: NAMED }),
  "covered: a certified page, by a text field that nobody signs": certified(OVER),
  "covered: by a text field, then signed": approved(OVER),
  "covered: by a text field whose place is not one": certified({
    ...OVER,
    37: swap(OVER[37] ?? "", "0 0 595 842", "0 0 595"),
  }),
  "covered: by twelve text fields, then signed": approved(TILED),
  "covered: by an empty signature field": inEmptyField((value) => ({
    38: swap(with50(EMPTY), "/FT", `/V ${value}/FT`),
    ...OVERLAY,
  })),
  "covered: by the widget of an empty signature field": inEmptyField((value) => ({
    51: swap(OVERALL, "/FT", `/V ${value}/FT`),
    52: with50(OVERALL_PLACE),
    ...OVERLAY,
  })),
};

const SHEET = 24;
/** Twenty-four places: two thirds of a page. */
const sheetOfSignatures: Attack = async ({ alice, pki }) => {
  const owners = Array.from({ length: SHEET }, (_, index) => `n${index}`);
  const fields = owners.map((ownerKey, index) => ({
    name: `${ownerKey}-sig`,
    ownerKey,
    type: "signature" as const,
    pageNumber: 1,
    x: 0.02 + (index % 3) * 0.33,
    y: 0.02 + Math.floor(index / 3) * 0.12,
    width: 0.3,
    height: 0.095,
    label: "",
    tooltip: "Signature",
  }));
  let bytes = await prepareFields(smallPdf(), { namePrefix: PREFIX, fonts: TEST_FONTS, fields });
  for (const { ownerKey, name } of fields)
    bytes = await signAs(bytes, {
      signer: alice,
      tsa: pki.tsa,
      ownerKey,
      options: { ownFields: [{ name, type: "signature", label: "", value: null }] },
    });
  return bytes;
};

export const HONEST_FILLED: Attacks = {
  "a certified form, a button of two chosen": certified(CHOSEN),
  "a certified form, a text of two widgets": certified(NAMED),
  "a certified form, a text of one": certified(FILLED),
  "a certified form, a text of one with characteristics that say nothing": certified({
    ...FILLED,
    36: swap(FILLED[36] ?? "", "/FT", "/MK<<>>/FT"),
  }),
  "a signed form, a button of two chosen, then signed": approved(CHOSEN),
  "a signed form, a text of two widgets, then signed": approved(NAMED),
  "a signed form, a text of two widgets with characteristics that say nothing, then signed":
    approved({
      ...NAMED,
      34: swap(NAMED[34] ?? "", "/Parent", "/MK<<>>/Parent"),
    }),
  "a signature in an empty field whose place stands apart": inEmptyField((value) => ({
    47: swap(APART, "/FT", `/V ${value}/FT`),
    48: with50(APART_PLACE),
    ...NEW_LOOK,
  })),
  "a field over the page that had its look before": certified({
    39: swap(MARKED, "/FT", "/V(COPIE)/FT"),
  }),
  "a sheet of twenty-four signatures": sheetOfSignatures,
};
