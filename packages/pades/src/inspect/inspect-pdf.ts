import { PdfBool, PdfDict, PdfNumber, PdfStream } from "@libpdf/core";
import { digestOf } from "../cryptography.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { requireBearableNesting } from "../pdf/byte-reader.ts";
import { requireBearableSize } from "../pdf/deflate.ts";
import { certificationLevel, formFields, signedFields } from "../pdf/form-fields.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  openPdf,
  textAt,
} from "../pdf/open-pdf.ts";
import { type Box, type Page, displayedGeometry, placeOf, readPage } from "../pdf/page-geometry.ts";
import type { Finding, FindingCode, FormPlace, PdfInspection, TakenPlace } from "../pdf/types.ts";
import { writeObject } from "../pdf/write-object.ts";
import { refuseOwnFields } from "../sign/prepare-fields.ts";
import { isStrictRevision, refuseUnsure } from "../strict/strict-revision.ts";
import { verifyTimestampToken } from "../tsp/timestamp.ts";
import {
  checkByteRange,
  requireBearableSignatures,
  isKnownKind,
  namingOf,
  hasUnlistedSignature,
} from "../validate/signature-entries.ts";
import { checkValue } from "../validate/check-cms.ts";
import { isTimestamp } from "../validate/form-defaults.ts";
import { changesAfter, coverSinceFirst, isAllowed } from "../validate/later-changes.ts";
import { activeContent, isRemoved } from "./active-content.ts";
import {
  coveringAnnotations,
  refuseUndrawn,
  requireBearableAnnotations,
} from "./flatten-annotations.ts";
import { readLayers } from "./flatten-layers.ts";
import { unsettledFields } from "./form-values.ts";
import {
  hasLookalikes,
  hasOtherCatalog,
  hasTwoReadings,
  misledPages,
  readerDependent,
  refuseCircularTrees,
  refuseDisguisedStreams,
} from "./reader-dependent.ts";

/** Hidden and NoView. Source: ISO 32000-2 §12.5.3, table 167. */
const NOT_SHOWN = 2 | 32;
const MAX_PLACES = 500;
/** Pages may share one long list. */
const MAX_FORM_PLACES = 2_000;
const MAX_LOOKED_AT = 20_000;

/**
 * A signature placed over one hides it, and validators complain.
 * Source: ISO 32000-2 §12.5.2, §12.5.6.19 (widgets).
 */
function takenPlaces(open: OpenPdf, page: Page): readonly TakenPlace[] {
  const widgets: TakenPlace[] = [];
  const others: TakenPlace[] = [];
  for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
    const annotation = follow(open, item);
    if (!(annotation instanceof PdfDict) || !isShown(open, annotation)) continue;
    const box = rectangleOf(open, annotation);
    if (box === null) continue;
    const isWidget = nameAt(open, annotation, "Subtype") === "Widget";
    if (isWidget && widgets.length < MAX_PLACES) widgets.push(placeOf(page, box));
    if (!isWidget && others.length < MAX_PLACES)
      others.push({ ...placeOf(page, box), coverable: true });
  }
  return [...widgets, ...others];
}

/** Source: ISO 32000-2 §12.5.6.19. */
function formPlaces(open: OpenPdf, pages: readonly Page[]): readonly FormPlace[] {
  const places: FormPlace[] = [];
  let lookedAt = 0;
  for (const [index, page] of pages.entries())
    for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
      if (places.length === MAX_FORM_PLACES || ++lookedAt > MAX_LOOKED_AT) return places;
      const annotation = follow(open, item);
      if (
        !(annotation instanceof PdfDict) ||
        nameAt(open, annotation, "Subtype") !== "Widget" ||
        !isShown(open, annotation)
      )
        continue;
      const box = rectangleOf(open, annotation);
      if (box !== null) places.push({ pageNumber: index + 1, ...placeOf(page, box) });
    }
  return places;
}

function isShown(open: OpenPdf, annotation: PdfDict): boolean {
  return ((numberAt(open, annotation, "F") ?? 0) & NOT_SHOWN) === 0;
}

