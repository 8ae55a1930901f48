import { type PdfArray, PdfDict, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { toHex } from "../asn1/hex.ts";
import { digest } from "../cryptography/cryptography.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { signedFields } from "../pdf/form-fields.ts";
import type { IncrementalUpdate } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeObject } from "../pdf/write-object.ts";

/** Material for later validation, DER. */
export type LongTermData = {
  readonly certificates: readonly Uint8Array[];
  readonly ocsps: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
};

const LISTS = [
  ["Certs", "Cert", "certificates"],
  ["OCSPs", "OCSP", "ocsps"],
  ["CRLs", "CRL", "crls"],
] as const;

/**
 * Writes the document security store, merged with the file's own; returns its object number.
 * Shape: a VRI entry for each signature, keyed by the upper-case SHA-1 of its whole Contents
 * string, padding included.
 * Source: EN 319 142-1 §5.4.2.2, §5.4.2.3; ISO 32000-2 §12.8.4.3, §12.8.4.4.
 */
export async function putSecurityStore(
  open: OpenPdf,
  update: IncrementalUpdate,
  data: LongTermData,
): Promise<number> {
  const store = dictAt(open, open.catalog, "DSS") ?? new PdfDict();
  const lists: string[] = [];
  const entries: string[] = [];
  for (const [key, single, field] of LISTS) {
    const references = await mergedReferences(open, update, {
      listed: arrayAt(open, store, key),
      added: data[field],
    });
    if (references.length === 0) continue;
    lists.push(`/${key}[${references.join(" ")}]`);
    entries.push(`/${single}[${references.join(" ")}]`);
  }
  const known = dictAt(open, store, "VRI") ?? new PdfDict();
  const kept = [...known].map(([key, value]) => `${writeObject(key)} ${writeObject(value)}`);
  const added: string[] = [];
  // Two fields may share a value.
  for (const key of new Set(await validationKeys(open)))
    if (!known.has(key)) added.push(`/${key}<<${entries.join("")}>>`);
  const number = update.allocate();
  update.put(number, `<</Type/DSS${lists.join("")}/VRI<<${[...kept, ...added].join(" ")}>>>>`);
  return number;
}

type Merge = { readonly listed: PdfArray | undefined; readonly added: readonly Uint8Array[] };

async function mergedReferences(
  open: OpenPdf,
  update: IncrementalUpdate,
  { listed, added }: Merge,
): Promise<string[]> {
  const references: string[] = [];
  const seen = new Set<string>();
  for (const item of listed?.toArray() ?? []) {
    const stream = follow(open, item);
    if (!(item instanceof PdfRef) || !(stream instanceof PdfStream)) continue;
    references.push(writeObject(item));
    seen.add(toHex(decodedData(stream, decodingBudget(open))));
  }
  for (const der of added) {
    const key = toHex(der);
    if (seen.has(key)) continue;
    seen.add(key);
    const number = update.allocate();
    await update.putStream(number, "", der);
    references.push(`${number} 0 R`);
  }
  return references;
}

async function validationKeys(open: OpenPdf): Promise<string[]> {
  const keys: string[] = [];
  for (const { value } of signedFields(open)) {
    const contents = follow(open, value.get("Contents"));
    if (!(contents instanceof PdfString)) continue;
    keys.push(toHex(await digest("SHA-1", contents.bytes)).toUpperCase());
  }
  return keys;
}
