import type { Objects } from "./small-pdf.ts";
import { concatBytes } from "../src/asn1/der-writer.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { type Attack, type AttackStage, EVIL_CONTENT, swap, type Attacks } from "./attack-stage.ts";
import {
  type ForgedUpdate,
  forgedRevision,
  forgedUpdate,
  lastObject,
  latin,
  previousOf,
  streamSection,
  tableRow,
  redefined,
} from "./forge.ts";

/** The signed content. */
const GENUINE = /\n4 0 obj\n([\s\S]*?endstream)\nendobj/;
const genuine = (bytes: Uint8Array): string => GENUINE.exec(latin(bytes))?.[1] ?? "";
/** The signed content as object `number generation`. */
const copied = (name: string, bytes: Uint8Array): string =>
  `${name} obj\n${genuine(bytes)}\nendobj\n`;
const EVIL = `4 0 obj\n${EVIL_CONTENT}\nendobj\n`;
const NULL = {
  parts: { n: "996 0 obj\nnull\nendobj\n" },
  rows: (at: Readonly<Record<string, number>>) => tableRow(996, at.n ?? 0),
};

const onArchived =
  (make: (bytes: Uint8Array) => ForgedUpdate): Attack =>
  ({ archived }: AttackStage) =>
    forgedUpdate(archived, make(archived));
const both = (bytes: Uint8Array): Record<string, string> => ({
  evil: EVIL,
  good: copied("4 0", bytes),
});
const inCatalog =
  (change: (syntax: string) => string, objects: Objects = {}): Attack =>
  ({ archived }) =>
    redefined(archived, "/Type /Catalog", (syntax) => change(syntax), { ...objects });
const inContent =
  (change: (syntax: string) => string, objects: Objects = {}): Attack =>
  ({ archived }) =>
    forgedRevision(archived, { objects: { 4: change(genuine(archived)), ...objects } });

const ROWS: Attacks = {
  "rows: two for one object, the evil one first": onArchived((bytes) => ({
    parts: both(bytes),
    rows: ({ evil = 0, good = 0 }) => tableRow(4, evil) + tableRow(4, good),
  })),
  "rows: two for one object, the evil one last": onArchived((bytes) => ({
    parts: both(bytes),
    rows: ({ evil = 0, good = 0 }) => tableRow(4, good) + tableRow(4, evil),
  })),
  "rows: overlapping subsections": onArchived((bytes) => ({
    parts: both(bytes),
    rows: ({ evil = 0, good = 0 }) =>
      `${tableRow(4, evil).replace("4 1", "4 2")}0000000000 65535 f\r\n${tableRow(4, good)}`,
  })),
  "rows: two for one object in a stream": ({ archived }) =>
    forgedUpdate(archived, {
      parts: both(archived),
      stream: (at) =>
        streamSection(archived, at, [
          { number: 4, kind: 1, at: at.evil ?? 0 },
          { number: 4, kind: 1, at: at.good ?? 0 },
        ]),
    }),
  "rows: the content under another generation": onArchived((bytes) => ({
    parts: { c: copied("4 1", bytes) },
    rows: ({ c = 0 }) => tableRow(4, c, 1),
  })),
  "rows: the content under another generation, in a stream": ({ archived }) =>
    forgedUpdate(archived, {
      parts: { c: copied("4 3", archived) },
      stream: (at) => streamSection(archived, at, [{ number: 4, kind: 1, at: at.c ?? 0, last: 3 }]),
    }),
  "rows: a generation that the object has not": onArchived((bytes) => ({
    parts: { c: copied("4 0", bytes) },
    rows: ({ c = 0 }) => tableRow(4, c, 7),
  })),
  "rows: an object of another number": onArchived((bytes) => ({
    parts: { c: copied("97 0", bytes) },
    rows: ({ c = 0 }) => tableRow(4, c),
  })),
  "rows: an object of another number, the evil one hidden in a stream": ({ shadow }) =>
    forgedUpdate(shadow, {
      parts: { c: copied("97 0", shadow) },
      rows: ({ c = 0 }) => tableRow(4, c),
    }),
  "rows: in an object stream that holds something else": ({ archived }) => {
    const data = "9 0 <</Length 3>>";
    return forgedUpdate(archived, {
      parts: {
        s: `990 0 obj\n<</Type/ObjStm/N 1/First 4/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`,
      },
      stream: (at) =>
        streamSection(archived, at, [
          { number: 4, kind: 2, at: 990 },
          { number: 990, kind: 1, at: at.s ?? 0 },
        ]),
    });
  },
  "rows: in an object stream whose numbers are no whole ones for all readers": ({ archived }) => {
    const data = `3.0 0 ${lastObject(archived, "/Type /Page ").syntax}`;
    return forgedUpdate(archived, {
      parts: {
        s: `990 0 obj\n<</Type/ObjStm/N 1/First 6/Length ${data.length}>>\nstream\n${data}\nendstream\nendobj\n`,
      },
      stream: (at) =>
        streamSection(archived, at, [
          { number: 3, kind: 2, at: 990 },
          { number: 990, kind: 1, at: at.s ?? 0 },
        ]),
    });
  },
  "rows: the signature's value freed": ({ archived }) => {
    const value = /\/V (\d+) 0 R/.exec(
      lastObject(archived, "/T (env-0198_signature_alice)").syntax,
    )?.[1];
    return forgedRevision(archived, { objects: {}, entries: { [Number(value)]: null } });
  },
};

