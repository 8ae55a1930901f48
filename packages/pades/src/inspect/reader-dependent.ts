import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNull,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { toHex } from "../asn1/der-reader.ts";
import { PadesError } from "../pades-error.ts";
import {
  isBlank,
  latinText,
  lineEnd,
  objectHeaderAt,
  skipBlank,
  tokenEnd,
  wordAt,
  workBudget,
} from "../pdf/byte-reader.ts";
import { sameEntry, rebuildXref } from "../pdf/read-xref.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { formFields, hasFrame } from "../pdf/form-fields.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, numberAt } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { packedPairs, streamOfLength } from "../pdf/raw-objects.ts";
import { eachDict } from "../pdf/walk-objects.ts";
import { looksLikeStructure } from "../validate/read-updates.ts";
import { isVisible, paints } from "../validate/signature-looks.ts";
import { annotationsOf, mayCover, pagesOf } from "./flatten-annotations.ts";

/** A wider border covers what is under it. Units: points. */
const WIDEST_BORDER = 3;
/** The box of a form that has none. Units: points. Source: ISO 32000-1 annex C, table C.1. */
const FAR = 14_400;
/** Source: ISO 32000-2 §12.5.3, table 167 (Hidden, Print, NoView, ToggleNoView). */
const [HIDDEN, PRINT, NO_VIEW, TOGGLE_NO_VIEW] = [2, 4, 32, 256] as const;

type Doubt = {
  isThere(open: OpenPdf, dict: PdfDict): boolean;
  settle(open: OpenPdf, dict: PdfDict): void;
};

const ON_PAGES: readonly Doubt[] = [
  {
    // ISO 32000-2 §7.7.3.3 requires a multiple of 90; readers disagree on others.
    isThere(open, page) {
      const turn = follow(open, inheritedAt(open, page, "Rotate"));
      return turn !== undefined && !(turn instanceof PdfNumber && turn.value % 90 === 0);
    },
    settle: (_open, page) => page.set("Rotate", PdfNumber.of(0)),
  },
];

const ON_ANNOTATIONS: readonly Doubt[] = [
  {
    // §12.5.5, algorithm 8: an appearance is fitted by its BBox; without one some readers fill the
    // page and others draw nothing.
    isThere: (open, annotation) => looksOf(open, annotation).some((look) => !isFramed(open, look)),
    settle: (_open, annotation) => annotation.delete("AP"),
  },
  {
    // §12.5.4: not every reader draws a link's border; the copy has none that would cover.
    isThere: (open, annotation) =>
      nameAt(open, annotation, "Subtype") === "Link" &&
      !(borderWidth(open, annotation) <= WIDEST_BORDER),
    settle(_open, link) {
      link.delete("BS");
      link.set("Border", new PdfArray([0, 0, 0].map((value) => PdfNumber.of(value))));
    },
  },
  {
    isThere: (open, annotation) =>
      !mayCover(open, annotation) &&
      showsSomething(open, annotation) &&
      isPrintedOtherwise(open, annotation),
    settle(open, annotation) {
      const flags = numberAt(open, annotation, "F") ?? 0;
      const plain = flags & ~(NO_VIEW | TOGGLE_NO_VIEW);
      annotation.set("F", PdfNumber.of((flags & NO_VIEW) === 0 ? plain | PRINT : plain | HIDDEN));
    },
  },
  {
    // §12.5.5: states require `/AS`; without it readers show the first, none, or the value's.
    isThere: (open, annotation) =>
      looksByState(open, annotation) !== null && nameAt(open, annotation, "AS") === undefined,
    settle(open, annotation) {
      const value = follow(open, inheritedAt(open, annotation, "V"));
      const isState = value instanceof PdfName && looksByState(open, annotation)?.has(value.value);
      annotation.set("AS", isState ? value : PdfName.of("Off"));
    },
  },
];

const ON_FORMS: readonly Doubt[] = [
  {
    // §8.10.2: `/BBox` is required; without it some readers draw the whole form, others nothing.
    // The copy shows it all.
    isThere: (open, form) => !isFramed(open, form),
    settle: (_open, form) =>
      form.set("BBox", new PdfArray([-FAR, -FAR, FAR, FAR].map((value) => PdfNumber.of(value)))),
  },
];

/** Counts the pages, links, fields and forms that readers show differently. */
export function readerDependent(open: OpenPdf): number {
  let count = 0;
  for (const { dict, doubts } of doubted(open))
    if (doubts.some(({ isThere }) => isThere(open, dict))) count += 1;
  return count;
}