export function rectangleOf(open: OpenPdf, annotation: PdfDict): Box | null {
  const numbers = (arrayAt(open, annotation, "Rect")?.toArray() ?? []).map((value) => {
    const number = follow(open, value);
    return number instanceof PdfNumber ? number.value : Number.NaN;
  });
  const [a, b, c, d] = numbers as [number, number, number, number];
  if (numbers.length !== 4 || !numbers.every(Number.isFinite) || a === c || b === d) return null;
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

const MAX_PAGES = 2_000;

/**
 * Inspects an upload: may it be signed, and what should people know of it?
 * Shape: a `fixable` file goes through `normalisePdf` first. Units: displayed points.
 * Errors: PadesError with the problem's code for what cannot be signed; `pdf_of_this_envelope` for
 * fields of `namePrefix`.
 */
export async function inspectPdf(bytes: Uint8Array, namePrefix?: string): Promise<PdfInspection> {
  return (await examinePdf(bytes, namePrefix)).inspection;
}

export async function examinePdf(
  bytes: Uint8Array,
  namePrefix?: string,
): Promise<{ readonly open: OpenPdf; readonly inspection: PdfInspection }> {
  requireBearableNesting(new TextDecoder("latin1").decode(bytes));
  await requireBearableSize(bytes);
  const open = await openPdf(bytes);
  if (namePrefix !== undefined)
    await refusingUnreadable(async () => refuseOwnFields(open, namePrefix));
  return { open, inspection: await refusingUnreadable(() => inspectOpen(open)) };
}

/** Parser errors while it resolves objects are the file's fault. */
export async function refusingUnreadable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof PadesError) throw cause;
    if (cause instanceof RangeError)
      throw new PadesError("pdf_too_complex", "Expected a bearable structure", { cause });
    throw new PadesError("pdf_damaged", "Expected readable objects", { cause });
  }
}

async function inspectOpen(open: OpenPdf): Promise<PdfInspection> {
  if (!hasEnd(open.bytes))
    throw new PadesError("pdf_damaged", "Expected %%EOF near the end", {
      clause: "ISO 32000-2 §7.5.5",
    });
  const pageCount = checkPages(open);
  const signatures = signedFields(open);
  if (certificationLevel(open) === 1)
    throw new PadesError("pdf_signing_forbidden", "Expected a certification that allows signing");
  if (isDynamicXfa(open))
    throw new PadesError("pdf_dynamic_xfa", "Expected a form with AcroForm fields");
  if (open.blocker !== null) refuseSignedAndBroken(open, signatures.length);
  refuseCircularTrees(open);
  requireBearableAnnotations(open);
  refuseDisguisedStreams(open);
  const isStrict = open.blocker !== null || isStrictRevision(open);
  if (!isStrict) {
    refuseSignedAndBroken(open, signatures.length);
    refuseUnsure(open);
  }
  const carried = signatures.length > 0 ? await validateCarried(open, signatures) : [];
  if (carried === null)
    throw new PadesError("pdf_invalid_signatures", "Expected earlier signatures to be whole");
  if (carried === "unsure")
    throw new PadesError(
      "pdf_unverifiable_signatures",
      "Expected signatures that can be read, and changes that they allow",
    );
  if (hasUnlistedSignature(open))
    throw new PadesError(
      "pdf_unverifiable_signatures",
      "Expected each signature to be a field's value",
    );
  if (signatures.length === 0) refuseUndrawn(open);
  const pages = open.pdf.context.pages.getPages().map((ref) => readPage(open, ref));
  const findings = findingsOf(open, { signatures, carried, isStrict });
  // A corrected copy would lose the signatures.
  const isFixable =
    open.blocker !== null ||
    (signatures.length === 0 && findings.some(({ code }) => isRemoved(code)));
  return {
    pageCount,
    pages: pages.map(displayedGeometry),
    takenOnLastPage: takenPlaces(open, pages.at(-1) as Page),
    formPlaces: formPlaces(open, pages),
    covered: await coveredPages(open, signatures.length),
    signatureCount: signatures.length,
    canUpdateIncrementally: open.blocker === null,
    result: isFixable ? "fixable" : "ok",
    findings,
  };
}

async function coveredPages(
  open: OpenPdf,
  signatureCount: number,
): Promise<PdfInspection["covered"]> {
  if (signatureCount === 0) return [];
  const covers = await coverSinceFirst(open);
  return open.pdf.context.pages.getPages().flatMap((ref, index) => {
    const cover = covers.get(writeObject(ref));
    return cover && cover.added + cover.filled > 0 ? [{ pageNumber: index + 1, ...cover }] : [];
  });
}

type Signatures = ReturnType<typeof signedFields>;

