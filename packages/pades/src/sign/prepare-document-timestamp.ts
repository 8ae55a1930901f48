import { PdfDict } from "@libpdf/core";
import { formFields } from "../pdf/form-fields.ts";
import { freeNumbers } from "../pdf/free-numbers.ts";
import { beginUpdate, type IncrementalUpdate } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, type OpenPdf, openPdf, requireIncremental } from "../pdf/open-pdf.ts";
import type { PreparedSignature } from "../pdf/types.ts";
import { writeObject, writeText } from "../pdf/write-object.ts";
import type { Sha256 } from "../ports.ts";
import { formReference, withEntries } from "./prepare-fields.ts";
import { type LongTermData, putSecurityStore } from "./security-store.ts";
import { sealRevision, timestampDictionary } from "./signature-dictionary.ts";

const DEFAULT_RESERVE_BYTES = 4_096;

export type DocumentTimestampOptions = {
  /** Added to the security store in the same revision. */
  readonly longTermData?: LongTermData;
  /** Room for the token, in bytes; 4 096 by default. */
  readonly reserveBytes?: number;
  /** WebCrypto by default. */
  readonly sha256?: Sha256;
};

/**
 * Prepares a document time-stamp with its security store, in one revision (level B-LTA; repeating
 * it renews).
 * Shape: `completeSignature(prepared, token)` completes it, with a token over `digestSha256`.
 * Errors: PadesError `pdf_encrypted`, `pdf_damaged`.
 * Source: EN 319 142-1 §5.4.3; ISO 32000-2 §12.8.5.
 */
export async function prepareDocumentTimestamp(
  bytes: Uint8Array,
  options: DocumentTimestampOptions = {},
): Promise<PreparedSignature> {
  const open = await openPdf(bytes);
  requireIncremental(open);
  const update = beginUpdate(open, { from: freeNumbers(open).from });
  const store = options.longTermData
    ? await putSecurityStore(open, update, options.longTermData)
    : null;
  const [field, value] = [update.allocate(), update.allocate()];
  const page = open.pdf.context.pages.getPage(0);
  const appearsOn = page ? `/P ${writeObject(page)}` : "";
  update.put(
    field,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T${writeText(freeName(open))}/TU${writeText("Horodatage du document")}/Rect[0 0 0 0]${appearsOn}/F 132/V ${value} 0 R>>`,
  );
  const reserve = options.reserveBytes ?? DEFAULT_RESERVE_BYTES;
  update.put(value, timestampDictionary(reserve));
  putFormAndCatalog(open, update, { field, store });
  const { bytes: whole, offsets } = update.finish();
  return sealRevision(whole, {
    objectOffset: offsets.get(value) ?? 0,
    reserve,
    sha256: options.sha256,
  });
}

/** Adds the security store alone (level B-LT). Source: EN 319 142-1 §5.4.2. */
export async function addSecurityStore(bytes: Uint8Array, data: LongTermData): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  requireIncremental(open);
  const update = beginUpdate(open, { from: freeNumbers(open).from });
  const store = await putSecurityStore(open, update, data);
  update.put(
    open.catalogRef.objectNumber,
    withEntries(open.catalog, { DSS: `${store} 0 R` }),
    open.catalogRef.generation,
  );
  return update.finish().bytes;
}

function freeName(open: OpenPdf): string {
  const names = new Set(formFields(open).map(({ name }) => name));
  let number = 1;
  while (names.has(`horodatage_${number}`)) number += 1;
  return `horodatage_${number}`;
}

function putFormAndCatalog(
  open: OpenPdf,
  update: IncrementalUpdate,
  { field, store }: { field: number; store: number | null },
): void {
  const listed = formReference(open);
  const form = dictAt(open, open.catalog, "AcroForm") ?? new PdfDict();
  const fields = arrayAt(open, form, "Fields")?.toArray().map(writeObject) ?? [];
  const syntax = withEntries(form, {
    Fields: `[${[...fields, `${field} 0 R`].join(" ")}]`,
    SigFlags: "3",
  });
  const entries: Record<string, string> = store === null ? {} : { DSS: `${store} 0 R` };
  if (listed) update.put(listed.objectNumber, syntax, listed.generation);
  else entries.AcroForm = syntax;
  if (Object.keys(entries).length > 0)
    update.put(
      open.catalogRef.objectNumber,
      withEntries(open.catalog, entries),
      open.catalogRef.generation,
    );
}
