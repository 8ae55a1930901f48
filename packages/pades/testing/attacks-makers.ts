import { deflateSync } from "node:zlib";
import { concatBytes } from "../src/asn1/der-writer.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import {
  type Attack,
  type AttackStage,
  EVIL_CONTENT,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { stamped, widget, withField } from "./attacks-form.ts";
import { HONEST_VALUES, VALUE_ATTACKS } from "./attacks-values.ts";
import {
  forgedRevision,
  forgedUpdate,
  lastObject,
  previousOf,
  tableRow,
  extended,
  redefined,
} from "./forge.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf, type Objects } from "./small-pdf.ts";

const byAlice =
  ({ alice, pki }: AttackStage) =>
  (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer: alice, tsa: pki.tsa }, covered);

/** A file with this information dictionary, signed; then it has that one. */
const informed =
  (before: string, after: string): Attack =>
  async (stage) => {
    const file = latinText(smallPdf({ objects: { 30: `<<${before}>>` } }));
    const signed = await signFreely(
      latinBytes(swap(file, "/Root 1 0 R>>", "/Root 1 0 R/Info 30 0 R>>")),
      { cms: byAlice(stage) },
    );
    return forgedUpdate(signed, {
      parts: { i: `30 0 obj\n<<${after}>>\nendobj\n` },
      rows: ({ i = 0 }) => tableRow(30, i),
      trailer: (text) => `${text}/Info 30 0 R`,
    });
  };

const INFORMATION: Attacks = {
  "information: another title in another encoding": informed(
    "/Title<FEFF004200610069006C>",
    "/Title(Bai1)",
  ),
  "information: half a character for another": informed("/Title<FEFFD800>", "/Title<FEFFDC00>"),
  "information: half a letter less": informed("/Title<FEFF00420061>", "/Title<FEFF004200>"),
  "information: broken UTF-8 for another": informed("/Title<EFBBBFC3>", "/Title<EFBBBFE2>"),
  "information: a code of no letter for another": informed("/Title<42819F>", "/Title<4281AD>"),
  "information: a code of no letter left out": informed("/Title<420061>", "/Title(Ba)"),
  "information: a second mark of UTF-16": informed("/Title<FEFF0042>", "/Title<FEFFFEFF0042>"),
  "information: a name for a title": informed("/Title(Bail)", "/Title/Bail"),
  "information: a title that came": informed("/Author(x)", "/Author(x)/Title<FEFF>"),
};
const HONEST_INFORMATION: Attacks = {
  "a title in UTF-16, written anew in bytes": informed(
    "/Title<FEFF004200610069006C002020AC>",
    "/Title(Bail \\240)/ModDate(D:20261121)",
  ),
  "a title in bytes, written anew in UTF-16": informed(
    "/Title(R\\351sum\\351 \\204)",
    "/Title<FEFF005200E900730075006D00E900202014>",
  ),
  "a title in UTF-8, written anew in UTF-16": informed(
    "/Title<EFBBBFE282AC>",
    "/Title<FEFF20AC>/Producer(x)",
  ),
};

/** A harmless update; `change` edits its text from the table on. */
const noted =
  (change: (section: string, at: number) => string, before = ""): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    const extensions = "/Extensions<</ZZZZ<</BaseVersion/2.0/ExtensionLevel 1>>>>";
    const text = latinText(
      forgedUpdate(archived, {
        parts: { c: `${number} 0 obj\n${syntax.slice(0, -2)}${extensions}>>\nendobj\n${before}` },
        rows: ({ c = 0 }) => tableRow(number, c),
      }),
    );
    const at = text.lastIndexOf("\nxref\n") + 1;
    return latinBytes(
      text.slice(0, at) + swap(text.slice(at), "startxref", change(text.slice(at), at)),
    );
  };
/** Puts this before `startxref`. */
const behindTrailer = (remark: string): Attack => noted(() => `${remark}startxref`);
const led = (back: number, before: string): Attack => {
  const forged = noted(() => "%\nstartxref", before);
  return async (stage) => {
    const text = latinText(await forged(stage));
    return latinBytes(
      swap(text, /(?<!\d)\d+(?=\n%%EOF\n$)/, (place) => String(Number(place) - back)),
    );
  };
};
const beforeTrailer =
  (between: string): Attack =>
  async (stage) => {
    const text = latinText(await noted(() => "\nstartxref")(stage));
    const at = text.lastIndexOf("trailer");
    return latinBytes(text.slice(0, at) + between + text.slice(at));
  };
const nothingWritten = (bytes: Uint8Array, trailer = (text: string): string => text): Uint8Array =>
  forgedUpdate(bytes, {
    parts: {},
    rows: () => "0 1\n0000000000 65535 f\r\n",
    trailer: (text) => trailer(swap(text, "/Size 999", "/Size 1")),
  });
/** An empty update with its own trailer; then another. */
const idle =
  (trailer: (text: string) => string): Attack =>
  async (stage) =>
    early("")({ ...stage, archived: nothingWritten(stage.archived, trailer) });
