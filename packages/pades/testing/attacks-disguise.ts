import {
  type Attack,
  type AttackStage,
  EVIL_CONTENT,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import {
  forgedRevision,
  forgedUpdate,
  lastObject,
  streamSection,
  tableRow,
  redefined,
} from "./forge.ts";
import { type FreeSignature, signFreely } from "./sign-freely.ts";
import { smallPdf, type Objects } from "./small-pdf.ts";

const EVIL = `4 0 obj\n${EVIL_CONTENT}\nendobj`;
const stream = (data: string, entries = ""): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
/** The catalog with a developer extension, which writers may add; its URL is a string. */
const noted = (syntax: string, url: string): string =>
  `${syntax.slice(0, -2)}/Extensions<</ZZZZ<</BaseVersion/2.0/ExtensionLevel 1/URL(${url})>>>>>>`;

/** An update of nothing but that URL, with objects beside it. */
const withAddress =
  (url: string, objects: Objects = {}): Attack =>
  ({ archived }) =>
    redefined(archived, "/Type /Catalog", (syntax) => noted(syntax, url), { ...objects });

const under =
  (header: (number: number) => string): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    return forgedUpdate(archived, {
      parts: { c: `${header(number)} obj\n${noted(syntax, "x")}\nendobj\n` },
      rows: ({ c = 0 }) => tableRow(number, c),
    });
  };

const packed =
  (entries: string, also = ""): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    const catalog = noted(syntax, "x");
    const pairs = also ? `${number} 0 996 ${catalog.length + 1} ` : `${number} 0 `;
    const data = `${pairs}${catalog}${also && ` ${also}`}`;
    const held = stream(data, `/Type/ObjStm/N ${also ? 2 : 1}/First ${pairs.length}${entries}`);
    return forgedUpdate(archived, {
      parts: { s: `990 0 obj\n${held}\nendobj\n` },
      stream: (at) =>
        streamSection(archived, at, [
          { number, kind: 2, at: 990 },
          ...(also ? [{ number: 996, kind: 2, at: 990, last: 1 } as const] : []),
          { number: 990, kind: 1, at: at.s ?? 0 },
        ]),
    });
  };

const OTHER_CATALOG = "<</Type/Catalog/Pages 2 0 R>>";

/** What only a rebuilding reader finds, or what readers take under another number or not at all. */
export const DISGUISE_ATTACKS: Attacks = {
  "disguise: an object in a string": withAddress(`x\n${EVIL}\n`),
  "disguise: an object in a string, behind a remark": withAddress(
    "x\n4 % rien\n0 obj\n<</Length 0>>",
  ),
  "disguise: a trailer in a string": withAddress("x\ntrailer\n<</Root 996 0 R/Size 999>>\n"),
  "disguise: a cross-reference in a string": withAddress("x\nxref\n0 1\n0000000000 65535 f\n"),
  "disguise: an end of file in a string": withAddress("x\nstartxref\n10\n%%EOF\n"),
  "disguise: an object in a stream that nothing needs": withAddress("x", {
    998: stream(`\n${EVIL}\n`),
  }),
  "disguise: a stream that nothing needs": withAddress("x", { 998: stream("rien") }),
  "disguise: an object in a certificate of the store": async ({ archived, stranger }) => {
    const { certificates } = await stranger.issue({
      commonName: "A\n4 0 obj\n<</Length 9 0 R>>\n",
    });
    return redefined(
      archived,
      "/Type/DSS",
      (syntax) => swap(syntax, "/Certs[", "/Certs[998 0 R "),
      { 998: stream(String.fromCharCode(...(certificates[0] ?? []))) },
    );
  },
  "header: a number with zeros before it": under((number) => `00${number} 0`),
  "header: a generation with zeros before it": under((number) => `${number} 00000`),
  "header: a number with a sign": under((number) => `+${number} 0`),
  "header: an object stream that extends itself": packed("/Extends 990 0 R"),
  "header: an object stream that extends another": packed("/Extends 4 0 R"),
  "header: another catalog that nothing needs": withAddress("x", { 996: OTHER_CATALOG }),
  "header: another catalog in an object stream": packed("", OTHER_CATALOG),
};

/** The same updates without the disguise stay valid. */
export const HONEST_DISGUISES: Attacks = {
  "an extension of a writer's own": withAddress("x"),
  "an extension of a writer's own, in an object stream": packed(""),
  "an extension that speaks of objects": withAddress("12 objets, 3 trailers; endobj, xref"),
  "a dictionary that nothing needs": withAddress("x", { 996: "<</A 1>>" }),
  "another certificate in the store": async ({ archived, stranger }) => {
    const { certificates } = await stranger.issue({ commonName: "A" });
    return redefined(
      archived,
      "/Type/DSS",
      (syntax) => swap(syntax, "/Certs[", "/Certs[998 0 R "),
      { 998: stream(String.fromCharCode(...(certificates[0] ?? []))) },
    );
  },
};

const KID = "<</T(montant)/FT/Tx/Type/Annot/Subtype/Widget/Rect[50 50 300 90]/F 4>>";
const HEAD = "/T(contrat)/Kids[7 0 R]";

/** Signed by Alice, with a field below two unlisted parents. */
const signed = (
  { alice, pki }: AttackStage,
  options: Partial<FreeSignature> = {},
): Promise<Uint8Array> =>
  signFreely(
    smallPdf({
      catalogExtra: "/AcroForm<</Fields[6 0 R]>>",
      pageExtra: "/Annots[12 0 R]",
      objects: { 6: `<<${HEAD}>>`, 7: "<</T(prix)/Kids[12 0 R]>>", 12: KID },
    }),
    { cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered), ...options },
  );
const then =
  (objects: Objects): Attack =>
  async (stage) =>
    forgedRevision(await signed(stage), { objects });
const apart =
  (indirect: "ByteRange" | "Contents"): Attack =>
  (stage) =>
    signed(stage, { indirect });

export const PARENT_ATTACKS: Attacks = {
  "parent: a value given from above": then({ 6: `<<${HEAD}/V(9999 EUR)>>` }),
  "parent: another above it, that gives a value": then({
    6: `<<${HEAD}/Parent 900 0 R>>`,
    900: "<</V(9999 EUR)/FT/Tx/DA(/Helv 0 Tf 0 g)>>",
  }),
  "parent: an action given from above": then({ 6: `<<${HEAD}/AA<</F<</S/JavaScript/JS(1)>>>>>>` }),
  "parent: a look given from two levels above": then({
    7: "<</T(prix)/Kids[12 0 R]/DA(/Helv 24 Tf 1 g)/Q 2>>",
  }),
  "parent: a field put under it": then({
    7: "<</T(prix)/Kids[12 0 R 901 0 R]>>",
    901: "<</T(x)/FT/Sig>>",
  }),
  "parent: no dictionary any more": then({ 7: "[12 0 R]" }),
  "ByteRange in an object of its own": apart("ByteRange"),
  "Contents in an object of its own": apart("Contents"),
};
export const HONEST_PARENTS: Attacks = {
  "a file whose fields stand below others": (stage) => signed(stage),
  "a file whose fields stand below others, signed again": async (stage) =>
    signFreely(await signed(stage), {
      fieldName: "second",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered),
    }),
};
