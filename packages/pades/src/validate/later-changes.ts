import {
  type PdfDict,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { objectHeaderAt, skipPlainBlank, valueEnd } from "../pdf/byte-reader.ts";
import { sameEntry } from "../pdf/read-xref.ts";
import { type FormField, signedFields } from "../pdf/form-fields.ts";
import { type OpenPdf, follow, nameAt, openPdf } from "../pdf/open-pdf.ts";
import { innerReferences } from "../pdf/walk-objects.ts";
import { writeObject } from "../pdf/write-object.ts";
import { isStrictRevision } from "../strict/strict-revision.ts";
import { checkByteRange, type Locks, locksOf } from "./signature-entries.ts";
import { type Changes, type CoveredPlace, compareRevisions } from "./compare-revisions.ts";
import { readTogether } from "./descriptive-changes.ts";
import { isTimestamp } from "./form-defaults.ts";
import { type PageCover, coverExcess, type LaterChanges } from "./types.ts";
import { type Syntax, wholeNumber, type Update, readUpdates } from "./read-updates.ts";
import { storeOnlyGrew } from "./security-store.ts";

type Resolver = (ref: PdfRef) => PdfObject | null;
/** More than any bytes between a stream's data and the end of its object. */
const MARGIN = 64;
const ENDS = new WeakMap<OpenPdf, Map<number, number>>();

/**
 * A revision reuses objects of the whole file where both read the same bytes. Objects that cross
 * the revision's end, and streams with an indirect length, are parsed again.
 */
export function shareObjects(whole: OpenPdf, revision: OpenPdf): void {
  const { registry } = revision.pdf.context;
  const own = Reflect.get(registry, "resolver") as Resolver;
  registry.setResolver((ref) => sharedObject(ref, { whole, revision }) ?? own(ref));
}

type Pair = { readonly whole: OpenPdf; readonly revision: OpenPdf };

function sharedObject(ref: PdfRef, pair: Pair): PdfObject | null {
  const { whole, revision } = pair;
  const [here, there] = [
    revision.entries.get(ref.objectNumber),
    whole.entries.get(ref.objectNumber),
  ];
  if (!here || !there || !sameEntry(here, there)) return null;
  if (here.kind === "packed") {
    const isShared = ref.generation === 0 && sharedObject(PdfRef.of(here.stream, 0), pair) !== null;
    return isShared ? whole.pdf.context.resolve(ref) : null;
  }
  if (here.kind !== "plain" || here.generation !== ref.generation) return null;
  const object = whole.pdf.context.resolve(ref);
  return object && endOf(whole, here.offset, object) <= revision.bytes.length ? object : null;
}

/** Infinity when the object depends on another one. */
function endOf(whole: OpenPdf, offset: number, object: PdfObject): number {
  const known = ENDS.get(whole) ?? new Map<number, number>();
  ENDS.set(whole, known);
  const end = known.get(offset) ?? readEnd(whole, offset, object);
  known.set(offset, end);
  return end;
}

function readEnd({ bytes }: OpenPdf, offset: number, object: PdfObject): number {
  const header = objectHeaderAt(bytes, offset);
  const end = header ? valueEnd(bytes, header.end) : Number.POSITIVE_INFINITY;
  if (!(object instanceof PdfStream)) return end;
  const length = object.get("Length");
  const isSaid = length instanceof PdfNumber && length.value === object.data.length;
  return isSaid ? end + length.value + MARGIN : Number.POSITIVE_INFINITY;
}

/** `mark`: behind `%%EOF`; `end`: behind the end of line after it. */
type Ends = { readonly mark: number; readonly end: number };
/**
 * `carried`: its signatures that the whole file has unchanged; `signer`: its own signature's locks.
 */
type Step = Ends & {
  readonly changes: Changes;
  readonly carried: ReadonlySet<string>;
  readonly signer: Locks | null;
};
type History = {
  readonly first: Ends & Pick<Step, "carried">;
  readonly steps: readonly Step[];
} | null;
type Field = Pick<FormField, "name" | "ref"> & { readonly value: PdfDict };

const RANK: readonly LaterChanges[] = [
  "none",
  "lta",
  "signing",
  "form_filling",
  "unsigned_filling",
  "other",
];
/** Revisions × objects, as each update compares the whole file. */
const MAX_COMPARED = 750_000;
const REVISION_COST = 400;
const MOST_WORK = 2 ** 29;
/** Values compared for all revisions of a file. */
const MOST_VALUES = 30_000_000;
const HISTORIES = new WeakMap<OpenPdf, Promise<History>>();

/** Classifies the changes after a signature, by what it forbids. */
export async function changesAfter(
  open: OpenPdf,
  field: Field,
  { revisionLength }: { readonly revisionLength: number },
): Promise<LaterChanges> {
  if (revisionLength >= open.bytes.length) return "none";
  const history = await historyOf(open);
  if (!history) return "other";
  const revisions = [history.first, ...history.steps];
  const at = revisions.findIndex(
    ({ mark, end }) => mark <= revisionLength && revisionLength <= end,
  );
  // A signature stands in the revision that it covers: a copy of its value in a later field is
  // none.
  if (!revisions[at]?.carried.has(keyOf(field))) return "other";
  const locks = locksOf(open, field.value);
  const later = history.steps.slice(at);
  const worst = later.map((_step, index) => changeOf(later, index, locks)).reduce(worse, "lta");
  if ([...coverOf(later).values()].some((cover) => coverExcess(cover) !== null)) return "other";
  // Certification level 1 allows only what preserves the proof. Source: ISO 32000-2 §12.8.2.2,
  // table 257.
  return locks.certification === 1 && worst !== "lta" ? "other" : worst;
}

/** A signature passes when somebody signed all that is shown. */
export function isAllowed(changes: LaterChanges): boolean {
  return changes !== "other" && changes !== "unsigned_filling";
}

function worse(left: LaterChanges, right: LaterChanges): LaterChanges {
  return RANK.indexOf(right) > RANK.indexOf(left) ? right : left;
}

/**
 * What was added since the first signature, by the page's reference; empty when updates are
 * unreadable.
 */
export async function coverSinceFirst(open: OpenPdf): Promise<ReadonlyMap<string, PageCover>> {
  const ends = signedFields(open).map(({ value }) => checkByteRange(open, value).revisionLength);
  if (ends.every((end) => end >= open.bytes.length)) return new Map();
  return coverOf((await historyOf(open))?.steps ?? []);
}

/** Overlaps count twice: stacked signatures hide each other. */
function coverOf(later: readonly Step[]): ReadonlyMap<string, PageCover> {
  const places = new Map<string, CoveredPlace>();
  // A field that came empty and was signed later is one place.
  for (const place of later.flatMap(({ changes }) => changes.covered)) {
    const key = `${place.page} ${place.widget}`;
    if (!places.has(key)) places.set(key, place);
  }
  const pages = new Map<string, PageCover>();
  for (const { page, part, isNew } of places.values()) {
    const { added, filled } = pages.get(page) ?? { added: 0, filled: 0 };
    pages.set(page, isNew ? { added: added + part, filled } : { added, filled: filled + part });
  }
  return pages;
}

function changeOf(later: readonly Step[], index: number, locks: Locks): LaterChanges {
  const step = later[index] as Step;
  const { isForbidden, isSigning, filled, repainted, shown } = step.changes;
  const touched = [...filled, ...repainted];
  if (isForbidden || touched.some((name) => locks.fields?.(name))) return "other";
  // A visible field in a certified file is the EAA and SSA attacks.
  if (locks.certification !== null && shown.length > 0) return "other";
  if (repainted.some((name) => !step.signer?.fields?.(name))) return "other";
  if (filled.some((name) => !isSignedFor(name, later.slice(index), locks)))
    return "unsigned_filling";
  if (touched.length > 0) return "form_filling";
  return isSigning ? "signing" : "lta";
}

/**
 * A certification allows its own filling. After FieldMDP, whoever signs the filled field must lock
 * it too: covering its bytes is not enough.
 * Source: ISO 32000-2 §12.8.2.2, §12.8.2.4.
 */
function isSignedFor(name: string, later: readonly Step[], locks: Locks): boolean {
  if (locks.isCertified) return true;
  return later.some(
    ({ signer }) =>
      signer !== null && (signer.fields ? signer.fields(name) : locks.fields === null),
  );
}

function historyOf(open: OpenPdf): Promise<History> {
  const known = HISTORIES.get(open) ?? readHistory(open);
  HISTORIES.set(open, known);
  return known;
}

async function readHistory(whole: OpenPdf): Promise<History> {
  const signed = signedFields(whole).map((field) => ({
    ...field,
    range: checkByteRange(whole, field.value),
  }));
  const from = Math.min(
    ...signed.filter(({ range }) => !range.problem).map(({ range }) => range.revisionLength),
  );
  const updates =
    Number.isFinite(from) && whole.blocker !== "broken_xref"
      ? await readUpdates(whole, from)
      : null;
  const isBearable = (count: number): boolean =>
    count * (whole.entries.size + REVISION_COST) <= MAX_COMPARED && count * whole.work <= MOST_WORK;
  if (updates && !isBearable(updates.length))
    throw new PadesError("pdf_too_complex", "Expected a bearable number of updates and objects");
  const first = updates && (await openRevision(whole, from));
  // Readers may have read the first signed revision differently: later bytes can reconcile them.
  if (!updates || !first || !isStrictRevision(first)) return null;
  const steps: Step[] = [];
  const budget = { left: MOST_VALUES };
  let before = first;
  for (const update of updates) {
    const after = update.end === whole.bytes.length ? whole : await openRevision(whole, update.end);
    if (!after) return null;
    const isPassedOver = update !== updates.at(-1) && isIdle(update, before, after);
    const isSound =
      isPassedOver ||
      (isSoundUpdate(update, before, after) && (await storeOnlyGrew(before, after)));
    const changes = compareRevisions(before, after, budget);
    const carried = carriedBy(after, signed);
    const added = signed.filter(
      ({ range, ...field }) =>
        carried.has(keyOf(field)) &&
        update.mark <= range.revisionLength &&
        range.revisionLength <= update.end,
    );
    const signer = added.find(({ range, value }) => !range.problem && !isTimestamp(whole, value));
    steps.push({
      mark: update.mark,
      end: update.end,
      changes: { ...changes, isForbidden: changes.isForbidden || !isSound },
      carried,
      signer: signer ? locksOf(whole, signer.value) : null,
    });
    before = after;
  }
  return { first: { mark: from, end: from, carried: carriedBy(first, signed) }, steps };
}

async function openRevision(whole: OpenPdf, length: number): Promise<OpenPdf | null> {
  try {
    const open = await openPdf(whole.bytes.subarray(0, length));
    readTogether(whole, open);
    shareObjects(whole, open);
    return open.blocker === "broken_xref" ? null : open;
  } catch (error) {
    return unlessBug(error, null);
  }
}

function carriedBy(
  revision: OpenPdf,
  signed: readonly (Field & { readonly range: { readonly contents: Uint8Array } })[],
): ReadonlySet<string> {
  const found = new Map(
    signedFields(revision).map((field) => [
      keyOf(field),
      follow(revision, field.value.get("Contents")),
    ]),
  );
  return new Set(
    signed.flatMap(({ range, ...field }) => {
      const contents = found.get(keyOf(field));
      return contents instanceof PdfString && equalBytes(contents.bytes, range.contents)
        ? [keyOf(field)]
        : [];
    }),
  );
}

/** Names may repeat; a direct field has nothing else. */
function keyOf({ name, ref }: Pick<Field, "name" | "ref">): string {
  return ref ? writeObject(ref) : `(${name}`;
}

type ReachedObjects = ReadonlyMap<number, ReadonlySet<number>>;

function reachedObjects(open: OpenPdf): ReachedObjects {
  const reached = new Map<number, Set<number>>();
  const waiting: PdfObject[] = [open.catalogRef];
  const information = open.trailer.get("Info");
  if (information) waiting.push(information);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    let object: PdfObject | null = value;
    if (value instanceof PdfRef) {
      const generations = reached.get(value.objectNumber) ?? new Set();
      if (generations.has(value.generation)) continue;
      reached.set(value.objectNumber, generations.add(value.generation));
      object = open.pdf.context.resolve(value);
    }
    if (object instanceof PdfRef) waiting.push(object);
    // A spread of a hundred thousand overflows the call.
    else if (object) for (const { ref } of innerReferences(object)) waiting.push(ref);
  }
  return reached;
}