const EVIL_OBJECT = `4 0 obj\n${EVIL_CONTENT}\nendobj\n`;

const ENDS: Attacks = {
  "end: an object in a remark behind the trailer": behindTrailer(
    `%iText ${swap(EVIL_OBJECT, /\n/g, " ")}\n`,
  ),
  "end: an object behind a remark": behindTrailer(`%iText\n${EVIL_OBJECT}`),
  "end: an object behind a remark that a carriage return ends": behindTrailer(
    `%iText\r${EVIL_OBJECT}`,
  ),
  "end: a second startxref in a remark": behindTrailer("%startxref 9\n"),
  "end: a second end of the file in a remark": behindTrailer("%iText %%EOF\n"),
  "end: a second end of the file": behindTrailer("%%EOF\n"),
  "end: a second trailer in a remark": behindTrailer("%trailer<</Root 4 0 R>>\n"),
  "end: a second trailer behind a remark": behindTrailer("%x\ntrailer<</Root 1 0 R/Size 999>>\n"),
  "end: a word behind a remark": behindTrailer("%x\nq\n"),
  "end: a remark that goes on over startxref": behindTrailer("%x "),
  "end: a place before the blank that is no end of a section": led(8, ""),
  "end: a place before a remark before the table": led(3, "%x\n"),
  "end: a place before a blank that not every reader steps over": led(1, "\u0000"),
  "end: an object before the trailer": beforeTrailer(EVIL_OBJECT),
  "end: a remark before the trailer": beforeTrailer("%x\n"),
  "end: an update that writes nothing, to another catalog": idle((text) =>
    swap(text, "/Root 1", "/Root 4"),
  ),
  "end: an update that writes nothing, to an earlier revision": idle((text) =>
    swap(text, /\/Prev \d+/, "/Prev 9"),
  ),
  "end: an update that writes nothing, of an entry that nobody knows": idle(
    (text) => `${text}/Checksum/AB12`,
  ),
  "end: an update that writes nothing, the last": ({ archived }) => nothingWritten(archived),
  "end: an update that writes nothing, the last, blanks behind it": ({ archived }) =>
    concatBytes([nothingWritten(archived), latinBytes(" \n")]),
  "end: blanks behind it, as many as readers look through for it": ({ archived }) =>
    concatBytes([archived, latinBytes("\n".repeat(1_000))]),
  "end: a place before an object before the table": led(EVIL_OBJECT.length, EVIL_OBJECT),
};
const HONEST_ENDS: Attacks = {
  "an update that writes nothing, before another": idle((text) => text),
  "blanks behind the end of the file": ({ archived }) =>
    concatBytes([archived, latinBytes("\r\n \t\n")]),
  "an empty line before the trailer, as PDFBox writes": beforeTrailer("\n"),
  "a remark behind the trailer, as iText writes": behindTrailer("%iText-Core-8.0.3\n"),
  "remarks and blanks behind the trailer": behindTrailer("\r\n% one\r%\n\t "),
  "blanks before a table that startxref names, as node-signpdf writes": led(2, "\r\n"),
};

/** Empty, deflated, as iText writes a time-stamp's appearance. */
const NOTHING = "x\u009c\u0003\u0000\u0000\u0000\u0000\u0001";
const look = (data: string, entries = "/Filter/FlateDecode", frame = "/BBox[0 0 0 0]"): string =>
  `<<${frame}${entries}/Length ${data.length}/Subtype/Form/Type/XObject>>\nstream\n${data}\nendstream`;
const PAINT = "1 g 0 0 595 842 re f";
const PAINTED = latinText(deflateSync(PAINT));
const NOWHERE = "/Rect[0 0 0 0]/V 900 0 R/AP<</N 902 0 R>>";
const stampedWith =
  (form: string, place = NOWHERE): Attack =>
  (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, widget(place), { 902: form }));

const EMPTY: Attacks = {
  "empty look: it is not, deflated": stampedWith(look(PAINTED)),
  "empty look: it is not, and its box is large": stampedWith(
    look(PAINTED, undefined, "/BBox[-595 -842 595 842]"),
  ),
  "empty look: it is not, and it is turned": stampedWith(
    look(PAINTED, undefined, "/BBox[0 0 1 1]/Matrix[0 595 -842 0 595 0]"),
  ),
  "empty look: it is not, on a place without height": stampedWith(
    look(PAINTED),
    swap(NOWHERE, "0 0 0 0", "0 0 595 0"),
  ),
  "empty look: something stands behind its end": stampedWith(look(NOTHING + PAINTED)),
  "empty look: something stands behind its end, as it is": stampedWith(look(`${NOTHING} ${PAINT}`)),
  "empty look: a sum of something else": stampedWith(look(swap(NOTHING, "\u0001", "\u0002"))),
  "empty look: under a second filter": stampedWith(
    look(NOTHING, "/Filter[/FlateDecode/ASCII85Decode]"),
  ),
  "empty look: under another filter": stampedWith(look(NOTHING, "/Filter/LZWDecode")),
  "empty look: with parameters": stampedWith(
    look(NOTHING, "/Filter/FlateDecode/DecodeParms<</Predictor 12>>"),
  ),
  "empty look: an image": stampedWith(swap(look(NOTHING), "/Subtype/Form", "/Subtype/Image")),
  "empty look: a group": stampedWith(look(NOTHING, "/Filter/FlateDecode/Ref<<>>")),
};
const HONEST_EMPTY: Attacks = {
  "a time-stamp whose look is nothing, deflated": stampedWith(look(NOTHING)),
  "a time-stamp whose look is nothing, deflated as fast as can be": stampedWith(
    look(swap(NOTHING, "\u009c", "\u0001")),
  ),
};