type Judged = {
  readonly signatures: Signatures;
  readonly carried: readonly CarriedState[];
  readonly isStrict: boolean;
};

function findingsOf(open: OpenPdf, { signatures, carried, isStrict }: Judged): readonly Finding[] {
  const { counts, executableAttachments } = activeContent(open);
  if (executableAttachments > 0)
    throw new PadesError("pdf_dangerous_attachment", "Expected no programs among the attachments");
  const found = new Map<FindingCode, number>(counts);
  const hiding =
    readLayers(open).count + coveringAnnotations(open) + (found.get("hidden_layers") ?? 0);
  if (hiding > 0) found.set("hidden_layers", hiding);
  const differing = readerDependent(open) + (found.get("reader_dependent") ?? 0);
  if (differing > 0) found.set("reader_dependent", differing);
  const unsettled = unsettledFields(open);
  if (unsettled > 0) found.set("form_values", unsettled);
  const findings: Finding[] = [...found].map(([code, count]) => ({ code, count }));
  const add = (code: FindingCode, count?: number): void =>
    void findings.push(count === undefined ? { code } : { code, count });
  if (open.blocker === "encrypted") add("encryption_removed");
  if (open.blocker === "broken_xref") {
    if (!startsWithHeader(open.bytes)) add("leading_bytes");
    else if (!found.has("structure_rebuilt")) add("structure_rebuilt");
  } else if (
    open.blocker === null &&
    !found.has("structure_rebuilt") &&
    (!isStrict ||
      misledPages(open) > 0 ||
      hasOtherCatalog(open) ||
      hasLookalikes(open) ||
      hasTwoReadings(open))
  )
    add("structure_rebuilt");
  for (const { code, count } of earlierSignatures(open, signatures, carried))
    if (count > 0) add(code, count);
  if (certificationLevel(open) !== null) add("certified");
  if (formFields(open).some(({ type }) => type !== "Sig")) add("existing_form");
  if (hasXfa(open)) add("static_xfa");
  return findings;
}

function startsWithHeader(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 5)) === "%PDF-";
}

const END_BYTES = 2_048;

/** A truncated file has no `%%EOF` near the end, before comments alone. */
function hasEnd(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder("latin1");
  if (decoder.decode(bytes.subarray(-END_BYTES)).includes("%%EOF")) return true;
  const text = decoder.decode(bytes);
  const end = text.lastIndexOf("%%EOF");
  return end >= 0 && isCommentsAlone(text, end);
}

/** Source: ISO 32000-2 §7.2.4. */
function isCommentsAlone(text: string, from: number): boolean {
  const token = /[\0\t\n\f\r ]+|%[^\n\r]*/y;
  token.lastIndex = from;
  while (token.lastIndex < text.length) if (!token.test(text)) return false;
  return true;
}

/** Source: ISO 32000-2 §7.7.3.2: `/Count` is the number of leaves. */
function checkPages(open: OpenPdf): number {
  const pages = dictAt(open, open.catalog, "Pages");
  const found = open.pdf.context.pages.getPageCount();
  if (!pages || found === 0)
    throw new PadesError("pdf_damaged", "Expected at least one page", {
      clause: "ISO 32000-2 §7.7.3.2",
    });
  if (found > MAX_PAGES)
    throw new PadesError("pdf_too_many_pages", `Expected at most ${MAX_PAGES} pages, met ${found}`);
  const said = numberAt(open, pages, "Count");
  if (said !== found)
    throw new PadesError("pdf_damaged", `Expected ${said} pages, met ${found}`, {
      clause: "ISO 32000-2 §7.7.3.2",
    });
  return found;
}

/**
 * A document time-stamp is nobody's signature: it has its own finding.
 * Source: EN 319 142-1 §5.4.3.
 */
function earlierSignatures(
  open: OpenPdf,
  signatures: Signatures,
  carried: readonly CarriedState[],
) {
  const isStamp = ({ value }: Signatures[number]): boolean =>
    nameAt(open, value, "SubFilter") === "ETSI.RFC3161";
  const count = (state: CarriedState, areStamps: boolean): number =>
    signatures.filter((one, index) => carried[index] === state && isStamp(one) === areStamps)
      .length;
  const areStampsAlone = signatures.every(isStamp);
  return [
    { code: "existing_signatures", count: count("whole", false) },
    { code: "existing_timestamps", count: areStampsAlone ? count("whole", true) : 0 },
    { code: "unverified_signatures", count: count("unverified", false) },
    { code: "unverified_timestamps", count: count("unverified", true) },
  ] as const;
}