/**
 * Tolerance: LibreOffice adds a checksum. Source: ISO 32000-2 §7.5.5 table 15, §7.5.8.2 table 17.
 */
const TRAILER = new Set(["Size", "Root", "Info", "ID", "Prev", "DocChecksum"]);
/** Tolerance: LibreOffice's hybrid files; no standard has it. */
const ADDITIONAL = "AdditionalStreams";
const STREAM_TRAILER = new Set([
  ...TRAILER,
  "Type",
  "W",
  "Index",
  "Length",
  "Filter",
  "DecodeParms",
]);

/**
 * Whether every reader sees the same objects in an update. An unreferenced object is new, no
 * stream, and accompanies referenced ones.
 * Source: ISO 32000-2 §7.3.10, §7.5.4, §7.5.6, §7.5.7, §7.5.8.
 */
export function isSoundUpdate(update: Update, before: OpenPdf, after: OpenPdf): boolean {
  const isSound = isSoundTrailer(update, { before, after }) && rowsMatch(update, after);
  return isSound && isReached(update, reachedObjects(after), { before, after });
}

/** Tolerance: some writers save so when nothing changed. */
function isIdle(update: Update, before: OpenPdf, after: OpenPdf): boolean {
  return (
    update.objects.length === 0 &&
    update.rows.every(({ number, kind }) => number === 0 && kind === "free") &&
    isSoundTrailer(update, { before, after })
  );
}