type File = {
  readonly form?: string;
  readonly field?: string;
  readonly note?: string;
  readonly becomes?: string;
  readonly more?: Objects;
};
const FONTS = "/Font<</Helv 5 0 R/ZaDb 971 0 R>>";
const PDFBOX = `/DA(/Helv 0 Tf 0 g )/DR<<${FONTS}/XObject<</FRM 970 0 R>>/ProcSet[/PDF/Text]>>`;
const TEXT = "<</Type/Annot/Subtype/Widget/FT/Tx/T(note)/Rect[100 500 300 530]/F 4/P 3 0 R";
const drawing = (data: string, resources = "/Resources<<>>"): string =>
  `<</Type/XObject/Subtype/Form/BBox[0 0 200 30]${resources}/Length ${data.length}>>\nstream\n${data}\nendstream`;

/** Signed by Alice with this form, field (21) and note (26); then the form has these defaults. */
const defaulted =
  (to: string, { form = "", field = "", note = "", more = {} }: File = {}): Attack =>
  async (stage) => {
    const file = smallPdf({
      catalogExtra: `/AcroForm<</Fields[${field && "21 0 R"}]${form}>>`,
      pageExtra: `/Annots[${field && "21 0 R "}${note && "26 0 R"}]`,
      objects: {
        ...(field ? { 21: field } : {}),
        ...(note ? { 26: note } : {}),
        22: drawing("q Q"),
        ...more,
      },
    });
    const signed = await signFreely(file, { fieldName: "alice", cms: byAlice(stage) });
    const { number, syntax } = lastObject(signed, "/SigFlags");
    const fields = /\/Fields ?\[[^\]]*\]/.exec(syntax)?.[0] ?? "";
    const added: Objects = { 970: drawing("q /X Do Q"), 971: ZAPF };
    const used = Object.fromEntries(
      Object.entries(added).filter(([key]) => to.includes(`${key} 0 R`)),
    );
    return forgedRevision(signed, {
      objects: { [number]: `<<${fields}/SigFlags 3${to}>>`, ...used },
    });
  };
const ZAPF = "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>";
const OWN = `${TEXT}/DA(/F1 10 Tf)/V(100 EUR)/AP<</N 22 0 R>>>>`;
/** A field's appearance with these resources. */
const named = (data: string, resources?: string): File => ({
  field: OWN,
  more: { 22: drawing(data, resources) },
});

const HELV = "BT /Helv 9 Tf (x) Tj ET";
const NOTE =
  "<</Type/Annot/Subtype/FreeText/Rect[100 500 300 530]/F 4/P 3 0 R/DA(/Helv 9 Tf)/Contents(100 EUR)>>";
const SHOWN_NOTE = `${NOTE.slice(0, -2)}/AP<</N 22 0 R>>>>`;
/** A field's appearance that paints with this pattern or glyph. */
const patterned = (resources: string): File => ({
  field: OWN,
  more: {
    22: drawing("/Pattern cs /P scn 0 0 9 9 re f", "/Resources<</Pattern<</P 24 0 R>>>>"),
    24: drawing(
      HELV,
      `/PatternType 1/PaintType 1/TilingType 1/XStep 9/YStep 9/Resources<<${resources}>>`,
    ),
  },
});
const lettered = (glyph: string): File => ({
  field: OWN,
  more: {
    22: drawing("BT /T 9 Tf (x) Tj ET", "/Resources<</Font<</T 24 0 R>>>>"),
    24: "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 120/LastChar 120/Widths[9]/Encoding<</Differences[120/x]>>/CharProcs<</x 25 0 R>>>>",
    25: `<</Length ${glyph.length}>>\nstream\n${glyph}\nendstream`,
  },
});