/** Makes every reader show them as a screen does. */
export function settleReaders(open: OpenPdf): void {
  for (const { dict, doubts } of doubted(open))
    for (const doubt of doubts) if (doubt.isThere(open, dict)) doubt.settle(open, dict);
}

function* doubted(
  open: OpenPdf,
): Generator<{ readonly dict: PdfDict; readonly doubts: readonly Doubt[] }> {
  const seen = new Set<PdfDict>();
  for (const page of pagesOf(open)) {
    yield { dict: page, doubts: ON_PAGES };
    for (const { dict } of annotationsOf(open, page)) {
      if (seen.has(dict)) continue;
      seen.add(dict);
      yield { dict, doubts: ON_ANNOTATIONS };
    }
  }
  for (const dict of eachDict(open))
    if (nameAt(open, dict, "Subtype") === "Form") yield { dict, doubts: ON_FORMS };
}

/** A form without data shows nothing in any box. */
function isFramed(open: OpenPdf, form: PdfDict): boolean {
  return !(form instanceof PdfStream) || form.data.length === 0 || hasFrame(open, form);
}

/** Source: ISO 32000-2 §12.5.5, table 170. */
function looksOf(open: OpenPdf, annotation: PdfDict): readonly PdfDict[] {
  const appearances = dictAt(open, annotation, "AP");
  const looks = [...(appearances ?? [])].map(([, look]) => follow(open, look));
  return looks
    .flatMap((look) =>
      look instanceof PdfDict ? [look, ...[...look].map(([, state]) => follow(open, state))] : [],
    )
    .filter(isStream);
}

const isStream = (value: PdfObject | undefined): value is PdfStream => value instanceof PdfStream;

/** Readers prefer either entry: the larger counts; NaN for a width that is no number. */
function borderWidth(open: OpenPdf, link: PdfDict): number {
  const border = arrayAt(open, link, "Border");
  const style = dictAt(open, link, "BS");
  const widths = [border && border.length > 2 ? border.at(2) : undefined, style?.get("W")].map(
    (value) => widthOf(follow(open, value)),
  );
  return Math.max(...widths);
}

/** Source: ISO 32000-2 §12.5.4, table 168: 1 by default. */
function widthOf(value: PdfObject | undefined): number {
  if (value === undefined) return 1;
  return value instanceof PdfNumber ? Math.abs(value.value) : Number.NaN;
}

function looksByState(open: OpenPdf, annotation: PdfDict): PdfDict | null {
  const appearances = dictAt(open, annotation, "AP");
  const normal = appearances && dictAt(open, appearances, "N");
  return normal === undefined || normal instanceof PdfStream ? null : normal;
}

/**
 * An appearance, or what a reader makes one from: a value, a colour, a caption (§12.5.6.19, table
 * 192).
 */
function showsSomething(open: OpenPdf, annotation: PdfDict): boolean {
  if (paints(open, annotation)) return true;
  const characteristics = dictAt(open, annotation, "MK");
  const isColoured =
    characteristics !== undefined && [...characteristics.keys()].some(({ value }) => value !== "R");
  return (
    isColoured ||
    (nameAt(open, annotation, "Subtype") === "Widget" &&
      follow(open, inheritedAt(open, annotation, "V")) !== undefined)
  );
}

function isPrintedOtherwise(open: OpenPdf, annotation: PdfDict): boolean {
  const flags = numberAt(open, annotation, "F") ?? 0;
  const isAlike =
    (flags & TOGGLE_NO_VIEW) === 0 && ((flags & NO_VIEW) === 0) === ((flags & PRINT) !== 0);
  return isVisible(open, annotation) && !isAlike;
}

const [PERCENT, SLASH, OPEN_ARRAY, CLOSE_ARRAY, LESS, GREATER] = Array.from("%/[]<>", (character) =>
  character.charCodeAt(0),
);
const DECODER = new TextDecoder("latin1");

type Container = { readonly keys: Set<string> | null; isValue: boolean };

/**
 * Whether readers may differ on an object: a second one, a duplicate key, a wrong Length.
 * Errors: `pdf_too_complex`.
 * Source: ISO 32000-2 §7.3.7 (keys are unique), §7.3.8.2 (Length).
 */
export function hasTwoReadings(open: OpenPdf): boolean {
  return rebuildsOtherwise(open) || readsOtherwise(open);
}