function isSoundTrailer(
  { trailer, sectionAt, objects }: Update,
  { before, after }: Revisions,
): boolean {
  const isStream = objects.some(({ role, at }) => role === "xref" && at === sectionAt);
  const allowed = isStream ? STREAM_TRAILER : TRAILER;
  const isAllowed = (key: string): boolean =>
    allowed.has(key) || (key === ADDITIONAL && before.trailer.has(key));
  if (![...trailer.keys()].every(isAllowed) || !leadsNowhere(trailer, { before, after }))
    return false;
  if (!["name", "string"].includes(trailer.get("DocChecksum")?.kind ?? "name")) return false;
  // LibreOffice opens it beside the pages.
  const [was, is] = [before, after].map(({ pdf }) =>
    before.namedByTrailers.map((ref) => pdf.context.resolve(ref)),
  );
  if (is?.some((object, index) => object instanceof PdfStream && was?.[index] === null))
    return false;
  const root = trailer.get("Root");
  const isRoot =
    root?.kind === "reference" &&
    `${root.number} ${root.generation} R` === writeObject(before.catalogRef);
  if (
    objects.some(({ catalogs }) =>
      catalogs.some((number) => number !== before.catalogRef.objectNumber),
    )
  )
    return false;
  return isRoot && wholeNumber(trailer.get("Prev")) === before.startXref;
}

