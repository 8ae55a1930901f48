import type { PdfDict } from "@libpdf/core";
import { nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { isTimestamp } from "./form-defaults.ts";

/** Source: ISO 32000-2 §12.8.1, table 255; §12.8.3.1, table 260. */
const KINDS: ReadonlySet<string> = new Set([
  "ETSI.CAdES.detached",
  "adbe.pkcs7.detached",
  "adbe.pkcs7.sha1",
  "adbe.x509.rsa_sha1",
  "ETSI.RFC3161",
]);

/** Whether a signature's `/SubFilter` can be validated. */
export function isKnownKind(open: OpenPdf, value: PdfDict): boolean {
  return KINDS.has(nameAt(open, value, "SubFilter") ?? "");
}

/** Whether `/Type` agrees with `/SubFilter`. */
export type Naming = "right" | "unclear" | "wrong";

/**
 * A time-stamp that certifies or locks would speak for nobody; one that calls itself a signature
 * proves no time, as it could pass for its signer's.
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