/** Whether a scanning reader finds a later object under a number. Source: ISO 32000-2 §7.5.6. */
function rebuildsOtherwise({ bytes, entries }: OpenPdf): boolean {
  const rebuilt = rebuildXref(bytes)?.entries;
  return [...entries].some(([number, entry]) => {
    const found = rebuilt?.get(number);
    if (entry.kind === "free") return false;
    if (entry.kind === "packed" || found?.kind !== "plain")
      return !found || !sameEntry(entry, found);
    return skipBlank(bytes, entry.offset) !== found.offset;
  });
}

function readsOtherwise(open: OpenPdf): boolean {
  const { bytes, entries } = open;
  for (const [number, entry] of entries) {
    if (entry.kind !== "plain") continue;
    const header = objectHeaderAt(bytes, entry.offset);
    const end = header && endOfPlain(bytes, header.end);
    if (end === null) return true;
    const object = open.pdf.context.resolve(PdfRef.of(number, entry.generation));
    if (!(object instanceof PdfStream)) continue;
    if (
      !endsWhereItSays(open, object, end) ||
      (object.getName("Type")?.value === "ObjStm" && packsTwoReadings(open, object))
    )
      return true;
  }
  return false;
}

function endsWhereItSays(open: OpenPdf, stream: PdfStream, dictionaryEnd: number): boolean {
  const length = follow(open, stream.get("Length"));
  if (
    !(length instanceof PdfNumber) ||
    !wordAt(open.bytes, skipBlank(open.bytes, dictionaryEnd), "stream")
  )
    return true;
  return (
    streamOfLength(open.bytes, { entries: new Map(), end: dictionaryEnd }, length.value) !== null
  );
}

function packsTwoReadings(open: OpenPdf, stream: PdfStream): boolean {
  const data = decodedData(stream, decodingBudget(open));
  const first = stream.getNumber("First")?.value ?? 0;
  const pairs =
    packedPairs(
      data.subarray(0, first),
      stream.getNumber("N")?.value ?? 0,
      workBudget(open.bytes),
    ) ?? [];
  return pairs.some(({ at }) => endOfPlain(data, first + at) === null);
}

function endOfPlain(bytes: Uint8Array, from: number): number | null {
  const containers: Container[] = [];
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte === PERCENT || isBlank(byte)) {
      at = byte === PERCENT ? lineEnd(bytes, at) : at + 1;
      continue;
    }
    const end = tokenEnd(bytes, at);
    if (!takeToken(containers, bytes.subarray(at, end))) return null;
    if (containers.length === 0) return end;
    at = end;
  }
  return bytes.length;
}

/** Gives false for a duplicate key. A token after a value that is no key belongs to a reference. */
function takeToken(containers: Container[], token: Uint8Array): boolean {
  const last = containers.at(-1);
  const isDouble = token.length === 2 && token[0] === token[1];
  if (token[0] === CLOSE_ARRAY || (token[0] === GREATER && isDouble)) {
    containers.pop();
    return true;
  }
  if (last?.keys && !last.isValue) {
    if (token[0] !== SLASH) return true;
    const key = decodedName(token);
    if (last.keys.has(key)) return false;
    last.keys.add(key);
    last.isValue = true;
    return true;
  }
  if (last) last.isValue = false;
  if (token[0] === OPEN_ARRAY) containers.push({ keys: null, isValue: false });
  else if (token[0] === LESS && isDouble) containers.push({ keys: new Set(), isValue: false });
  return true;
}

