import { PdfArray, PdfDict, type PdfObject, PdfStream, PdfString } from "@libpdf/core";
import { readElement, toHex } from "../asn1/der-reader.ts";
import { octetString } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { parseSignedData } from "../cms/signed-data.ts";
import { digest } from "../cryptography.ts";
import { unlessBug } from "../pades-error.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf, textAt } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { readCrl, readOcspResponse, revocationPool } from "./revocation.ts";

type SecurityStore = {
  readonly certificates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
  readonly ocsps: readonly Uint8Array[];
};

/** Empty without a DSS. Source: EN 319 142-1 §5.4.2; ISO 32000-2 §12.8.4.3. */
export function readSecurityStore(open: OpenPdf): SecurityStore {
  const store = dictAt(open, open.catalog, "DSS");
  const list = (key: string): readonly Uint8Array[] => {
    const array = store ? arrayAt(open, store, key) : undefined;
    return (array?.toArray() ?? []).flatMap((item) => {
      const stream = follow(open, item);
      return stream instanceof PdfStream ? [decodedData(stream, decodingBudget(open))] : [];
    });
  };
  return { certificates: list("Certs"), crls: list("CRLs"), ocsps: list("OCSPs") };
}

type Reader = (der: Uint8Array) => unknown;
/**
 * One kind under another's name proves nothing. Source: ISO 32000-2 §12.8.4.3, tables 261 and 262.
 */
const LISTS: Readonly<Record<string, Reader>> = {
  Certs: parseCertificate,
  CRLs: readCrl,
  OCSPs: readOcspResponse,
};
const ENTRY_LISTS: Readonly<Record<string, Reader>> = {
  Cert: parseCertificate,
  CRL: readCrl,
  OCSP: readOcspResponse,
};

/**
 * Nothing is gone, additions fit their list, and VRI entries name signatures of the file.
 * Source: EN 319 142-1 §5.4.2; ISO 32000-2 §12.8.4.3, §12.8.4.4.
 */
export async function storeOnlyGrew(before: OpenPdf, after: OpenPdf): Promise<boolean> {
  try {
    return await onlyGrew(before, after);
  } catch {
    return false;
  }
}

async function onlyGrew(before: OpenPdf, after: OpenPdf): Promise<boolean> {
  const [earlier, later] = [before, after].map((open) => follow(open, open.catalog.get("DSS")));
  if (earlier === undefined && later === undefined) return true;
  if (!isPlainDict(later) || !(earlier === undefined || isPlainDict(earlier))) return false;
  if (
    !isTyped(after, later, "DSS") ||
    !sameRest([before, earlier], [after, later], ["Type", "VRI", ...Object.keys(LISTS)])
  )
    return false;
  const grew = Object.entries(LISTS).every(([key, read]) =>
    listGrew([materialOf(before, earlier, key), materialOf(after, later, key)], read),
  );
  return grew && entriesGrew(before, after);
}

type Material = ReadonlyMap<string, PdfStream> | null;
const DENSEST = 128;
/** VRI entries name the same certificates again. */
const TEXTS = new WeakMap<PdfStream, string>();
const VERDICTS = new WeakMap<PdfStream, Map<Reader, boolean>>();

function listGrew([before, after]: readonly [Material, Material], read: Reader): boolean {
  if (!after) return false;
  const added = [...after].filter(([key]) => !before?.has(key));
  return (
    [...(before ?? [])].every(([key]) => after.has(key)) &&
    added.every(([, item]) => isReadable(item, read))
  );
}

function materialOf(open: OpenPdf, holder: PdfDict | undefined, key: string): Material {
  const list = follow(open, holder?.get(key));
  if (list === undefined) return new Map();
  const items =
    list instanceof PdfArray ? list.toArray().map((item) => follow(open, item)) : [undefined];
  if (!items.every((item) => item instanceof PdfStream)) return null;
  return new Map(items.map((item) => [textOf(item), item]));
}

function textOf(item: PdfStream): string {
  const text = TEXTS.get(item) ?? latinText(decoded(item));
  TEXTS.set(item, text);
  return text;
}

function decoded(stream: PdfStream): Uint8Array {
  return decodedData(stream, { left: DENSEST * stream.data.length + (1 << 16) });
}

function isReadable(item: PdfStream, read: Reader): boolean {
  const verdicts = VERDICTS.get(item) ?? new Map<Reader, boolean>();
  VERDICTS.set(item, verdicts);
  const verdict = verdicts.get(read) ?? reads(decoded(item), read);
  verdicts.set(read, verdict);
  return verdict;
}

function reads(der: Uint8Array, read: Reader): boolean {
  try {
    return read(der) !== null;
  } catch (error) {
    return unlessBug(error, false);
  }
}

function isPlainDict(value: PdfObject | undefined): value is PdfDict {
  return value instanceof PdfDict && !(value instanceof PdfStream);
}

const keysOf = (dict: PdfDict | undefined): string[] =>
  [...(dict?.keys() ?? [])].map(({ value }) => value);

function entriesOf(open: OpenPdf): PdfDict | undefined {
  const store = dictAt(open, open.catalog, "DSS");
  return store && dictAt(open, store, "VRI");
}