const hybrid =
  (table: (good: number) => string): Attack =>
  ({ archived }) => {
    const parts = { ...both(archived), x: "" };
    const stream = (at: Readonly<Record<string, number>>): string =>
      streamSection(archived, { xref: at.x ?? 0 }, [{ number: 4, kind: 1, at: at.evil ?? 0 }]);
    let offsets: Readonly<Record<string, number>> = {};
    forgedUpdate(archived, { parts, rows: (at) => ((offsets = at), "") });
    return forgedUpdate(archived, {
      parts: { ...parts, x: stream(offsets) },
      rows: ({ good = 0 }) => table(good),
      trailer: (text, { x }) => `${text}/XRefStm ${x}`,
    });
  };

const SECTIONS: Attacks = {
  "section: a stream overrides its table": hybrid((good) => tableRow(4, good)),
  "section: a stream shows what its table frees": hybrid(() => "4 1\n0000000000 00001 f\r\n"),
  "section: /Prev twice": onArchived(() => ({ ...NULL, trailer: (text) => `/Prev 10${text}` })),
  "section: /Root twice": onArchived(() => ({
    ...NULL,
    trailer: (text) => `/Root 996 0 R${text}`,
  })),
  "section: /Prev leads to an earlier revision": ({ archived, first }) =>
    forgedUpdate(archived, {
      ...NULL,
      trailer: (text) => swap(text, /\/Prev \d+/, `/Prev ${previousOf(first)}`),
    }),
  "section: a size that makes readers look for objects themselves": onArchived(() => ({
    ...NULL,
    trailer: (text) => swap(text, "/Size 999", "/Size 100000000"),
  })),
  "section: a size below the objects": onArchived(() => ({
    ...NULL,
    trailer: (text) => swap(text, "/Size 999", "/Size 4"),
  })),
  "section: an encryption": onArchived(() => ({
    ...NULL,
    trailer: (text) => `${text}/Encrypt<<>>`,
  })),
  "section: an information dictionary with another title": onArchived(() => ({
    parts: { n: "996 0 obj\n<</Title(FAUX)>>\nendobj\n" },
    rows: NULL.rows,
    trailer: (text) => `${text}/Info 996 0 R`,
  })),
  "section: an information dictionary that acts": onArchived(() => ({
    parts: { n: "996 0 obj\n<</ModDate<</S/JavaScript/JS(1)>>>>\nendobj\n" },
    rows: NULL.rows,
    trailer: (text) => `${text}/Info 996 0 R`,
  })),
  "section: nothing but an object that nobody needs": onArchived(() => NULL),
  "section: a broken update that the next one steps over": ({ archived }) => {
    const broken = forgedUpdate(archived, { ...NULL, trailer: (text) => `/Root 996 0 R${text}` });
    return forgedUpdate(broken, {
      ...NULL,
      trailer: (text) => swap(text, /\/Prev \d+/, `/Prev ${previousOf(archived)}`),
    });
  },
  "section: its end twice": ({ archived }) => {
    const update = forgedUpdate(archived, NULL);
    return concatBytes([update, latinBytes(`startxref\n${previousOf(update)}\n%%EOF\n`)]);
  },
  "section: a remark after the end": ({ archived }) =>
    concatBytes([archived, latinBytes("% rien\n")]),
  "section: a blank that not every reader steps over after the end": ({ archived }) =>
    concatBytes([archived, latinBytes("\u0000")]),
  "section: evil content, put right by the next update": ({ archived }) =>
    forgedRevision(forgedRevision(archived, { objects: { 4: EVIL_CONTENT } }), {
      objects: { 4: genuine(archived) },
    }),
};