/**
 * A signed file is never rewritten. In a broken structure a signature without a field counts too:
 * its field may be what was lost.
 */
function refuseSignedAndBroken(open: OpenPdf, signatureCount: number): void {
  if (signatureCount === 0 && (open.blocker === "encrypted" || !hasByteRange(open.bytes))) return;
  const code = open.blocker === "encrypted" ? "pdf_signed_and_encrypted" : "pdf_signed_and_damaged";
  throw new PadesError(code, "Expected a signed file that can take an incremental update");
}

/** Its ByteRange is patched, so no object stream has it. Source: ISO 32000-2 §12.8.1. */
function hasByteRange(bytes: Uint8Array): boolean {
  return /\/ByteRange[\0\t\n\f\r ]*\[/.test(new TextDecoder("latin1").decode(bytes));
}

function hasXfa(open: OpenPdf): boolean {
  return dictAt(open, open.catalog, "AcroForm")?.has("XFA") ?? false;
}

/** The file's own pages are a mere notice. Source: ISO 32000-2 §7.7.2 (NeedsRendering), Annex K. */
function isDynamicXfa(open: OpenPdf): boolean {
  if (!hasXfa(open)) return false;
  const needs = follow(open, open.catalog.get("NeedsRendering"));
  return (needs instanceof PdfBool && needs.value) || formFields(open).length === 0;
}

/** `unverified`: alterations cannot be excluded, for example with an unknown algorithm. */
type CarriedState = "whole" | "unverified";

/**
 * Range, digest, value and later changes of an upload's signatures; not trust. Null once one is
 * broken; "unsure" where nothing shows an alteration.
 */
async function validateCarried(
  open: OpenPdf,
  signatures: ReturnType<typeof signedFields>,
): Promise<readonly CarriedState[] | "unsure" | null> {
  requireBearableSignatures(open, signatures.length);
  const states: CarriedState[] = [];
  let isUnsure = false;
  for (const field of signatures) {
    const state = await stateOfValue(open, field.value);
    if (state === null) return null;
    const naming = namingOf(open, field.value);
    if (state === "unread" || naming === "wrong") isUnsure = true;
    else states.push(naming === "right" ? state : "unverified");
    isUnsure ||= !isAllowed(await changesAfter(open, field, checkByteRange(open, field.value)));
  }
  return isUnsure ? "unsure" : states;
}

async function stateOfValue(
  open: OpenPdf,
  signature: PdfDict,
): Promise<CarriedState | "unread" | null> {
  const { contents, covered } = checkByteRange(open, signature);
  if (!covered) return null;
  if (!isKnownKind(open, signature)) return "unread";
  try {
    if (isTimestamp(open, signature)) {
      await verifyTimestampToken(contents, {
        imprint: (name) => digestOf(name, covered),
      });
      return "whole";
    }
    const { failure, checks } = await checkValue(open, signature, {
      contents,
      covered,
      extraCertificates: [],
    });
    if (failure?.sub === "FORMAT_FAILURE") return "unread";
    if (failure?.indication === "TOTAL_FAILED") return null;
    return checks.some(({ name, passed }) => name === "signature_value" && passed)
      ? "whole"
      : "unverified";
  } catch (error) {
    return unlessBug(error, stateOfError(error));
  }
}

function stateOfError(error: unknown): CarriedState | "unread" | null {
  if (!(error instanceof PadesError)) return null;
  if (error.code === "asn1_malformed") return "unread";
  return error.code === "timestamp_weak" || error.code === "timestamp_uncertified"
    ? "unverified"
    : null;
}

/**
 * Gives an attached file (`AF`) by its name, or null.
 * Errors: those of `openPdf`.
 * Source: ISO 32000-2 §14.13.
 */
export async function readAttachment(bytes: Uint8Array, name: string): Promise<Uint8Array | null> {
  const open = await openPdf(bytes);
  for (const item of arrayAt(open, open.catalog, "AF") ?? []) {
    const specification = follow(open, item);
    if (!(specification instanceof PdfDict) || textAt(open, specification, "UF") !== name) continue;
    const files = dictAt(open, specification, "EF");
    const file = files && follow(open, files.get("F"));
    if (file instanceof PdfStream) return file.getDecodedData();
  }
  return null;
}
