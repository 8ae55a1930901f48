import { type PdfArray, PdfDict, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { toHex } from "../asn1/der-reader.ts";
import { OID } from "../asn1/oids.ts";
import { type SignedData, findSigningCertificate, parseSignedData } from "../cms/signed-data.ts";
import { digest } from "../cryptography.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { formFields, signedFields } from "../pdf/form-fields.ts";
import { type IncrementalUpdate, beginUpdate } from "../pdf/incremental-update.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  openPdf,
  requireIncremental,
} from "../pdf/open-pdf.ts";
import type { PreparedSignature } from "../pdf/types.ts";
import { freeNumbers } from "../pdf/walk-objects.ts";
import { writeObject, writeText } from "../pdf/write-object.ts";
import type { Sha256 } from "../ports.ts";
import { buildChain, certificatePool } from "../validate/revocation.ts";
import { readSecurityStore } from "../validate/security-store.ts";
import type { Evidence } from "../validate/types.ts";
import { formReference, withEntries } from "./prepare-fields.ts";
import { sealRevision, timestampDictionary } from "./prepare-signature.ts";

const DEFAULT_RESERVE_BYTES = 4_096;

export type DocumentTimestampOptions = {
  readonly longTermData?: LongTermData;
  readonly reserveBytes?: number;
  readonly sha256?: Sha256;
};

/**
 * Prepares a document time-stamp with its security store (level B-LTA; repeating it renews).
 * Shape: `completeSignature(prepared, token)` takes a token over `digestSha256`.
 * Errors: `pdf_encrypted`, `pdf_damaged`.
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
 * Merges the security store with the file's own; gives its object number.
 * Shape: a VRI entry's key is the upper-case SHA-1 of the whole Contents string, padding included.
 * Source: EN 319 142-1 §5.4.2.2, §5.4.2.3; ISO 32000-2 §12.8.4.3, §12.8.4.4.
 */
async function putSecurityStore(
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
  // Two fields with the same value have one key.
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
    seen.add(latinText(decodedData(stream, decodingBudget(open))));
  }
  for (const der of added) {
    const key = latinText(der);
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

/** Chains' certificates, and those that need a revocation status. DER. */
export type LongTermNeeds = {
  readonly certificates: readonly Uint8Array[];
  readonly revocations: readonly {
    readonly certificate: Uint8Array;
    readonly issuer: Uint8Array;
  }[];
};

/**
 * Lists what long-term validation of signatures and time-stamps needs; nothing is fetched.
 * Shape: roots, and certificates with ocsp-nocheck, need no revocation data (RFC 6960 §4.2.2.2.1).
 * Source: EN 319 142-1 §5.4.2.
 */
export async function longTermNeeds(
  bytes: Uint8Array,
  known: Pick<Evidence, "trustAnchors" | "certificates">,
): Promise<LongTermNeeds> {
  const open = await openPdf(bytes);
  const signed = signedFields(open).flatMap(({ value }) => {
    const contents = follow(open, value.get("Contents"));
    return contents instanceof PdfString
      ? withTimestamps(parseSignedData(contents.bytes, "allowed"))
      : [];
  });
  const carried = [
    ...signed.flatMap(({ certificates }) => certificates),
    ...(known.certificates ?? []),
    ...readSecurityStore(open).certificates,
  ];
  const pool = certificatePool(
    [...known.trustAnchors.signers, ...known.trustAnchors.timestamps],
    carried,
  );
  const certificates = new Map<string, Uint8Array>();
  const revocations = new Map<string, LongTermNeeds["revocations"][number]>();
  for (const item of signed) {
    const leaf = await findSigningCertificate(item, carried);
    const chain = leaf ? await buildChain(leaf, pool) : null;
    for (const [index, certificate] of (chain ?? []).entries()) {
      certificates.set(latinText(certificate.der), certificate.der);
      const issuer = chain?.[index + 1];
      if (issuer && !certificate.ocspNoCheck)
        revocations.set(latinText(certificate.der), {
          certificate: certificate.der,
          issuer: issuer.der,
        });
    }
  }
  return { certificates: [...certificates.values()], revocations: [...revocations.values()] };
}

function withTimestamps(signed: SignedData): SignedData[] {
  const tokens = signed.unsignedAttributes.get(OID.signatureTimestamp) ?? [];
  return [signed, ...tokens.map((token) => parseSignedData(token.bytes, "allowed"))];
}
