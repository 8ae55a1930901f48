import { type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import { skipPlainBlank } from "../pdf/byte-reader.ts";
import { innerReferences } from "../pdf/walk-objects.ts";
import { nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import { type Syntax, wholeNumber } from "./pdf-syntax.ts";
import type { Update } from "./read-updates.ts";

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
