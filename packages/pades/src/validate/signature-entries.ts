import { PdfDict, PdfString, PdfArray } from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, numberAt } from "../pdf/open-pdf.ts";
import { isTimestamp } from "./form-defaults.ts";
import { eachDict } from "../pdf/walk-objects.ts";
import { formFields, signedFields } from "../pdf/form-fields.ts";
import { paints } from "./signature-looks.ts";

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

const SIGNATURE_TYPES = new Set(["Sig", "DocTimeStamp"]);
/** Above the depth of `formFields`. */
const MAX_DEPTH = 100;

/**
 * Some readers show a signature outside the form's fields, which nobody validates. Usage rights
 * stand in the catalog alone.
 * Errors: PadesError `pdf_too_complex`.
 * Source: ISO 32000-2 §12.7.3, §12.8.1, table 255; ISO 32000-1 §12.8.4, table 258 (UR, UR3).
 */
export function hasUnlistedSignature(open: OpenPdf): boolean {
  const permissions = dictAt(open, open.catalog, "Perms");
  const rights = permissions ? ["UR", "UR3"].map((key) => dictAt(open, permissions, key)) : [];
  const known = new Set<PdfDict | undefined>([
    ...signedFields(open).map(({ value }) => value),
    ...rights,
  ]);
  const listed = listedWidgets(open);
  for (const dict of eachDict(open)) {
    if (!known.has(dict) && isSignature(open, dict)) return true;
    if (!listed.has(dict) && isShownSignatureField(open, dict)) return true;
  }
  return false;
}

/** Type is optional, and a forger may omit the range. */
function isSignature(open: OpenPdf, dict: PdfDict): boolean {
  if (dict.has("ByteRange") && follow(open, dict.get("ByteRange")) instanceof PdfArray) return true;
  if (SIGNATURE_TYPES.has(nameAt(open, dict, "Type") ?? "")) return true;
  return (
    nameAt(open, dict, "SubFilter") !== undefined &&
    follow(open, dict.get("Contents")) instanceof PdfString
  );
}

/** An empty unlisted field is a mere frame. */
function isShownSignatureField(open: OpenPdf, dict: PdfDict): boolean {
  if (nameAt(open, dict, "Subtype") !== "Widget" || inheritedType(open, dict) !== "Sig")
    return false;
  return dictAt(open, dict, "V") !== undefined || paints(open, dict);
}

/** Source: ISO 32000-2 §12.7.4.1, table 226. */
function inheritedType(open: OpenPdf, widget: PdfDict): string | undefined {
  let dict: PdfDict | undefined = widget;
  for (let depth = 0; dict && depth < MAX_DEPTH; depth += 1) {
    const type = nameAt(open, dict, "FT");
    if (type !== undefined) return type;
    dict = dictAt(open, dict, "Parent");
  }
  return undefined;
}

function listedWidgets(open: OpenPdf): ReadonlySet<unknown> {
  return new Set(
    formFields(open).flatMap(({ dict }) => [
      dict,
      ...(arrayAt(open, dict, "Kids")?.toArray() ?? []).map((kid) => follow(open, kid)),
    ]),
  );
}