/** Source: ISO 32000-2 §7.3.5. */
function decodedName(token: Uint8Array): string {
  return DECODER.decode(token).replace(/#([0-9a-fA-F]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Refuses cycles, and page tree nodes listed twice or below a page: readers differ on them.
 * Errors: `pdf_damaged`.
 * Source: ISO 32000-2 §7.7.3.2, §12.7.4.1, §14.7.2: all are trees.
 */
export function refuseCircularTrees(open: OpenPdf): void {
  if (open.pdf.context.pages.getPages().some((ref) => hasKids(open, ref)))
    throw new PadesError("pdf_damaged", "Expected pages without pages below them", {
      clause: "ISO 32000-2 §7.7.3.3, table 31",
    });
  if (listsPageTwice(open))
    throw new PadesError("pdf_damaged", "Expected a tree of pages", {
      clause: "ISO 32000-2 §7.7.3.2",
    });
  const form = dictAt(open, open.catalog, "AcroForm");
  const fields = form ? arrayAt(open, form, "Fields") : undefined;
  if (fields && isCircular(open, fields, "Kids"))
    throw new PadesError("pdf_damaged", "Expected a tree of fields", {
      clause: "ISO 32000-2 §12.7.4.1",
    });
  const structure = open.catalog.get("StructTreeRoot");
  if (structure && isCircular(open, structure, "K"))
    throw new PadesError("pdf_damaged", "Expected a tree of structure elements", {
      clause: "ISO 32000-2 §14.7.2",
    });
}

/** A page by type with kids: some readers take it for a page, others for a node. */
function hasKids(open: OpenPdf, ref: PdfRef): boolean {
  const page = follow(open, ref);
  return page instanceof PdfDict && page.has("Kids");
}

function listsPageTwice(open: OpenPdf): boolean {
  const seen = new Set<string>();
  const waiting: (PdfObject | undefined)[] = [open.catalog.get("Pages")];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const name = node instanceof PdfRef ? node.toString() : null;
    if (name && seen.has(name)) return true;
    if (name) seen.add(name);
    const dict = follow(open, node);
    for (const kid of (dict instanceof PdfDict && arrayAt(open, dict, "Kids")) || [])
      waiting.push(kid);
  }
  return false;
}

type Step = { readonly value: PdfObject } | { readonly leave: string };

function isCircular(open: OpenPdf, start: PdfObject, key: string): boolean {
  const opened = new Set<string>();
  const done = new Set<string>();
  const stack: Step[] = [{ value: start }];
  for (let step = stack.pop(); step; step = stack.pop()) {
    if ("leave" in step) {
      opened.delete(step.leave);
      done.add(step.leave);
      continue;
    }
    const name = step.value instanceof PdfRef ? step.value.toString() : null;
    if (name && opened.has(name)) return true;
    if (name && done.has(name)) continue;
    if (name) {
      opened.add(name);
      stack.push({ leave: name });
    }
    const target = follow(open, step.value);
    const children = target instanceof PdfDict ? target.get(key) : target;
    if (children instanceof PdfArray)
      for (const value of children) if (isNode(value)) stack.push({ value });
    if (target instanceof PdfDict && children && isNode(children)) stack.push({ value: children });
  }
  return false;
}

const isNode = (value: PdfObject): boolean =>
  value instanceof PdfRef || value instanceof PdfArray || value instanceof PdfDict;

type Listed = { readonly node: PdfDict; readonly lister: PdfRef | PdfDict | null };

/**
 * Counts page tree nodes listed by another node than `/Parent`: readers inherit from either.
 * Source: ISO 32000-2 §7.7.3.2 (tables 30 and 31), §7.7.3.4.
 */
export function misledPages(open: OpenPdf): number {
  let count = 0;
  for (const { node, lister } of listedNodes(open))
    if (follow(open, node.get("Parent")) !== follow(open, lister)) count += 1;
  return count;
}

/** Sets each page tree node's `/Parent` and `/Count` from the tree. */
export function adoptPages(open: OpenPdf): void {
  countPages(open, open.catalog.get("Pages"), 0);
  for (const { node, lister } of listedNodes(open)) {
    if (lister === null) node.delete("Parent");
    else node.set("Parent", lister);
  }
}

const MAX_DEPTH = 256;

function countPages(open: OpenPdf, item: PdfObject | undefined, depth: number): number {
  const node = follow(open, item);
  const kids =
    node instanceof PdfDict && depth < MAX_DEPTH ? arrayAt(open, node, "Kids") : undefined;
  if (!(node instanceof PdfDict) || !kids) return 1;
  const count = kids.toArray().reduce((sum, kid) => sum + countPages(open, kid, depth + 1), 0);
  if (numberAt(open, node, "Count") !== count) node.set("Count", PdfNumber.of(count));
  return count;
}

function* listedNodes(open: OpenPdf): Generator<Listed> {
  const waiting: { item: PdfObject | undefined; lister: Listed["lister"] }[] = [
    { item: open.catalog.get("Pages"), lister: null },
  ];
  const seen = new Set<PdfDict>();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const node = follow(open, next.item);
    if (!(node instanceof PdfDict) || seen.has(node)) continue;
    seen.add(node);
    yield { node, lister: next.lister };
    const lister = next.item instanceof PdfRef ? next.item : node;
    for (const item of arrayAt(open, node, "Kids") ?? []) waiting.push({ item, lister });
  }
}