const DEFAULTS: Attacks = {
  "defaults: an encoding that is a stream": defaulted("/DR<</Encoding<</E 22 0 R>>>>"),
  "defaults: an encoding that holds a stream": defaulted(
    "/DR<</Encoding<</E<</Differences 22 0 R>>>>>>",
  ),
  "defaults: encodings that are none": defaulted("/DR<</Encoding[/PDFDocEncoding]>>"),
  "defaults: another encoding": defaulted("/DR<</Encoding<</E<</Differences[65/B]>>>>>>", {
    form: "/DR<</Encoding<</E<</Differences[65/A]>>>>>>",
  }),
  "defaults: a font that a note names": defaulted(PDFBOX, { note: NOTE }),
  "defaults: a font that a note names whose look is none": defaulted(PDFBOX, {
    note: swap(SHOWN_NOTE, "22 0 R", "<</Length 0>>"),
  }),
  "defaults: a font that a look names, in a dictionary that calls itself an image": defaulted(
    PDFBOX,
    {
      field: swap(OWN, "/N 22 0 R", "/N 22 0 R/Subtype/Image"),
      more: { 22: drawing(HELV) },
    },
  ),
  "defaults: a font that a look within a look names, by the name of a kind": defaulted(PDFBOX, {
    field: OWN,
    more: {
      22: drawing("/In Do", "/Resources<</XObject<</Subtype/Image/In 24 0 R>>>>"),
      24: drawing(HELV),
    },
  }),
  "defaults: a font that the look of a note names and does not have": defaulted(PDFBOX, {
    note: SHOWN_NOTE,
    more: { 22: drawing(HELV) },
  }),
  "defaults: a font that the pattern of a look names and does not have": defaulted(
    PDFBOX,
    patterned(""),
  ),
  "defaults: a picture that a glyph of a look names": defaulted(PDFBOX, lettered("9 0 d0 /FRM Do")),
  "defaults: a look for a field that had none": defaulted("/DA(/Helv 40 Tf 1 g)", {
    field: `${TEXT}/V(100 EUR)/AP<</N 22 0 R>>>>`,
  }),
  "defaults: another look": defaulted("/DA(/Helv 40 Tf 1 g)", { form: "/DA(/Helv 10 Tf 0 g)" }),
  "defaults: a look that is no text": defaulted("/DA/Helv"),
  "defaults: a look less": defaulted("", { form: "/DA(/Helv 10 Tf 0 g)" }),
  "defaults: another font": defaulted("/DR<</Font<</Helv 971 0 R>>>>", {
    form: "/DR<</Font<</Helv 5 0 R>>>>",
    field: OWN,
  }),
  "defaults: a font drawn anew": async (stage) => {
    const bytes = await defaulted(PDFBOX)(stage);
    return forgedRevision(bytes, { objects: { 971: swap(ZAPF, "ZapfDingbats", "Symbol") } });
  },
  "defaults: a font less": defaulted("/DR<</Font<<>>>>", {
    form: "/DR<</Font<</Helv 5 0 R>>>>",
    field: OWN,
  }),
  "defaults: no resources any more": defaulted("", { form: "/DR<</Font<</Helv 5 0 R>>>>" }),
  "defaults: a font that a field names and nobody had": defaulted(PDFBOX, {
    field: swap(OWN, "/F1 ", "/Helv "),
  }),
  "defaults: a font that a field names by codes": defaulted(PDFBOX, {
    field: swap(OWN, "/F1 ", "/H#65lv "),
  }),
  "defaults: a font that a widget names": defaulted(PDFBOX, {
    field: "<</FT/Tx/T(note)/DA(/F1 10 Tf)/Kids[23 0 R]>>",
    more: {
      23: "<</Type/Annot/Subtype/Widget/Parent 21 0 R/DA(/Helv 10 Tf)/Rect[100 500 300 530]/AP<</N 22 0 R>>>>",
    },
  }),
  "defaults: a font that the form names": defaulted(`/DA(/Helv 0 Tf)/DR<<${FONTS}>>`, {
    form: "/DA(/Helv 0 Tf)",
    field: OWN,
  }),
  "defaults: a font that a look names and does not have": defaulted(
    PDFBOX,
    named("BT /Helv 9 Tf (x) Tj ET"),
  ),
  "defaults: a font that a look without resources names": defaulted(
    PDFBOX,
    named("BT /Helv 9 Tf (x) Tj ET", ""),
  ),
  "defaults: a font that the look within a look names": defaulted(PDFBOX, {
    field: OWN,
    more: {
      22: drawing("/In Do", "/Resources<</XObject<</In 24 0 R>>>>"),
      24: drawing("BT /Helv 9 Tf (x) Tj ET"),
    },
  }),
  "defaults: a font that a look may name which nobody can decode": defaulted(
    PDFBOX,
    named("x", "/Filter/None/Resources<<>>"),
  ),
  "defaults: a picture that a look names and does not have": defaulted(PDFBOX, named("/FRM Do")),
  "defaults: another picture, that a look names and does not have": defaulted(PDFBOX, {
    ...named("/FRM Do"),
    form: "/DR<</XObject<</FRM 22 0 R>>>>",
  }),
  "defaults: a picture less": defaulted("/DR<</XObject<<>>>>", {
    form: "/DR<</XObject<</FRM 22 0 R>>>>",
  }),
  "defaults: a state": defaulted("/DR<</ExtGState<</GS<</ca 0>>>>>>"),
  "defaults: another state": defaulted("/DR<</ExtGState<</GS<</ca 0>>>>>>", {
    form: "/DR<</ExtGState<</GS<</ca 1>>>>>>",
  }),
  "defaults: a list for resources": defaulted("/DR[971 0 R]"),
  "defaults: a stream for resources": defaulted("/DR 970 0 R"),
  "defaults: a list for fonts": defaulted("/DR<</Font[971 0 R]>>"),
  "defaults: a text for a font": defaulted("/DR<</Font<</Helv(x)>>>>"),
  "defaults: a form that asks for new looks besides": defaulted(`${PDFBOX}/NeedAppearances true`, {
    field: OWN,
  }),
};
const HONEST_DEFAULTS: Attacks = {
  "defaults with an encoding, as Acrobat writes": defaulted(
    "/DR<</Encoding<</PDFDocEncoding<</Type/Encoding/Differences[24/breve]>>>>>>",
  ),
  "defaults that came, as PDFBox and DSS add them": defaulted(PDFBOX),
  "defaults that came, where a field has its own": defaulted(PDFBOX, { field: OWN }),
  "defaults that came, where the field above has its own": defaulted(PDFBOX, {
    field: "<</T(a)/FT/Tx/DA(/F1 10 Tf)/Kids[23 0 R]>>",
    more: {
      23: "<</Type/Annot/Subtype/Widget/T(b)/Parent 21 0 R/Rect[100 500 300 530]/AP<</N 22 0 R>>>>",
    },
  }),
  "defaults that came, where a look has what it names": defaulted(
    PDFBOX,
    named(
      "BT /Helv 9 Tf (x) Tj ET /FRM Do",
      "/Resources<</Font<</Helv 5 0 R>>/XObject<</FRM 24 0 R>>>>",
    ),
  ),
  "defaults that came, where a note has a look of its own": defaulted(PDFBOX, {
    note: SHOWN_NOTE,
    more: { 22: drawing(HELV, "/Resources<</Font<</Helv 5 0 R>>>>") },
  }),
  "defaults that came, where the pattern of a look has what it names": defaulted(
    PDFBOX,
    patterned("/Font<</Helv 5 0 R>>"),
  ),
  "defaults that came, where a glyph names nothing": defaulted(
    PDFBOX,
    lettered("9 0 d0 0 0 9 9 re f"),
  ),
  "fonts that came beside others": defaulted(`/DA(/F1 0 Tf)/DR<</Font<</F1 5 0 R/Helv 5 0 R>>>>`, {
    form: "/DA(/F1 0 Tf)/DR<</Font<</F1 5 0 R>>>>",
    field: OWN,
  }),
  "another picture, which nothing of before names": defaulted(PDFBOX, {
    form: "/DR<</XObject<</FRM 22 0 R>>>>",
    field: OWN,
  }),
};

