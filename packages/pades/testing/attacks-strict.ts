import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { type Attack, type AttackStage, sealed, swap, type Attacks } from "./attack-stage.ts";
import { signedTwice } from "./attacks-shapes.ts";
import {
  forgedRevision,
  forgedUpdate,
  lastObject,
  previousOf,
  streamSection,
  tableRow,
} from "./forge.ts";
import { packedPdf } from "./packed-pdf.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf, type SmallPdfOptions, stream, type Objects } from "./small-pdf.ts";

const EVIL_FORM = stream(
  "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>",
  "1 g 60 640 400 100 re f 0 g BT /F1 24 Tf 72 700 Td (FAUX) Tj ET",
);
const page = (contents: string, resources: string): string =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[${contents}]/Resources ${resources}>>`;
/** A page that asks for a missing or hidden form; 9 are its resources. */
const asking = (resources: string, more: Objects = {}): SmallPdfOptions => ({
  objects: {
    3: page("4 0 R 6 0 R", "9 0 R"),
    6: stream("", "q /G gs /Q Do Q"),
    9: resources,
    31: EVIL_FORM,
    ...more,
  },
});
/** The catalog with a harmless entry, so that an update is not idle. */
const catalogOf = (bytes: Uint8Array, marker = "/Type /Catalog"): Objects => {
  const { number, syntax } = lastObject(bytes, marker);
  return {
    [number]: `${syntax.slice(0, -2)}/Extensions<</ZZZZ<</BaseVersion/2.0/ExtensionLevel 1>>>>>>`,
  };
};
const own =
  (file: SmallPdfOptions, change: Objects): Attack =>
  async (stage) => {
    const bytes = await signedTwice(stage, file);
    return forgedRevision(bytes, { objects: { ...catalogOf(bytes), ...change } });
  };

const FONTS = "/Font<</F1 5 0 R>>";
/** Only our parser stumbles over something before the reference; the object comes later. */
const hiddenBy = (stray: string, reference = "30 0 R"): Attack =>
  own(asking(`<<${FONTS}/ProcSet[/PDF/Text]${stray}/XObject ${reference}>>`), {
    30: "<</Q 31 0 R>>",
  });
/** An object that is a reference; a later one takes its place. */
const ledOn = (entries: string, value: string, later: string): Attack =>
  own(asking(`<<${FONTS}${entries}>>`, { 33: value, 34: "<</ca 0/CA 0>>", 30: "<</Q 31 0 R>>" }), {
    33: later,
  });

const free = (stage: AttackStage, bytes: Uint8Array): Promise<Uint8Array> =>
  signFreely(bytes, {
    cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered),
  });
const freely =
  (make: () => Uint8Array, change: Objects | null = {}): Attack =>
  async (stage) => {
    const signed = await free(stage, make());
    return change === null
      ? signed
      : forgedRevision(signed, { objects: { ...catalogOf(signed), ...change } });
  };

const packed = (reference: string): Uint8Array =>
  packedPdf({
    more: new Map([
      [3, page("4 0 R", `<</Font<</F1 5 0 R>>/ExtGState ${reference}>>`)],
      [30, "<</G<</ca 0>>>>"],
    ]),
  });
const FREED: Attack = async (stage) => {
  const signed = await free(stage, packed("30 5 R"));
  const [number = "", syntax = ""] = Object.entries(catalogOf(signed))[0] ?? [];
  return forgedUpdate(signed, {
    parts: { c: `${number} 0 obj\n${syntax}\nendobj\n` },
    rows: ({ c = 0 }) => `${tableRow(Number(number), c)}30 1\n0000000000 00001 f\r\n`,
  });
};

/** Appends a stream section for packed object 30, with these rows in its table. */
export function hybridPdf(rows: string): Uint8Array {
  const base = latinText(
    smallPdf({
      objects: {
        3: page("4 0 R", "<</Font<</F1 5 0 R>>/ExtGState 30 0 R>>"),
        6: stream("/Type/ObjStm/N 1/First 5", "30 0 <</G<</ca 0>>>>"),
      },
    }),
  );
  const data = "\u0002\u0000\u0006\u0000";
  const hidden = `90 0 obj\n${stream("/Type/XRef/W[1 2 1]/Index[30 1]/Size 91/Root 1 0 R", data)}\nendobj\n`;
  const start = base.length + hidden.length;
  const previous = previousOf(latinBytes(base));
  return latinBytes(
    `${base}${hidden}xref\n${rows}trailer\n<</Size 91/Root 1 0 R/Prev ${previous}/XRefStm ${base.length}>>\nstartxref\n${start}\n%%EOF\n`,
  );
}

/** A rewritten page content, then a hybrid section whose stream goes back behind it. */
const goingBack = (rows: (content: number) => Parameters<typeof streamSection>[2]): Uint8Array => {
  const base = smallPdf();
  const data = "BT /F1 24 Tf 72 700 Td (Bail) Tj ET";
  const second = forgedUpdate(base, {
    parts: { c: `4 0 obj\n${stream("", data)}\nendobj\n` },
    rows: ({ c = 0 }) => tableRow(4, c),
  });
  return forgedUpdate(second, {
    parts: { x: streamSection(base, { xref: second.length }, rows(base.length)) },
    rows: () => "0 0\n",
    trailer: (text, { x }) => `${text}/XRefStm ${x}`,
  });
};
/**
 * A content at the far end of two ways, and a nearer one on a third: depth-first and broad readers
 * differ.
 */
const goingBroad = (): Uint8Array => {
  const base = smallPdf();
  const second = forgedUpdate(forgedUpdate(base, { parts: {}, rows: () => "0 0\n" }), {
    parts: {},
    rows: () => "0 0\n",
  });
  let text = latinText(second);
  const put = (part: string): number => {
    text += part;
    return text.length - part.length;
  };
  const table = (rows: string, entries: string): number =>
    put(`xref\n${rows}trailer\n<</Size 999/Root 1 0 R${entries}>>\n`);
  const hidden = (previous: number): number =>
    put(swap(streamSection(base, { xref: text.length }, []), /\/Prev \d+/, `/Prev ${previous}`));
  const other = table(
    tableRow(4, put(`4 0 obj\n${stream("", "BT /F1 24 Tf 72 700 Td (FAUX) Tj ET")}\nendobj\n`)),
    "",
  );
  const same = table(tableRow(4, text.indexOf("4 0 obj")), "");
  const fork = table("0 0\n", `/XRefStm ${hidden(same)}/Prev ${other}`);
  const start = table("0 0\n", `/XRefStm ${hidden(fork)}/Prev ${previousOf(second)}`);
  return latinBytes(`${text}startxref\n${start}\n%%EOF\n`);
};
/** A hybrid file, then an update that names its stream again, like PDFBox, with this row. */
const namedAgain = (row: (at: number) => string): Uint8Array => {
  const hybrid = hybridPdf("");
  const at = /\/XRefStm (\d+)/.exec(latinText(hybrid))?.[1] ?? "";
  return forgedUpdate(hybrid, {
    parts: { c: "30 0 obj\n<</G<</ca 1>>>>\nendobj\n" },
    rows: ({ c = 0 }) => row(c),
    trailer: (text) => `${text}/XRefStm ${at}`,
  });
};

/** Two pages; the tree lists `listed`, the linearization opens `first`. */
export function linearizedPdf({
  first,
  listed = "3 0 R 13 0 R",
  pages = 2,
}: {
  first: number;
  listed?: string;
  pages?: number;
}): Uint8Array {
  const text = latinText(
    smallPdf({
      objects: {
        2: `<</Type/Pages/Kids[${listed}]/Count ${listed.split("R").length - 1}>>`,
        13: page("14 0 R", "<</Font<</F1 5 0 R>>>>"),
        14: stream("", "BT /F1 24 Tf 72 700 Td (FAUX) Tj ET"),
      },
    }),
  );
  const linear = `50 0 obj\n<</Linearized 1/L 9999/H[700 100]/O ${first}/E 900/N ${pages}/T 700>>\nendobj\n`;
  const at = text.indexOf("1 0 obj");
  const moved = `${text.slice(0, at)}${linear}${text.slice(at)}`
    .replace(
      /^(\d{10}) 00000 n/gm,
      (_row, offset) => `${String(Number(offset) + linear.length).padStart(10, "0")} 00000 n`,
    )
    .replace(/startxref\n(\d+)/, (_word, start) => `startxref\n${Number(start) + linear.length}`);
  return latinBytes(
    swap(
      moved,
      "xref\n0 1\n0000000000 65535 f\r\n",
      `xref\n0 1\n0000000000 65535 f\r\n${tableRow(50, at)}`,
    ).replace(/\/Size \d+/, "/Size 51"),
  );
}

const kid = (rest: string): string =>
  `<<${rest}/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<${FONTS}>>>>`;
/** A page tree of these kids, after page 3; 13 is this object. */
const listing = (
  kids: string,
  count: number,
  node = kid("/Type/Page"),
  more: Objects = {},
): Attack =>
  freely(
    () =>
      smallPdf({
        objects: { 2: `<</Type/Pages/Kids[${kids}]/Count ${count}>>`, 13: node, ...more },
      }),
    null,
  );

/** Files with two readings, signed as they are. */
export const STRICT_ATTACKS: Attacks = {
  "reading: two values behind one key": hiddenBy("/Z 1 2"),
  "reading: a word that is none": hiddenBy("foo"),
  "reading: a dictionary's end that ends nothing": hiddenBy("/Z<41>>"),
  "reading: a keyword with a letter more": hiddenBy("/Z nulll 5"),
  "reading: a reference with a point": hiddenBy("", "30.0 0 R"),
  "reading: a reference whose generation has a point": hiddenBy("", "30 0.0 R"),
  "reading: a reference to a reference, to resources": ledOn(
    "/XObject 33 0 R",
    "30 0 R",
    "<</Q 31 0 R>>",
  ),
  "reading: a reference to a reference, to what is drawn": ledOn(
    "/XObject<</Q 33 0 R>>",
    "31 0 R",
    EVIL_FORM,
  ),
  "reading: a reference to a reference, to how it is drawn": ledOn(
    "/ExtGState<</G 33 0 R>>/XObject<</Q 31 0 R>>",
    "34 0 R",
    "<</ca 0/CA 0>>",
  ),
  "reading: another generation of a packed object, which is freed": FREED,
  "reading: another generation of an object": own(
    asking(`<<${FONTS}/XObject 30 5 R>>`, { 30: "<</Q 31 0 R>>" }),
    {},
  ),
  "reading: a table frees what its stream shows": freely(
    () => hybridPdf("30 1\n0000000000 00000 f\r\n"),
    {},
  ),
  "reading: a linearized file opens another page than the tree": freely(() =>
    linearizedPdf({ first: 13 }),
  ),
  "reading: a linearized file opens a page that is not in the tree": freely(() =>
    linearizedPdf({ first: 13, listed: "3 0 R", pages: 1 }),
  ),
  "reading: a page that says that it is something else": listing(
    "13 0 R 3 0 R",
    2,
    kid("/Type/Foo"),
  ),
  "reading: a page that does not say what it is": listing("13 0 R 3 0 R", 1, kid("")),
  "reading: a template among the pages": listing("13 0 R 3 0 R", 1, kid("/Type/Template")),
  "reading: a page written in its parent's list": listing(`${kid("/Type/Page")} 3 0 R`, 1),
  "reading: a page led to by a reference that a reference leads to": listing(
    "33 0 R 13 0 R",
    1,
    kid("/Type/Page"),
    { 33: "3 0 R" },
  ),
  "reading: a node that counts fewer pages": listing(
    "13 0 R 3 0 R",
    2,
    "<</Type/Pages/Parent 2 0 R/Kids[14 0 R]/Count 0>>",
    {
      14: swap(kid("/Type/Page"), "/Parent 2", "/Parent 13"),
    },
  ),
  "reading: a key twice, with two values": own(
    asking(`<<${FONTS}/XObject<</P 31 0 R/P 32 0 R>>>>`, { 32: stream("", "q Q") }),
    {},
  ),
  "reading: a key twice, with two values, the first once more": own(
    asking(`<<${FONTS}/XObject<</P 31 0 R/P 32 0 R/P 31 0 R>>>>`, { 32: stream("", "q Q") }),
    {},
  ),
  "reading: a key twice, once by a code": own(
    asking(`<<${FONTS}/XObject<</P 31 0 R/#50 31 0 R>>>>`),
    {},
  ),
  "reading: a stream that goes back to other objects than its table": freely(() =>
    goingBack(() => []),
  ),
  "reading: streams that go back to the same objects, and to others on a nearer way":
    freely(goingBroad),
  "reading: a table frees what an earlier stream, named again, shows": freely(() =>
    namedAgain(() => "30 1\n0000000000 00001 f\r\n"),
  ),
  "reading: content that no table lists": freely(
    () =>
      forgedRevision(smallPdf({ objects: { 3: page("4 0 R 60 0 R", `<<${FONTS}>>`) } }), {
        objects: {},
        unlisted: `60 0 obj\n${stream("", "BT /F1 24 Tf 72 600 Td (FAUX) Tj ET")}\nendobj\n`,
      }),
    null,
  ),
  "reading: a name with NUL": own(asking(`<<${FONTS}/XObject<</Q#00 31 0 R>>>>`), {}),
};

