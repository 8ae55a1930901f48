import { deflateSync } from "node:zlib";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/latin-text.ts";
import { type Attack, EVIL_CONTENT, swap } from "./attack-pieces.ts";
import { type AttackStage, sealed } from "./attack-stage.ts";
import { stamped, widget, withField } from "./attacks-form.ts";
import { lastObject } from "./forge.ts";
import { forgedUpdate, tableRow } from "./forge-update.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf } from "./small-pdf.ts";

const byAlice =
  ({ alice, pki }: AttackStage) =>
  (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer: alice, tsa: pki.tsa }, covered);

/** A file that says this of itself, signed; then it says that. */
const informed =
  (before: string, after: string): Attack =>
  async (stage) => {
    const file = latinText(smallPdf({ objects: { 30: `<<${before}>>` } }));
    const signed = await signFreely(latinBytes(swap(file, "/Root 1 0 R>>", "/Root 1 0 R/Info 30 0 R>>")), { cms: byAlice(stage) });
    return forgedUpdate(signed, {
      parts: { i: `30 0 obj\n<<${after}>>\nendobj\n` },
      rows: ({ i = 0 }) => tableRow(30, i),
      trailer: (text) => `${text}/Info 30 0 R`,
    });
  };

const INFORMATION: Readonly<Record<string, Attack>> = {
  "information: another title in another encoding": informed("/Title<FEFF004200610069006C>", "/Title(Bai1)"),
  "information: half a character for another": informed("/Title<FEFFD800>", "/Title<FEFFDC00>"),
  "information: half a letter less": informed("/Title<FEFF00420061>", "/Title<FEFF004200>"),
  "information: broken UTF-8 for another": informed("/Title<EFBBBFC3>", "/Title<EFBBBFE2>"),
  "information: a code of no letter for another": informed("/Title<42819F>", "/Title<4281AD>"),
  "information: a code of no letter left out": informed("/Title<420061>", "/Title(Ba)"),
  "information: a second mark of UTF-16": informed("/Title<FEFF0042>", "/Title<FEFFFEFF0042>"),
  "information: a name for a title": informed("/Title(Bail)", "/Title/Bail"),
  "information: a title that came": informed("/Author(x)", "/Author(x)/Title<FEFF>"),
};
const HONEST_INFORMATION: Readonly<Record<string, Attack>> = {
  "a title in UTF-16, written anew in bytes": informed("/Title<FEFF004200610069006C002020AC>", "/Title(Bail \\240)/ModDate(D:20261121)"),
  "a title in bytes, written anew in UTF-16": informed("/Title(R\\351sum\\351 \\204)", "/Title<FEFF005200E900730075006D00E900202014>"),
  "a title in UTF-8, written anew in UTF-16": informed("/Title<EFBBBFE282AC>", "/Title<FEFF20AC>/Producer(x)"),
};

/** An update that notes something harmless; `change` is what becomes of its text, from the table on. */
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
    return latinBytes(text.slice(0, at) + swap(text.slice(at), "startxref", change(text.slice(at), at)));
  };
/** This before `startxref`, or another place that it names. */
const behindTrailer = (remark: string): Attack => noted(() => `${remark}startxref`);
const led = (back: number, before: string): Attack => {
  const forged = noted(() => "%\nstartxref", before);
  return async (stage) => {
    const text = latinText(await forged(stage));
    return latinBytes(swap(text, /\d+(?=\n%%EOF\n$)/, (place) => String(Number(place) - back)));
  };
};
const EVIL_OBJECT = `4 0 obj\n${EVIL_CONTENT}\nendobj\n`;

const ENDS: Readonly<Record<string, Attack>> = {
  "end: an object in a remark behind the trailer": behindTrailer(`%iText ${swap(EVIL_OBJECT, /\n/g, " ")}\n`),
  "end: an object behind a remark": behindTrailer(`%iText\n${EVIL_OBJECT}`),
  "end: an object behind a remark that a carriage return ends": behindTrailer(`%iText\r${EVIL_OBJECT}`),
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
  "end: a place before an object before the table": led(EVIL_OBJECT.length, EVIL_OBJECT),
};
const HONEST_ENDS: Readonly<Record<string, Attack>> = {
  "a remark behind the trailer, as iText writes": behindTrailer("%iText-Core-8.0.3\n"),
  "remarks and blanks behind the trailer": behindTrailer("\r\n% one\r%\n\t "),
  "blanks before a table that startxref names, as node-signpdf writes": led(2, "\r\n"),
};

/** Empty, deflated, as iText writes the look of a time-stamp; `data` in other ways. */
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

const EMPTY: Readonly<Record<string, Attack>> = {
  "empty look: it is not, deflated": stampedWith(look(PAINTED)),
  "empty look: it is not, and its box is large": stampedWith(look(PAINTED, undefined, "/BBox[-595 -842 595 842]")),
  "empty look: it is not, and it is turned": stampedWith(look(PAINTED, undefined, "/BBox[0 0 1 1]/Matrix[0 595 -842 0 595 0]")),
  "empty look: it is not, on a place without height": stampedWith(look(PAINTED), swap(NOWHERE, "0 0 0 0", "0 0 595 0")),
  "empty look: something stands behind its end": stampedWith(look(NOTHING + PAINTED)),
  "empty look: something stands behind its end, as it is": stampedWith(look(`${NOTHING} ${PAINT}`)),
  "empty look: a sum of something else": stampedWith(look(swap(NOTHING, "\u0001", "\u0002"))),
  "empty look: under a second filter": stampedWith(look(NOTHING, "/Filter[/FlateDecode/ASCII85Decode]")),
  "empty look: under another filter": stampedWith(look(NOTHING, "/Filter/LZWDecode")),
  "empty look: with parameters": stampedWith(look(NOTHING, "/Filter/FlateDecode/DecodeParms<</Predictor 12>>")),
  "empty look: an image": stampedWith(swap(look(NOTHING), "/Subtype/Form", "/Subtype/Image")),
  "empty look: a group": stampedWith(look(NOTHING, "/Filter/FlateDecode/Ref<<>>")),
};
const HONEST_EMPTY: Readonly<Record<string, Attack>> = {
  "a time-stamp whose look is nothing, deflated": stampedWith(look(NOTHING)),
  "a time-stamp whose look is nothing, deflated as fast as can be": stampedWith(look(swap(NOTHING, "\u009c", "\u0001"))),
};

/** What other makers of signatures do that changes nothing, and what would pass for it. */
export const MAKER_ATTACKS: Readonly<Record<string, Attack>> = { ...INFORMATION, ...ENDS, ...EMPTY };
export const HONEST_MAKERS: Readonly<Record<string, Attack>> = { ...HONEST_INFORMATION, ...HONEST_ENDS, ...HONEST_EMPTY };