/** A cross-reference as stream (992) and again as a table, like PDFBox; either may differ. */
const twofold =
  (change: (text: string) => string = (text) => text): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    const catalog = `${number} 0 obj\n${syntax.slice(0, -2)}/Extensions<</ZZZZ<</BaseVersion/2.0/ExtensionLevel 1>>>>>>\nendobj\n`;
    const at = archived.length;
    const leading = `/Size 993/Root ${number} 0 R/Prev ${previousOf(archived)}`;
    const row = String.fromCharCode(0, 0, 0, 0, 1, at >> 16, (at >> 8) & 255, at & 255);
    const stream = `992 0 obj\n<<${leading}/Type/XRef/W[1 3 0]/Index[0 1 ${number} 1]/Length 8>>\nstream\n${row}\nendstream\nendobj\n`;
    const own = at + catalog.length;
    const table = `xref\n0 1\n0000000000 65535 f\r\n${tableRow(number, at)}${tableRow(992, own)}trailer\n<<${leading}>>\n`;
    const update = change(catalog + stream + table);
    return latinBytes(
      `${latinText(archived)}${update}startxref\n${at + update.lastIndexOf("xref\n0 1")}\n%%EOF\n`,
    );
  };

const TWOFOLD: Attacks = {
  "twofold: another place in the stream": twofold((text) =>
    swap(text, /.\nendstream/s, "\u0009\nendstream"),
  ),
  "twofold: an object less in the stream": twofold((text) =>
    swap(
      swap(text, /\/Index\[0 1 \d+ 1\]\/Length 8/, "/Index[0 1]/Length 4"),
      /(stream\n.{4}).{4}/s,
      (found) => found.slice(0, -4),
    ),
  ),
  "twofold: an object less in the table": twofold((text) =>
    swap(text, /(65535 f\r\n)\d+ 1\n\d{10} 00000 n\r\n/, (found) => found.slice(0, 9)),
  ),
  "twofold: another catalog in the stream": twofold((text) => swap(text, /\/Root \d+/, "/Root 4")),
  "twofold: another way back in the stream": twofold((text) => swap(text, /\/Prev \d+/, "/Prev 9")),
  "twofold: information in the stream alone": twofold((text) =>
    swap(text, "/Type/XRef", "/Info 4 0 R/Type/XRef"),
  ),
  "twofold: an encryption in the stream": twofold((text) =>
    swap(text, "/Type/XRef", "/Encrypt 4 0 R/Type/XRef"),
  ),
  "twofold: a stream that nothing lists": twofold((text) =>
    swap(text, /992 1\n\d{10} 00000 n\r\n/, ""),
  ),
  "twofold: an object between them": twofold((text) =>
    swap(text, "endobj\nxref", `endobj\n${EVIL_OBJECT}xref`),
  ),
  "twofold: two streams": twofold((text) =>
    swap(text, /992 0 obj.*endobj\n(?=xref)/s, (found) => found + swap(found, "992 0", "993 0")),
  ),
  "twofold: a table of another kind": twofold((text) =>
    swap(text, "trailer\n<<", "trailer\n<</XRefStm 9"),
  ),
};
const HONEST_TWOFOLD: Attacks = {
  "a cross-reference as a stream and as a table, as PDFBox writes": twofold(),
};