/**
 * Tolerance: DSS repeats the name of LibreOffice's embedded document without writing it.
 * LibreOffice would open it even unlisted, but the checksum is another revision's.
 */
function leadsNowhere(trailer: Update["trailer"], { before, after }: Revisions): boolean {
  const [value, checksum] = [trailer.get(ADDITIONAL), trailer.get("DocChecksum")];
  if (
    value &&
    checksum?.kind === "name" &&
    checksum.text !== nameAt(before, before.trailer, "DocChecksum")
  )
    return false;
  const items = value?.kind === "array" ? value.items : value ? [value] : [];
  return items.every((item) => {
    if (item.kind !== "reference") return item.kind === "name";
    return [before, after].every((open) => isMissing(open, item.number, item.generation));
  });
}

function rowsMatch({ rows, objects, sectionAt }: Update, { bytes }: OpenPdf): boolean {
  const numbers = new Set(rows.map(({ number }) => number));
  if (numbers.size !== rows.length) return false;
  // Readers that meet object 0 in use scan for objects. Source: ISO 32000-2 §7.5.4.
  if (rows.some(({ number, kind }) => number === 0 && kind !== "free")) return false;
  const plain = new Map(
    rows.filter(({ kind }) => kind === "plain").map((row) => [row.number, row]),
  );
  const packed = rows.filter(({ kind }) => kind === "packed");
  const places = new Set(packed.map(({ at, index }) => `${at} ${index}`));
  const everyObject = objects.every(({ number, generation, at, role }) => {
    const row = plain.get(number);
    // Streams often omit their own row. Tolerance: Cryptolog's offsets point at the preceding end
    // of line.
    return row
      ? skipPlainBlank(bytes, row.at) === at && row.generation === generation
      : role === "xref" && at === sectionAt && !numbers.has(number);
  });
  const listed = objects.filter(({ number }) => plain.has(number)).length === plain.size;
  const streams = new Map(objects.map((object) => [object.number, object]));
  const held = objects.reduce((sum, { packs }) => sum + packs.length, 0);
  const everyPacked = packed.every(
    ({ number, at, index }) => streams.get(at)?.packs[index] === number,
  );
  return (
    everyObject &&
    listed &&
    streams.size === objects.length &&
    everyPacked &&
    places.size === held &&
    held === packed.length
  );
}

