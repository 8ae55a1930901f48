import { type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { skipPlainBlank } from "../pdf/byte-reader.ts";
import { heldReferences } from "../pdf/free-numbers.ts";
import { nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import { type Syntax, wholeNumber } from "./pdf-syntax.ts";
import type { Update } from "./read-updates.ts";

/** The objects that a revision's trailer leads to: by number, the generations that references give. */
type ReachedObjects = ReadonlyMap<number, ReadonlySet<number>>;

/** Walks a revision from its catalog and its information dictionary, each object once. */
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
    // One by one: an array of a hundred thousand is more than a call takes.
    else if (object) for (const { ref } of heldReferences(object)) waiting.push(ref);
  }
  return reached;
}

/**
 * Entries that a trailer may have. Source: ISO 32000-2 §7.5.5 table 15, §7.5.8.2 table 17. LibreOffice notes a checksum there, and other
 * writers copy it: it is a word that leads nowhere.
 */
const TRAILER = new Set(["Size", "Root", "Info", "ID", "Prev", "DocChecksum"]);
/** Source: LibreOffice’s hybrid files; no standard has it. */
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
 * Says whether every reader sees the same objects in an update: each row names an object that stands in this very update, under its own
 * number and generation, once; each object has its row; references give that generation; what nothing leads to is new, no stream,
 * and comes with something that the document uses; nothing but the catalog calls itself one.
 * Source: ISO 32000-2 §7.3.10, §7.5.4, §7.5.6, §7.5.7, §7.5.8.
 */
export function isSoundUpdate(update: Update, before: OpenPdf, after: OpenPdf): boolean {
  const isSound = isSoundTrailer(update, { before, after }) && rowsMatch(update, after);
  return isSound && isReached(update, reachedObjects(after), { before, after });
}

/**
 * Says whether an update writes nothing and leads where the one before it did: what its trailer says of sizes is said again by the next.
 * Tolerance: some writers save so where there is nothing to save.
 */
export function isIdle(update: Update, before: OpenPdf, after: OpenPdf): boolean {
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
  // A document that a trailer names beside the pages, LibreOffice opens once it comes.
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
 * Tolerance: DSS names anew a document that LibreOffice put beside its pages, and does not write it. One that is there, LibreOffice would open
 * instead of the pages, even one that no table lists: the checksum that it asks for beside is that of another revision.
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
  // Object 0 is the head of the free list: readers refuse it in use, and look for objects themselves. Source: ISO 32000-2 §7.5.4.
  if (rows.some(({ number, kind }) => number === 0 && kind !== "free")) return false;
  const plain = new Map(
    rows.filter(({ kind }) => kind === "plain").map((row) => [row.number, row]),
  );
  const packed = rows.filter(({ kind }) => kind === "packed");
  const places = new Set(packed.map(({ at, index }) => `${at} ${index}`));
  const everyObject = objects.every(({ number, generation, at, role }) => {
    const row = plain.get(number);
    // A cross-reference stream's own row is often left out.
    // Tolerance: Cryptolog names the end of line before an object.
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
    // Some writers leave an object behind that nothing needs: it is harmless unless there was one of its number, or it carries data.
    const isHarmless = !streams.has(number) && isMissing(before, number, generation);
    const generations = reached.get(number) ?? new Set(isHarmless ? [0] : []);
    if (generations.size !== 1 || !generations.has(generation)) return false;
  }
  if (!rows.some(({ number, kind }) => kind !== "free" && reached.has(number))) return false;
  return isLargeEnough(trailer.get("Size"), { rows, reached, after });
}

type Numbers = Pick<Update, "rows"> & { readonly reached: ReachedObjects; readonly after: OpenPdf };

/** Beyond it readers give the table up and look for objects themselves, in streams too. Source: ISO 32000-1 annex C, table C.1. */
const MOST_OBJECTS = 8_388_607;

/** A reader may take an object whose number is not below `/Size` for missing. Source: ISO 32000-2 §7.5.5, table 15. */
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