/**
 * Signed by Alice with an empty field (21); then an invisible time-stamp, or so it says, fills it.
 */
const EMPTY_FIELD = "<</Subtype/Widget/FT/Sig/T(vide)/Rect[0 0 0 0]>>";
const HIDDEN_FIELD = swap(EMPTY_FIELD, "/Rect", "/F 2/Rect");
const NAMED_FIELD = swap(EMPTY_FIELD, "/Rect", "/P 13 0 R/Rect");
const filled =
  (entries: string, { field = EMPTY_FIELD, becomes = field, more = {} }: File = {}): Attack =>
  async (stage) => {
    const file = smallPdf({
      catalogExtra: "/AcroForm<</Fields[21 0 R]>>",
      objects: {
        2: "<</Type/Pages/Kids[3 0 R 13 0 R]/Count 2>>",
        3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[21 0 R]>>",
        13: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        21: field,
        ...more,
      },
    });
    const signed = await signFreely(file, { fieldName: "alice", cms: byAlice(stage) });
    return stamped(stage, signed, { 21: `${becomes.slice(0, -2)}/V 900 0 R${entries}>>` });
  };
const added =
  (entries: string): Attack =>
  (stage) =>
    stamped(
      stage,
      stage.archived,
      withField(stage.archived, widget(`/Rect[0 0 0 0]/V 900 0 R${entries}`)),
    );

const WIDGETS: Attacks = {
  "widget: another page than the one that shows it": filled("/P 13 0 R"),
  "widget: a page that is none": filled("/P 4 0 R"),
  "widget: another page than it named": filled("", {
    field: NAMED_FIELD,
    becomes: swap(NAMED_FIELD, "/P 13", "/P 3"),
  }),
  "widget: a field of another kind": filled("/Type/Font"),
  "widget: another default value": filled("/DV 4 0 R"),
  "widget: a default value as a text": filled("/DV(x)"),
  "widget: hidden no more": filled("", {
    field: HIDDEN_FIELD,
    becomes: swap(HIDDEN_FIELD, "/F 2", "/F 4"),
  }),
  "widget: a size of its own": filled("/F 12"),
  "widget: shown under the pointer alone": filled("/F 256"),
  "widget: an action": filled("/A<</S/JavaScript/JS(1)>>"),
  "widget: a look among words": filled("/AP<</N<</Length 0/On 22 0 R>>>>", {
    more: { 22: drawing("1 g 0 0 9 9 re f") },
  }),
  "widget: a border's style": added("/BS<</W 9>>"),
  "widget: a border's style that is none": added("/BS[0]"),
  "widget: a border of the usual width": added("/BS<</S/S>>"),
  "widget: a background": added("/MK<</BG[1]>>"),
  "widget: a caption": added("/MK<</CA(FAUX)>>"),
  "widget: a default value that is not its value": added("/DV 4 0 R"),
  "widget: resources": added("/DR<</Font<</Helv 5 0 R>>>>"),
  "widget: resources that are a stream": added("/DR 4 0 R"),
};
const HONEST_WIDGETS: Attacks = {
  "an empty field that is printed and locked as it is signed, as iText does": filled("/F 132"),
  "an empty field that says its page and kind as it is signed, as PDFBox does":
    filled("/Type/Annot/P 3 0 R"),
  "an empty field whose value is its default value, as LibreOffice writes": filled("/DV 900 0 R"),
  "a new field whose value is its default value, as LibreOffice writes": added("/DV 900 0 R"),
  "a new field without border and colours, in so many words": added(
    "/BS<</W 0/S/S>>/MK<</R 0/BC[]/BG[]>>/Q 1",
  ),
  "a new field without resources, in so many words, as iText writes": added("/DR<<>>"),
};