type Revisions = { readonly before: OpenPdf; readonly after: OpenPdf };

function isReached(
  { rows, objects, trailer }: Update,
  reached: ReachedObjects,
  { before, after }: Revisions,
): boolean {
  const containers = new Set(
    objects.filter(({ role }) => role !== "plain").map(({ number }) => number),
  );
  if ([...containers].some((number) => reached.has(number))) return false;
  const streams = new Set(objects.filter(({ isStream }) => isStream).map(({ number }) => number));
  for (const { number, generation, kind } of rows) {
    if (kind === "free" || containers.has(number)) continue;
    // An unused object is harmless if its number is new and it has no data.
    const isHarmless = !streams.has(number) && isMissing(before, number, generation);
    const generations = reached.get(number) ?? new Set(isHarmless ? [0] : []);
    if (generations.size !== 1 || !generations.has(generation)) return false;
  }
  if (!rows.some(({ number, kind }) => kind !== "free" && reached.has(number))) return false;
  return isLargeEnough(trailer.get("Size"), { rows, reached, after });
}

type Numbers = Pick<Update, "rows"> & { readonly reached: ReachedObjects; readonly after: OpenPdf };

/**
 * Beyond it readers ignore the table and scan for objects.
 * Source: ISO 32000-1 annex C, table C.1.
 */
const MOST_OBJECTS = 8_388_607;

/** Readers may take larger numbers for missing. Source: ISO 32000-2 §7.5.5, table 15. */
function isLargeEnough(size: Syntax | undefined, { rows, reached, after }: Numbers): boolean {
  const limit = wholeNumber(size) ?? 0;
  if (limit > MOST_OBJECTS) return false;
  if (rows.some(({ number }) => number >= limit)) return false;
  return [...reached].every(
    ([number, generations]) =>
      number < limit ||
      [...generations].every((generation) => isMissing(after, number, generation)),
  );
}

function isMissing(open: OpenPdf, number: number, generation: number): boolean {
  return open.pdf.context.resolve(PdfRef.of(number, generation)) === null;
}