async function entriesGrew(before: OpenPdf, after: OpenPdf): Promise<boolean> {
  const [earlier, later] = [entriesOf(before), entriesOf(after)];
  const [old, now] = [keysOf(earlier), keysOf(later)];
  if (later instanceof PdfStream || old.some((key) => !later?.has(key))) return false;
  const grew = now.every((key) =>
    entryGrew(
      [before, earlier && dictAt(before, earlier, key)],
      [after, later && dictAt(after, later, key)],
    ),
  );
  const added = now.filter((key) => speaks([after, later], key) && !speaks([before, earlier], key));
  if (!grew || added.length === 0) return grew;
  const wanted = new Set(added.map((key) => key.toUpperCase()));
  const kinds = KEY_DIGESTS.filter(([length]) => added.some((key) => key.length === length));
  for (const bytes of keyedBytes(after)) {
    for (const [, name] of kinds) wanted.delete(toHex(await digest(name, bytes)).toUpperCase());
    if (wanted.size === 0) return true;
  }
  return false;
}

/** Tolerance: some producers use SHA-256. Source: ISO 32000-2 §12.8.4.3, table 261 (VRI): SHA-1. */
const KEY_DIGESTS = [
  [40, "SHA-1"],
  [64, "SHA-256"],
] as const;

/** Tolerance: Acrobat adds entries for nested signatures, with nothing but a time. */
const HEX_KEY = /^[0-9A-F]{40}$/;

type Entry = readonly [OpenPdf, PdfDict | undefined];

function speaks([open, entries]: Entry, key: string): boolean {
  const entry = entries && dictAt(open, entries, key);
  if (!entry?.has("TU") || !HEX_KEY.test(key)) return entry !== undefined;
  return !keysOf(entry).every((name) => name === "Type" || name === "TU");
}

function sameRest(
  [before, earlier]: Entry,
  [after, later]: readonly [OpenPdf, PdfDict],
  excluded: readonly string[],
): boolean {
  const rest = new Set(
    [...keysOf(earlier), ...keysOf(later)].filter((key) => !excluded.includes(key)),
  );
  return [...rest].every((key) => {
    const [left, right] = [earlier?.get(key), later.get(key)];
    if (!left || !right || writeObject(left) !== writeObject(right)) return false;
    const [old, now] = [follow(before, left), follow(after, right)];
    if (old instanceof PdfStream && now instanceof PdfStream) return textOf(old) === textOf(now);
    return old === undefined || now === undefined
      ? old === now
      : writeObject(old) === writeObject(now);
  });
}

function isTyped(open: OpenPdf, dict: PdfDict, type: string): boolean {
  return !dict.has("Type") || nameAt(open, dict, "Type") === type;
}

/** Source: ISO 32000-2 §12.8.4.4, table 262, TU and TS. */
function isTimed(open: OpenPdf, entry: PdfDict, keys: readonly string[]): boolean {
  const [time, stamp] = ["TU", "TS"].map((key) =>
    keys.includes(key) ? follow(open, entry.get(key)) : undefined,
  );
  const isDate = time === undefined || /^D:\d{4}/.test(textAt(open, entry, "TU") ?? "");
  return (
    isDate &&
    (stamp === undefined || (stamp instanceof PdfStream && isReadable(stamp, parseSignedData)))
  );
}

function entryGrew([before, earlier]: Entry, [after, later]: Entry): boolean {
  if (!isPlainDict(later) || !isTyped(after, later, "VRI")) return false;
  const timing = ["TU", "TS"].filter((key) => !earlier?.has(key));
  if (
    !sameRest([before, earlier], [after, later], ["Type", ...timing, ...Object.keys(ENTRY_LISTS)])
  )
    return false;
  if (!isTimed(after, later, timing)) return false;
  return Object.entries(ENTRY_LISTS).every(([key, read]) =>
    listGrew([materialOf(before, earlier, key), materialOf(after, later, key)], read),
  );
}

/**
 * Signature values, nested ones, their time-stamps, an entry's own, and (ISO 32000-2 §12.8.4.4) the
 * revocation data's signatures.
 */
function* keyedBytes(open: OpenPdf): Generator<Uint8Array> {
  for (const { value } of signedFields(open)) {
    const contents = follow(open, value.get("Contents"));
    if (contents instanceof PdfString) yield* [contents.bytes, ...partsOf(contents.bytes)];
  }
  const entries = entriesOf(open);
  // A hundred thousand entries may name one.
  const stamps = new Set(
    keysOf(entries).map((key) => follow(open, (entries && dictAt(open, entries, key))?.get("TS"))),
  );
  for (const stamp of stamps) if (stamp instanceof PdfStream) yield decoded(stamp);
  const { crls, ocsps } = readSecurityStore(open);
  const pool = revocationPool(crls, ocsps);
  for (const { signature } of [...pool.crls, ...pool.ocsps])
    yield* [signature, octetString(signature)];
}

function partsOf(contents: Uint8Array): Uint8Array[] {
  try {
    const tokens =
      parseSignedData(contents, "allowed").unsignedAttributes.get(OID.signatureTimestamp) ?? [];
    return [readElement(contents).bytes, ...tokens.map(({ bytes }) => bytes)];
  } catch (error) {
    return unlessBug(error, []);
  }
}