/** A row that points before its object, past `blank`. */
const early =
  (blank: string, back: number = blank.length): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    return forgedUpdate(archived, {
      parts: { b: blank, c: `${number} 0 obj\n${syntax}\nendobj\n` },
      rows: ({ c = 0 }) => tableRow(number, c - back),
    });
  };

const PLACES: Attacks = {
  "place: before a remark": early("%x\n"),
  "place: before a blank that not every reader steps over": early("\u0000"),
  "place: before another object": early(EVIL_OBJECT),
  "place: within the object": early("", -1),
};
const HONEST_PLACES: Attacks = {
  "a row that names the end of line before its object, as Cryptolog writes": early("\r\n"),
};

/** Signed by Alice; then by Bob, with an earlier appearance and resources of the field's own. */
const OWN_FORM = "/DR<</XObject<</FRM 61 0 R>>>>";
const LOOK = drawing(
  "q /FRM Do Q",
  "/Resources<</ProcSet[/PDF]/XObject<</FRM 61 0 R>>/Font<</F1 5 0 R>>>>",
);
const resourced =
  (resources: string, look = LOOK, appearance = "/AP<</N 60 0 R>>"): Attack =>
  async (stage) => {
    const objects = {
      60: look,
      61: drawing("q Q"),
      62: drawing("1 g 0 0 200 30 re f"),
      63: "[60 0 R 61 0 R 62 0 R]",
    };
    const first = await signFreely(smallPdf({ catalogExtra: "/PieceInfo 63 0 R", objects }), {
      fieldName: "alice",
      cms: byAlice(stage),
    });
    const fieldExtra = appearance + resources;
    return signFreely(first, {
      fieldName: "bob",
      rect: "20 20 60 40",
      fieldExtra,
      cms: byAlice(stage),
    });
  };

/** An invisible time-stamp's field below a new parent with these entries. */
const above =
  (entries: string): Attack =>
  (stage) => {
    const { number } = lastObject(stage.archived, "/SigFlags");
    const objects = withField(stage.archived, widget("/Rect[0 0 0 0]/V 900 0 R/Parent 903 0 R"));
    const form = swap(objects[number] ?? "", "901 0 R", "903 0 R");
    return stamped(stage, stage.archived, {
      ...objects,
      [number]: form,
      903: `<</T(above)/Kids[901 0 R]${entries}>>`,
    });
  };

const RESOURCED: Attacks = {
  "field's resources: another form than its look's": resourced(swap(OWN_FORM, "61", "62")),
  "field's resources: a form that its look does not name": resourced(swap(OWN_FORM, "FRM", "X")),
  "field's resources: of a kind that its look does not have": resourced(
    "/DR<</Pattern<</FRM 61 0 R>>>>",
  ),
  "field's resources: another font under a name of its look": resourced(
    `/DR<</Font<</F1 ${ZAPF}>>>>`,
  ),
  "field's resources: a list": resourced("/DR[61 0 R]"),
  "field's resources: a stream": resourced("/DR 61 0 R"),
  "field's resources: a list of forms": resourced("/DR<</XObject[61 0 R]>>"),
  "field's resources: its look has none": resourced(OWN_FORM, drawing("q /FRM Do Q", "")),
  "field's resources: it has no look": resourced(OWN_FORM, LOOK, ""),
  "field's resources: nobody signed in it": ({ archived }) =>
    forgedRevision(archived, { objects: withField(archived, widget("/Rect[0 0 0 0]/DR<<>>")) }),
  "field's resources: of a field that was there empty": filled("/DR<</Font<</F1 5 0 R>>>>"),
  "field's resources: of what stands above it": above("/DR<</Font<</F1 5 0 R>>>>"),
  "field's resources: of a text that was there": async (stage) => {
    const file = smallPdf({
      catalogExtra: "/AcroForm<</Fields[21 0 R]>>",
      pageExtra: "/Annots[21 0 R]",
      objects: { 21: OWN, 22: drawing("q Q") },
    });
    const signed = await signFreely(file, { fieldName: "alice", cms: byAlice(stage) });
    return forgedRevision(signed, {
      objects: { 21: `${OWN.slice(0, -2)}/DR<</Font<</F1 ${ZAPF}>>>>>>` },
    });
  },
};
const HONEST_RESOURCED: Attacks = {
  "a field that repeats resources of its look, as OpenPDF writes": resourced(OWN_FORM),
  "a field below another that came with it": above(""),
};

const rooted =
  (entries: string): Attack =>
  ({ archived }) =>
    forgedRevision(archived, { objects: { 2: `<</Type/Pages/Kids[3 0 R]/Count 1${entries}>>` } });