const LOOSE = `<<%c (\r/Font\t<</F1\f5%<<\n0\r\n%>>\n R>>/Z[1 -.5 +3. .5 true null(a\\)\\\r\n\\053)<4 1>]%\n/XObject\u0000<</P 31 0 R >> >>`;

/** The same with one reading. */
export const HONEST_STRICT: Attacks = {
  "comments, white space and ends of line of every kind": own(asking(LOOSE), {}),
  "a reference that every reader reads": own(
    asking(`<<${FONTS}/XObject 30 0 R>>`, { 30: "<</P 31 0 R>>" }),
    {},
  ),
  "an object in an object stream, by its generation": freely(() => packed("30 0 R"), null),
  "a hybrid file whose table leaves out what its stream shows": freely(() => hybridPdf("")),
  "a linearized file that opens its first page": freely(() => linearizedPdf({ first: 3 })),
  "a page tree of two levels": listing(
    "13 0 R 3 0 R",
    2,
    "<</Type/Pages/Parent 2 0 R/Kids[14 0 R]/Count 1>>",
    {
      14: swap(kid("/Type/Page"), "/Parent 2", "/Parent 13"),
    },
  ),
  "a key again, with its value, as gofpdf writes": own(
    asking(`<<${FONTS}/XObject<</P 31 0 R/P 31 0 R/Q 31 0 R/P 31 0 R>>>>`),
    {},
  ),
  "a stream that goes back another way than its table, to the same objects": freely(() =>
    goingBack((at) => [{ number: 4, kind: 1, at }]),
  ),
  "a trailer that names the stream of an earlier section, as PDFBox writes": freely(() =>
    namedAgain((at) => tableRow(30, at)),
  ),
  "a name with a code": own(asking(`<<${FONTS}/XObject<</P#20 31 0 R>>>>`), {}),
};
