import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNull,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import { toHex } from "../asn1/hex.ts";
import { PadesError } from "../pades-error.ts";
import { formFields } from "../pdf/form-fields.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { looksLikeStructure } from "../validate/read-updates.ts";

/**
 * Whether stream data or a string contains what a rebuilding reader takes for an object: it would
 * show another text. Compressed data does not; an uncompressed object stream shows what its objects
 * hold.
 * Source: ISO 32000-2 §7.3.8, §7.5.4.
 */
export function holdsLookalikes(open: OpenPdf): boolean {
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
 * Refuses streams as catalog, form, page, field or annotation: their data may be what another
 * object shows, and nobody would check it.
 * Errors: PadesError `pdf_damaged`.
 * Source: ISO 32000-2 §7.7.2, §7.7.3, §12.5.2, §12.7.3, §12.7.4: all are dictionaries.
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
export function holdsOtherCatalog(open: OpenPdf): boolean {
  for (const [number, entry] of open.entries) {
    if (entry.kind === "free" || number === open.catalogRef.objectNumber) continue;
    const object = open.pdf.context.resolve(
      PdfRef.of(number, entry.kind === "plain" ? entry.generation : 0),
    );
    if (object instanceof PdfDict && nameAt(open, object, "Type") === "Catalog") return true;
  }
  return false;
}