/** Signed by Alice; then this object gets a note. */
const notedIn =
  (number: 2 | 13, before: Objects, note = "/ITXT(2.1.7)"): Attack =>
  async (stage) => {
    const signed = await signFreely(smallPdf({ objects: before }), {
      fieldName: "alice",
      cms: byAlice(stage),
    });
    return forgedRevision(signed, {
      objects: { [number]: `${before[number]?.slice(0, -2)}${note}>>` },
    });
  };
const inLast =
  (marker: string): Attack =>
  ({ archived }) =>
    extended(archived, marker, "/ITXT(2.1.7)");
/** A page tree root that is also the page's resources, and one with a node below. */
const AS_RESOURCES: Objects = {
  2: "<</Type/Pages/Kids[3 0 R]/Count 1/Font<</F1 5 0 R>>>>",
  3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources 2 0 R>>",
};
const TWO_LEVELS: Objects = {
  2: "<</Type/Pages/Kids[13 0 R]/Count 1>>",
  3: "<</Type/Page/Parent 13 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
  13: "<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>",
};

const TREE: Attacks = {
  "page tree: a note that is a dictionary": rooted("/ITXT<</F1 5 0 R>>"),
  "page tree: a note that leads on": rooted("/ITXT 4 0 R"),
  "page tree: a note that is a list": rooted("/ITXT[(2.1.7)]"),
  "page tree: a note under another key": rooted("/ITXU(2.1.7)"),
  "page tree: a note, and the pages turned": rooted("/ITXT(2.1.7)/Rotate 180"),
  "page tree: a note, and the pages cut": rooted("/ITXT(2.1.7)/CropBox[0 0 99 99]"),
  "page tree: a note, and resources": rooted("/ITXT(2.1.7)/Resources<</Font<</F1 5 0 R>>>>"),
  "page tree: a note, and a page less": (stage) =>
    forgedRevision(stage.archived, { objects: { 2: "<</Type/Pages/Kids[]/Count 0/ITXT(x)>>" } }),
  "page tree: a note on a page": inLast("/Type /Page "),
  "page tree: a note in the catalog": inLast("/Type /Catalog"),
  "page tree: a note on a node below": notedIn(13, TWO_LEVELS),
  "page tree: a note, where the root is resources as well": notedIn(2, AS_RESOURCES),
  "page tree: a note taken away": async (stage) =>
    rooted("")({ ...stage, archived: await rooted("/ITXT(2.1.7)")(stage) }),
};
const HONEST_TREE: Attacks = {
  "a note at the root of the page tree, as iText 2 writes": rooted("/ITXT(2.1.7)"),
  "a note at the root of a page tree of two levels": notedIn(2, TWO_LEVELS),
  "another note at the root of the page tree": async (stage) =>
    rooted("/ITXT(2.1.5)")({ ...stage, archived: await rooted("/ITXT(2.1.7)")(stage) }),
};

/** An output intent and its profile (981). */
const INTENT =
  "<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/DestOutputProfile 981 0 R>>";
const intended =
  (intents: string, filter = ""): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    const profile = `<</N 3${filter}/Length 5>>\nstream\nwhite\nendstream`;
    return forgedRevision(archived, {
      objects: { [number]: `${syntax.slice(0, -2)}/OutputIntents${intents}>>`, 981: profile },
    });
  };

const INTENTS: Attacks = {
  "output intent: colours of a profile that nobody knows": intended(`[${INTENT}]`),
  "output intent: a profile that nobody decodes": intended(`[${INTENT}]`, "/Filter/FlateDecode"),
  "output intent: a profile under a filter that is none": intended(`[${INTENT}]`, "/Filter/None"),
  "output intent: without a profile": intended(
    `[${swap(INTENT, "/DestOutputProfile 981 0 R", "")}]`,
  ),
  "output intent: no list": intended(INTENT),
  "output intent: gone": async (stage) => {
    const file = smallPdf({
      catalogExtra: `/OutputIntents[${swap(INTENT, "/DestOutputProfile 981 0 R", "")}]`,
    });
    const signed = await signFreely(file, { fieldName: "alice", cms: byAlice(stage) });
    return redefined(signed, "/Catalog", (syntax) => swap(syntax, /\/OutputIntents ?\[.*?\]/, ""));
  },
};

/** What other makers do harmlessly, and attacks that resemble it. */
export const MAKER_ATTACKS: Attacks = {
  ...INFORMATION,
  ...ENDS,
  ...EMPTY,
  ...DEFAULTS,
  ...TWOFOLD,
  ...WIDGETS,
  ...RESOURCED,
  ...TREE,
  ...INTENTS,
  ...PLACES,
  ...VALUE_ATTACKS,
};
export const HONEST_MAKERS: Attacks = {
  ...HONEST_INFORMATION,
  ...HONEST_ENDS,
  ...HONEST_EMPTY,
  ...HONEST_DEFAULTS,
  ...HONEST_TWOFOLD,
  ...HONEST_WIDGETS,
  ...HONEST_RESOURCED,
  ...HONEST_TREE,
  ...HONEST_PLACES,
  ...HONEST_VALUES,
};
