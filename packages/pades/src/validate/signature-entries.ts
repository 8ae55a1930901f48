import { PdfDict, PdfString, PdfArray, PdfNumber, type PdfObject } from "@libpdf/core";
import { equalBytes, hexDigit } from "../asn1/der-reader.ts";
import { type OpenPdf, arrayAt, dictAt, follow, nameAt, numberAt } from "../pdf/open-pdf.ts";
import { isTimestamp } from "./form-defaults.ts";
import { eachDict } from "../pdf/walk-objects.ts";
import { formFields, signedFields } from "../pdf/form-fields.ts";
import { paints } from "./signature-looks.ts";
import { PadesError } from "../pades-error.ts";

export type Coverage = {
  readonly problem: string | null;
  readonly covered: readonly [Uint8Array, Uint8Array] | null;
  readonly contents: Uint8Array;
  readonly revisionLength: number;
  readonly coverage: "whole_file" | "whole_revision" | "partial";
};

/** The file's history and the page cover ask too. */
const COVERAGES = new WeakMap<OpenPdf, Map<PdfDict, Coverage>>();

/**
 * A range begins at 0, leaves out this signature's own `/Contents` alone, and ends at a revision's
 * end. Both are direct objects, so every reader finds the same.
 * Source: ISO 32000-2 §12.8.1, table 255; the attacks USF, ISA and SWA of Mladenov et al., "1
 * Trillion Dollar Refund".
 */
export function checkByteRange(open: OpenPdf, signature: PdfDict): Coverage {
  const known = COVERAGES.get(open) ?? new Map<PdfDict, Coverage>();
  COVERAGES.set(open, known);
  const coverage = known.get(signature) ?? readCoverage(open, signature);
  known.set(signature, coverage);
  return coverage;
}

function readCoverage(open: OpenPdf, signature: PdfDict): Coverage {
  const contents = signature.get("Contents");
  const value = contents instanceof PdfString ? contents.bytes : new Uint8Array();
  const refuse = (problem: string, revisionLength = 0): Coverage => ({
    problem,
    covered: null,
    contents: value,
    revisionLength,
    coverage: "partial",
  });
  const range = numbersOf(signature.get("ByteRange"));
  if (range?.length !== 4) return refuse("four whole numbers were expected");
  const [start, length, restart, rest] = range as [number, number, number, number];
  const end = restart + rest;
  if (start !== 0 || length <= 0 || restart <= length || rest <= 0 || end > open.bytes.length)
    return refuse("the numbers do not span the file");
  const gap = open.bytes.subarray(length, restart);
  if (!sameAsHex(gap, value))
    return refuse("what is left out is not this signature's value as one hexadecimal string", end);
  if (!endsRevision(open.bytes.subarray(0, end)))
    return refuse("the range does not end with a revision", end);
  return {
    problem: null,
    covered: [open.bytes.subarray(0, length), open.bytes.subarray(restart, end)],
    contents: value,
    revisionLength: end,
    coverage: end === open.bytes.length ? "whole_file" : "whole_revision",
  };
}

function numbersOf(array: PdfObject | undefined): number[] | null {
  if (!(array instanceof PdfArray)) return null;
  const numbers = array
    .toArray()
    .map((item) =>
      item instanceof PdfNumber && Number.isSafeInteger(item.value) && item.value >= 0
        ? item.value
        : Number.NaN,
    );
  return numbers.every(Number.isFinite) ? numbers : null;
}

function sameAsHex(gap: Uint8Array, value: Uint8Array): boolean {
  if (
    value.length === 0 ||
    value.length * 2 !== gap.length - 2 ||
    gap[0] !== 0x3c ||
    gap.at(-1) !== 0x3e
  )
    return false;
  for (let index = 0; index < value.length; index += 1) {
    const high = hexDigit(gap[1 + index * 2]);
    const low = hexDigit(gap[2 + index * 2]);
    if (high < 0 || low < 0 || high * 16 + low !== value[index]) return false;
  }
  return true;
}

/** At most one end of line may follow `startxref n %%EOF`. */
export function endsRevision(bytes: Uint8Array): boolean {
  const tail = new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, bytes.length - 64)));
  return /startxref\s+\d+\s+%%EOF(?:\r\n|\r|\n)?$/.test(tail);
}

const MAX_SIGNATURES = 1_000;
const MAX_HASHED_BYTES = 2 ** 31;

/** Each range is hashed, and may be the whole file. Errors: `pdf_too_complex`. */
export function requireBearableSignatures(open: OpenPdf, count: number): void {
  if (count > MAX_SIGNATURES || count * open.bytes.length > MAX_HASHED_BYTES)
    throw new PadesError("pdf_too_complex", "Expected a bearable number of signatures");
}

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
const MAX_DEPTH = 100;

/**
 * Some readers show a signature outside the form's fields, which nobody validates. Usage rights
 * stand in the catalog alone.
 * Errors: `pdf_too_complex`.
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