const EVIL_PAGES = {
  994: "<</Type/Pages/Kids[993 0 R]/Count 1>>",
  993: "<</Type/Page/Parent 994 0 R/Contents 998 0 R>>",
  998: EVIL_CONTENT,
};
const SYNTAX: Attacks = {
  "syntax: a page with two contents": ({ archived }) =>
    redefined(
      archived,
      "/Type /Page ",
      (syntax) => swap(syntax, "/Contents 4 0 R", "/Contents 998 0 R/Contents 4 0 R"),
      { 998: EVIL_CONTENT },
    ),
  "syntax: a catalog with two page trees": inCatalog(
    (text) => swap(text, "/Pages 2 0 R", "/Pages 994 0 R/Pages 2 0 R"),
    EVIL_PAGES,
  ),
  "syntax: a stream with two lengths": inContent((text) => swap(text, "<<", "<</Length 20")),
  "syntax: a stream with two filters": inContent((text) =>
    swap(text, "<<", "<</Filter/ASCIIHexDecode/Filter null"),
  ),
  "syntax: a stream with an entry of nothing": inContent((text) => swap(text, "<<", "<</F null")),
  "syntax: a stream whose length is an object": inContent(
    (text) => swap(text, /\/Length \d+/, "/Length 996 0 R"),
    { 996: "10" },
  ),
};

const CATALOG: Attacks = {
  "catalog: an earlier version": inCatalog((text) => `${text.slice(0, -2)}/Version/1.3>>`),
  "catalog: an extension that acts": inCatalog(
    (text) => `${text.slice(0, -2)}/Extensions<</OpenAction<</S/JavaScript/JS(1)>>>>>>`,
  ),
  "catalog: an extension that is a stream": inCatalog(
    (text) => `${text.slice(0, -2)}/Extensions 998 0 R>>`,
    { 998: EVIL_CONTENT },
  ),
  "catalog: the content as metadata": inCatalog((text) => `${text.slice(0, -2)}/Metadata 4 0 R>>`, {
    4: EVIL_CONTENT,
  }),
  "catalog: metadata that can be painted": inCatalog(
    (text) => `${text.slice(0, -2)}/Metadata 998 0 R>>`,
    {
      998: swap(EVIL_CONTENT, "<<", "<</Type/Metadata/Subtype/Form/BBox[0 0 9 9]"),
    },
  ),
  "catalog: layers": inCatalog((text) => `${text.slice(0, -2)}/OCProperties<</OCGs[]/D<<>>>>>>`),
};

const inStore =
  (change: (syntax: string) => string, objects: Objects = {}): Attack =>
  ({ archived }) =>
    redefined(archived, "/Type/DSS", (syntax) => change(syntax), { ...objects });
const STORE: Attacks = {
  "store: the content among its certificates": inStore(
    (text) => swap(text, "/Certs[", "/Certs[4 0 R "),
    { 4: EVIL_CONTENT },
  ),
  "store: something else among its certificates": inStore(
    (text) => swap(text, "/Certs[", "/Certs[998 0 R "),
    { 998: EVIL_CONTENT },
  ),
  "store: a certificate that is no stream": inStore((text) => swap(text, "/Certs[", "/Certs[(x) ")),
  "store: a list that is none": inStore((text) => swap(text, /\/CRLs\[[^\]]*\]/, "/CRLs(x)")),
  "store: its certificates gone": inStore((text) => swap(text, /\/Certs\[[^\]]*\]/, "/Certs[]")),
  "store: answers and lists swapped": inStore((text) =>
    swap(swap(swap(text, "/OCSPs[", "/XX["), "/CRLs[", "/OCSPs["), "/XX[", "/CRLs["),
  ),
  "store: an entry of its own": inStore(
    (text) => swap(text, "/Type/DSS", "/Type/DSS/Evil 998 0 R"),
    { 998: EVIL_CONTENT },
  ),
  "store: a signature's entry with something else": inStore(
    (text) => swap(text, "/VRI<<", "/VRI<</Evil 998 0 R"),
    { 998: EVIL_CONTENT },
  ),
  "store: a signature's entry that acts": inStore((text) =>
    swap(text, /(?<=\/[0-9A-F]{40} ?)<</, "<</A<</S/JavaScript/JS(1)>>"),
  ),
  "store: itself a stream": inStore(() => EVIL_CONTENT),
  "store: a certificate emptied": ({ archived }) => {
    const number = /\/Certs\[(\d+)/.exec(lastObject(archived, "/Type/DSS").syntax)?.[1];
    return forgedRevision(archived, {
      objects: { [Number(number)]: "<</Length 0>>\nstream\n\nendstream" },
    });
  },
};

/** Structures with two readings, and changes besides pages and fields. */
export const STRUCTURE_ATTACKS: Attacks = {
  ...ROWS,
  ...SECTIONS,
  ...SYNTAX,
  ...CATALOG,
  ...STORE,
};
