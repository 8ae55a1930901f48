import { PdfDict, PdfString } from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, numberAt } from "../pdf/open-pdf.ts";
import { isTimestamp } from "./form-defaults.ts";

/** Source: ISO 32000-2 §12.8.1, table 255; §12.8.3.1, table 260. */
const KINDS: ReadonlySet<string> = new Set([
  "ETSI.CAdES.detached",
  "adbe.pkcs7.detached",
  "adbe.pkcs7.sha1",
  "adbe.x509.rsa_sha1",
  "ETSI.RFC3161",
]);

export function isKnownKind(open: OpenPdf, value: PdfDict): boolean {
  return KINDS.has(nameAt(open, value, "SubFilter") ?? "");
}

type Naming = "right" | "unclear" | "wrong";

/**
 * A time-stamp that certifies or locks would speak for nobody; one that calls itself a signature
 * could pass for its signer's.
 * Tolerance: iText 5 calls time-stamps signatures. DSS ignores those: nothing shows them broken.
 * Source: EN 319 142-1 §5.4.3, ISO 32000-2 §12.8.1, table 255, §12.8.5.
 */
export function namingOf(open: OpenPdf, value: PdfDict): Naming {
  const type = nameAt(open, value, "Type");
  const expected = isTimestamp(open, value) ? "DocTimeStamp" : "Sig";
  if (expected === "DocTimeStamp" && value.has("Reference")) return "wrong";
  if ((type ?? expected) === expected) return "right";
  return type === "Sig" ? "unclear" : "wrong";
}

/** `isCertified`: the catalog names it; only then does it allow unsigned changes. */
export type Locks = {
  readonly fields: ((name: string) => boolean) | null;
  readonly certification: number | null;
  readonly isCertified: boolean;
};

const LEVELS: ReadonlySet<number> = new Set([1, 2, 3]);

/** Of several or unknown certifications the strictest. Source: ISO 32000-2 §12.8.2.4, §12.8.2.2. */
export function locksOf(open: OpenPdf, signature: PdfDict): Locks {
  let certification: number | null = null;
  const tests: ((name: string) => boolean)[] = [];
  for (const item of arrayAt(open, signature, "Reference")?.toArray() ?? []) {
    const reference = follow(open, item);
    if (!(reference instanceof PdfDict)) continue;
    const parameters = dictAt(open, reference, "TransformParams") ?? new PdfDict();
    const method = nameAt(open, reference, "TransformMethod");
    if (method === "DocMDP") {
      const level = numberAt(open, parameters, "P") ?? 2;
      certification = Math.min(LEVELS.has(level) ? level : 1, certification ?? 3);
    }
    if (method === "FieldMDP") tests.push(fieldTest(open, parameters));
  }
  const fields = tests.length > 0 ? (name: string) => tests.some((test) => test(name)) : null;
  return {
    certification,
    fields,
    isCertified: certification !== null && isNamedByCatalog(open, signature),
  };
}

/** Source: ISO 32000-2 §12.8.6, table 263. */
function isNamedByCatalog(open: OpenPdf, signature: PdfDict): boolean {
  const permissions = dictAt(open, open.catalog, "Perms");
  const named = permissions && follow(open, dictAt(open, permissions, "DocMDP")?.get("Contents"));
  const own = follow(open, signature.get("Contents"));
  return (
    named instanceof PdfString && own instanceof PdfString && equalBytes(named.bytes, own.bytes)
  );
}

function fieldTest(open: OpenPdf, parameters: PdfDict): (name: string) => boolean {
  const action = nameAt(open, parameters, "Action");
  const names = (arrayAt(open, parameters, "Fields")?.toArray() ?? []).flatMap((item) => {
    const name = follow(open, item);
    return name?.type === "string" ? [name.asString()] : [];
  });
  const listed = (name: string): boolean =>
    names.some((lock) => name === lock || name.startsWith(`${lock}.`));
  if (action === "All") return () => true;
  return action === "Exclude" ? (name) => !listed(name) : listed;
}