/**
 * Whether a string or stream contains what a rebuilding reader takes for an object.
 * Source: ISO 32000-2 §7.3.8, §7.5.4.
 */
export function hasLookalikes(open: OpenPdf): boolean {
  for (const [number, entry] of open.entries) {
    if (entry.kind !== "plain") continue;
    const object = open.pdf.context.resolve(PdfRef.of(number, entry.generation));
    const isPack = object instanceof PdfStream && object.getName("Type")?.value === "ObjStm";
    if (object && (isPack ? isLookalikePack(object) : isLookalike(object))) return true;
  }
  return false;
}

/** A stream inside an object stream (forbidden, §7.5.7) ends at its keyword in every reader. */
function isLookalikePack(pack: PdfStream): boolean {
  return looksLikeStructure(latinText(pack.data).replaceAll("endstream", ""));
}

function isLookalike(object: PdfObject): boolean {
  if (object instanceof PdfString)
    return object.format === "literal" && looksLikeStructure(latinText(object.bytes));
  if (object instanceof PdfArray) return object.toArray().some(isLookalike);
  if (!(object instanceof PdfDict)) return false;
  if (object instanceof PdfStream && looksLikeStructure(latinText(object.data))) return true;
  return [...object].some(([, value]) => isLookalike(value));
}

/** Writes such strings and data as hexadecimal. Source: ISO 32000-2 §7.3.4.3, §7.4.2. */
export function disarm(dict: PdfDict): void {
  if (dict instanceof PdfStream && looksLikeStructure(latinText(dict.data))) disarmData(dict);
  for (const [key, value] of Array.from(dict)) {
    const safe = disarmed(value);
    if (safe !== value) dict.set(key.value, safe);
  }
}

function disarmed(value: PdfObject): PdfObject {
  if (value instanceof PdfString)
    return isLookalike(value) ? PdfString.fromBytes(value.bytes) : value;
  return value instanceof PdfArray && isLookalike(value)
    ? new PdfArray(value.toArray().map(disarmed))
    : value;
}

function disarmData(stream: PdfStream): void {
  const [filters, parameters] = [stream.get("Filter"), stream.get("DecodeParms")];
  const list = (value: PdfObject | undefined): readonly PdfObject[] =>
    value instanceof PdfArray ? value.toArray() : value === undefined ? [] : [value];
  stream.setData(latinBytes(`${toHex(stream.data)}>`));
  stream.set("Filter", new PdfArray([PdfName.of("ASCIIHexDecode"), ...list(filters)]));
  if (parameters) stream.set("DecodeParms", new PdfArray([PdfNull.instance, ...list(parameters)]));
}

/**
 * Refuses streams in place of dictionaries: nobody would check their data.
 * Errors: `pdf_damaged`.
 * Source: ISO 32000-2 §7.7.2, §7.7.3, §12.5.2, §12.7.3, §12.7.4.
 */
export function refuseDisguisedStreams(open: OpenPdf): void {
  const pages = open.pdf.context.pages.getPages().map((ref) => follow(open, ref));
  const annotations = pages.flatMap((page) =>
    page instanceof PdfDict ? (arrayAt(open, page, "Annots")?.toArray() ?? []) : [],
  );
  const form = dictAt(open, open.catalog, "AcroForm");
  const held: readonly (PdfObject | undefined)[] = [
    open.catalog,
    dictAt(open, open.catalog, "Pages"),
    form,
    form && dictAt(open, form, "DR"),
    ...pages,
    ...annotations.map((item) => follow(open, item)),
    ...formFields(open).map(({ dict }) => dict),
  ];
  if (held.some((object) => object instanceof PdfStream))
    throw new PadesError("pdf_damaged", "Expected dictionaries, met a stream", {
      clause: "ISO 32000-2 §7.3.8",
    });
}

/**
 * Whether another object is of type Catalog: a rebuilding reader may open the file there.
 * Source: ISO 32000-2 §7.7.2.
 */
export function hasOtherCatalog(open: OpenPdf): boolean {
  for (const [number, entry] of open.entries) {
    if (entry.kind === "free" || number === open.catalogRef.objectNumber) continue;
    const object = open.pdf.context.resolve(
      PdfRef.of(number, entry.kind === "plain" ? entry.generation : 0),
    );
    if (object instanceof PdfDict && nameAt(open, object, "Type") === "Catalog") return true;
  }
  return false;
}
