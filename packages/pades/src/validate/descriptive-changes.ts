import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../asn1/der-reader.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { arrayAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { spend, type WorkBudget } from "../pdf/byte-reader.ts";
import { writeObject } from "../pdf/write-object.ts";
import {
  MAX_XML,
  metadataMeaning,
  NO_MEANING,
  repeatsInformation,
  textOfString,
} from "./metadata.ts";

/** Later revisions may change what shows nothing, each entry in its own way. */
export const DESCRIPTIVE_ENTRIES: Readonly<
  Record<string, (before: OpenPdf, after: OpenPdf) => boolean>
> = {
  Version: isLaterVersion,
  Extensions: isListOfExtensions,
  Metadata: isMetadata,
  OutputIntents: isScreenIntent,
};

/** Source: ISO 32000-2 §7.12.2, table 49. */
const EXTENSION = new Set(["Type", "BaseVersion", "ExtensionLevel", "ExtensionRevision", "URL"]);
const METADATA = new Set(["Type", "Subtype", "Length", "Filter", "DecodeParms"]);
const WRITER_NOTES = new Set(["ModDate", "Producer"]);

/** A few bytes may inflate to a long packet. */
const PACKET_WORK = 4 * MAX_XML;
const READING_WORK = 4 * MAX_XML;
const BUDGETS = new WeakMap<OpenPdf, WorkBudget>();
const MEANINGS = new WeakMap<PdfStream, string | null>();

/** Source: ISO 32000-2 §14.11.5, table 401. */
const INTENT = new Set([
  "Type",
  "S",
  "OutputCondition",
  "OutputConditionIdentifier",
  "RegistryName",
  "Info",
]);
const PROFILE = new Set(["Length", "Filter", "N"]);
/** SHA-256 and size of OpenJDK's decoded sRGB profile. */
const SRGB_SHA256 = "4064240d928fddcc777915e2be0c81871c5ea9b6e08327ddbe6be9908fc22525";
const PROFILE_WORK = 2 ** 16;

const VERSIONS = /^(?:1\.[0-7]|2\.0)$/;

function isLaterVersion(before: OpenPdf, after: OpenPdf): boolean {
  const header = new TextDecoder("latin1").decode(after.bytes.subarray(5, 8));
  const [old, now] = [
    nameAt(before, before.catalog, "Version") ?? header,
    nameAt(after, after.catalog, "Version") ?? "",
  ];
  return VERSIONS.test(now) && now >= old;
}

function isListOfExtensions(_before: OpenPdf, after: OpenPdf): boolean {
  const extensions = follow(after, after.catalog.get("Extensions"));
  if (!isPlainDict(extensions)) return false;
  return [...extensions].every(([key, value]) => {
    const found = follow(after, value);
    if (key.value === "Type") return found instanceof PdfName;
    const list = found instanceof PdfArray ? found.toArray() : [found];
    return list.every((item) => isExtension(after, follow(after, item)));
  });
}

function isExtension(open: OpenPdf, value: PdfObject | undefined): boolean {
  return (
    isPlainDict(value) &&
    [...value].every(([key, entry]) => EXTENSION.has(key.value) && isSimple(follow(open, entry)))
  );
}

function isSimple(value: PdfObject | undefined): boolean {
  return value instanceof PdfName || value instanceof PdfNumber || value instanceof PdfString;
}

const isContainer = (value: PdfObject): boolean =>
  value instanceof PdfArray || value instanceof PdfDict;

function isPlainDict(value: PdfObject | undefined): value is PdfDict {
  return value instanceof PdfDict && !(value instanceof PdfStream);
}

/**
 * Any other profile changes colours.
 * Tolerance: DSS adds it with a visible signature.
 * Source: ISO 32000-2 §14.11.5.
 */
function isScreenIntent(before: OpenPdf, after: OpenPdf): boolean {
  const intents = arrayAt(after, after.catalog, "OutputIntents");
  const [intent, ...others] = (intents?.toArray() ?? []).map((item) => follow(after, item));
  if (
    before.catalog.has("OutputIntents") ||
    !isPlainDict(intent) ||
    others.length > 0 ||
    nameAt(after, intent, "S") !== "GTS_PDFA1"
  )
    return false;
  const profile = follow(after, intent.get("DestOutputProfile"));
  const isKnown = [...intent].every(
    ([{ value: key }, entry]) =>
      key === "DestOutputProfile" || (INTENT.has(key) && isSimple(follow(after, entry))),
  );
  return isKnown && profile instanceof PdfStream && isScreenProfile(after, profile);
}

function isScreenProfile(open: OpenPdf, profile: PdfStream): boolean {
  if ([...profile.keys()].some(({ value }) => !PROFILE.has(value))) return false;
  try {
    return (
      numberAt(open, profile, "N") === 3 &&
      toHex(sha256(decodedWithin(open, profile, PROFILE_WORK))) === SRGB_SHA256
    );
  } catch (error) {
    return unlessBug(error, false);
  }
}

/**
 * Only metadata (no content, image or font) that say the same: title bars, archives and PDF/A
 * claims depend on it.
 * Source: ISO 32000-2 §14.3.2, table 347.
 */
function isMetadata(before: OpenPdf, after: OpenPdf): boolean {
  const stream = follow(after, after.catalog.get("Metadata"));
  const known =
    stream instanceof PdfStream && [...stream.keys()].every(({ value }) => METADATA.has(value));
  if (
    !known ||
    nameAt(after, stream, "Type") !== "Metadata" ||
    nameAt(after, stream, "Subtype") !== "XML"
  )
    return false;
  const old = follow(before, before.catalog.get("Metadata"));
  const said = old instanceof PdfStream ? meaningOf(before, old) : NO_MEANING;
  const says = meaningOf(after, stream);
  // Readers differ on what cannot be read within the budget.
  if (said === null || says === null) return false;
  return said === says || (old === undefined && repeatsInformation(before, says));
}

export function readTogether(whole: OpenPdf, revision: OpenPdf): void {
  BUDGETS.set(revision, readingBudget(whole));
}

function readingBudget(open: OpenPdf): WorkBudget {
  const budget = BUDGETS.get(open) ?? { left: READING_WORK };
  BUDGETS.set(open, budget);
  return budget;
}

/** Cached, as both neighbouring revisions compare it. */
function meaningOf(open: OpenPdf, stream: PdfStream): string | null {
  const known = MEANINGS.get(stream);
  const meaning = known === undefined ? readMeaning(open, stream) : known;
  MEANINGS.set(stream, meaning);
  return meaning;
}

function readMeaning(open: OpenPdf, stream: PdfStream): string | null {
  try {
    const packet = packetOf(open, stream);
    spend(readingBudget(open), packet.length);
    return metadataMeaning(packet);
  } catch (error) {
    return unlessBug(error, null);
  }
}

function packetOf(open: OpenPdf, stream: PdfStream): Uint8Array {
  const packet = decodedWithin(open, stream, PACKET_WORK);
  if (packet.length <= MAX_XML) return packet;
  throw new PadesError("pdf_too_complex", "Expected metadata of a bearable size");
}

function decodedWithin(open: OpenPdf, stream: PdfStream, work: number): Uint8Array {
  spend(decodingBudget(open), work);
  try {
    return decodedData(stream, { left: work });
  } catch (error) {
    // The parser throws its own errors for undecodable data.
    throw error instanceof PadesError
      ? error
      : new PadesError("pdf_damaged", "Expected a stream that decodes", { cause: error });
  }
}

/** A writer may note itself and the time. */
export function informationStays(before: OpenPdf, after: OpenPdf): boolean {
  const [old, now] = [before, after].map((open) => follow(open, open.trailer.get("Info")));
  if (old === undefined && now === undefined) return true;
  if (!isPlainDict(now) || !(old === undefined || isPlainDict(old))) return false;
  const keys = new Set([...(old?.keys() ?? []), ...now.keys()].map(({ value }) => value));
  return [...keys].every((key) => {
    const [left, right] = [follow(before, old?.get(key)), follow(after, now.get(key))];
    const isSame = (left && writeObject(left)) === (right && writeObject(right));
    if (WRITER_NOTES.has(key))
      return right === undefined || right instanceof PdfString || (isSame && !isContainer(right));
    return isSame || saysTheSame(left, right);
  });
}

/** Tolerance: pyHanko rewrites title and author in the shortest encoding. */
function saysTheSame(left: PdfObject | undefined, right: PdfObject | undefined): boolean {
  if (!(left instanceof PdfString) || !(right instanceof PdfString)) return false;
  const text = textOfString(left);
  return text !== null && text === textOfString(right);
}
