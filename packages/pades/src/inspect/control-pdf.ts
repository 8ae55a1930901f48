import { PadesError } from "../pades-error.ts";
import { type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import type { FieldPlacement, Fonts, Mark, PdfInspection } from "../pdf/types.ts";
import type { Deflate, Sha256, Signer, TimestampAuthority } from "../ports.ts";
import { completeSignature, createSignature } from "../sign/create-signature.ts";
import { prepareSignature } from "../sign/prepare-signature.ts";
import { prepareDocumentTimestamp } from "../sign/long-term.ts";
import { prepareOpened } from "../sign/prepare-fields.ts";
import { validate } from "../validate/validate.ts";
import { examinePdf, refusingUnreadable, inspectPdf } from "./inspect-pdf.ts";
import { PdfArray, PdfDict, PdfName, type PdfObject } from "@libpdf/core";
import { lacksLetters } from "../annotations/draw-annotations.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { writeName } from "../pdf/write-object.ts";
import { removeActions } from "./active-content.ts";
import { drawValues, settleFields } from "./form-values.ts";
import {
  annotationsOfPages,
  flattenAnnotations,
  nameAnnotations,
  refuseUndrawn,
} from "./flatten-annotations.ts";
import { flattenLayers } from "./flatten-layers.ts";
import { adoptPages, settleReaders } from "./reader-dependent.ts";

const ENCODER = new TextEncoder();

/** The library would encode names as UTF-8, while contents use the original bytes. */
function writeNamesExactly(open: OpenPdf): void {
  const waiting: PdfObject[] = [
    open.trailer,
    ...open.pdf.context.registry.getLoadedObjects().values(),
  ];
  const seen = new Set<PdfObject>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PdfName) writeExactBytes(value);
    if (!(value instanceof PdfArray || value instanceof PdfDict) || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof PdfArray) for (const item of value) waiting.push(item);
    else for (const [key, item] of value) waiting.push(key, item);
  }
}

/** The same bytes are the same name in every file. */
function writeExactBytes(name: PdfName): void {
  Reflect.set(name, "cachedBytes", ENCODER.encode(writeName(name.value)));
}

/**
 * Rewrites an unsigned file that cannot be signed as it is; a sound one comes back unchanged.
 * Shape: `fonts` draw field values where `form_values` is found; the result is `ok` for
 * `inspectPdf`.
 * Errors: those of `inspectPdf`; `pdf_undrawn_annotations`, `pdf_damaged`, `pdf_too_complex` for
 * what cannot be drawn or is not sound; TypeError when `fonts` are missing.
 * Source: security §2.
 */
export async function normalisePdf(
  bytes: Uint8Array,
  { fonts }: { readonly fonts?: Pick<Fonts, "text"> } = {},
): Promise<Uint8Array> {
  const { open, inspection } = await examinePdf(bytes);
  if (inspection.result === "ok") return bytes;
  if (signedFields(open).length > 0)
    throw new PadesError("pdf_damaged", "Expected an unsigned file to rewrite");
  const { bytes: written, isWaiting } = await refusingUnreadable(() => rewrite(open, fonts));
  const drawn = await drawValues(written, fonts);
  const rewritten = isWaiting ? await refusingUnreadable(() => withAnnotationsFlat(drawn)) : drawn;
  const again = await inspectPdf(rewritten);
  if (again.result !== "ok" || again.pageCount !== inspection.pageCount) {
    throw new PadesError("pdf_damaged", "Expected the rewritten file to be sound");
  }
  return rewritten;
}

/** Annotations overlap in order, so all wait for a second update with text. */
async function rewrite(
  open: OpenPdf,
  fonts: Pick<Fonts, "text"> | undefined,
): Promise<{ bytes: Uint8Array; isWaiting: boolean }> {
  refuseUndrawn(open, fonts);
  adoptPages(open);
  removeActions(open);
  settleReaders(open);
  settleFields(open, fonts);
  flattenLayers(open);
  const isWaiting = annotationsOfPages(open).some(({ dict }) => lacksLetters(open, dict));
  nameAnnotations(open, (annotation) => lacksLetters(open, annotation));
  if (!isWaiting) flattenAnnotations(open);
  if (open.blocker === "encrypted") removeProtection(open);
  return { bytes: await write(open), isWaiting };
}

async function withAnnotationsFlat(bytes: Uint8Array): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  flattenAnnotations(open);
  return write(open);
}

async function write(open: OpenPdf): Promise<Uint8Array> {
  // The library returns the broken bytes of an unchanged file.
  const pages = open.catalog.get("Pages");
  if (pages) open.catalog.set("Pages", pages);
  // Readers that rebuild a file find the catalog by type, which some writers omit. Source: ISO
  // 32000-2 §7.7.2, table 29.
  open.catalog.set("Type", PdfName.of("Catalog"));
  writeNamesExactly(open);
  return open.pdf.save();
}

/** Whoever accepts the copy asks for one without protection. */
function removeProtection(open: OpenPdf): void {
  const rights = open.pdf.context.info.securityHandler?.permissions;
  if (rights) Object.assign(rights, { modify: true });
  open.pdf.removeProtection();
}

/** Throw-away keys whose chains end at `root`, valid at `now`. */
export type RehearsalMeans = {
  readonly fonts: Fonts;
  readonly signer: Signer;
  readonly tsa: TimestampAuthority;
  readonly root: Uint8Array;
  readonly now: Date;
  readonly sha256?: Sha256;
  readonly deflate?: Deflate;
};

/** The step that failed, with its code or our validation's answer. */
export type RehearsalFailure = {
  readonly step: "prepare" | "sign" | "archive" | "validate";
  readonly reason: string;
};

const PREFIX = "repetition";
/** Small, as each rehearsal reads this room many times. */
const RESERVE_BYTES = 3_072;
const OWNERS = ["a", "b"] as const;
const MARK: Mark = {
  kind: "strokes",
  strokes: [
    [
      [0, 0.8, 0.5],
      [1, 0.2, 0.5],
    ],
  ],
};

/**
 * Takes a file that `inspectPdf` accepts through its whole life with two signers; null when it can
 * be finished.
 */
export async function rehearse(
  bytes: Uint8Array,
  means: RehearsalMeans,
): Promise<RehearsalFailure | null> {
  return rehearseOpened(await openPdf(bytes), { means, pageNumber: 1 });
}

async function rehearseOpened(
  open: OpenPdf,
  { means, pageNumber }: { readonly means: RehearsalMeans; readonly pageNumber: number },
): Promise<RehearsalFailure | null> {
  let step: RehearsalFailure["step"] = "prepare";
  try {
    const fields = OWNERS.flatMap((ownerKey, index) => placesOf(ownerKey, { index, pageNumber }));
    let file = await prepareOpened(open, { namePrefix: PREFIX, fonts: means.fonts, fields });
    step = "sign";
    for (const ownerKey of OWNERS) file = await signed(file, ownerKey, means);
    step = "archive";
    file = await archived(file, means);
    const reason = await complaint(file, means);
    return reason === null ? null : { step: "validate", reason };
  } catch (error) {
    if (!(error instanceof PadesError)) throw error;
    return { step, reason: error.code };
  }
}

/** A page signed elsewhere has little room. */
function placesOf(
  ownerKey: string,
  { index, pageNumber }: { readonly index: number; readonly pageNumber: number },
): FieldPlacement[] {
  const common = {
    ownerKey,
    pageNumber,
    x: 0.02 + index * 0.2,
    width: 0.15,
    height: 0.03,
    label: ownerKey,
    tooltip: ownerKey,
  };
  return [
    { ...common, name: `${ownerKey}-signature`, type: "signature", y: 0.02 },
    { ...common, name: `${ownerKey}-texte`, type: "text", y: 0.06 },
  ];
}

/** Signs without a time-stamp, as the document time-stamp proves the time. */
async function signed(
  file: Uint8Array,
  ownerKey: string,
  means: RehearsalMeans,
): Promise<Uint8Array> {
  const { fonts, signer, now, sha256, deflate } = means;
  const prepared = await prepareSignature(file, {
    namePrefix: PREFIX,
    ownerKey,
    ownFields: placesOf(ownerKey, { index: 0, pageNumber: 1 }).map(({ name, type }) => ({
      name,
      type,
      value: type === "text" ? ownerKey : null,
    })),
    mark: MARK,
    lines: [ownerKey],
    fonts,
    signingTime: now,
    signerName: ownerKey,
    reserveBytes: RESERVE_BYTES,
    ...(sha256 ? { sha256 } : {}),
    ...(deflate ? { deflate } : {}),
  });
  return completeSignature(
    prepared,
    await createSignature({ signer, digestSha256: prepared.digestSha256 }),
  );
}

async function archived(
  file: Uint8Array,
  { signer, tsa, sha256 }: RehearsalMeans,
): Promise<Uint8Array> {
  const longTermData = { certificates: signer.certificates, ocsps: [], crls: [] };
  const prepared = await prepareDocumentTimestamp(file, {
    longTermData,
    reserveBytes: RESERVE_BYTES,
    ...(sha256 ? { sha256 } : {}),
  });
  return completeSignature(prepared, await tsa.timestamp(prepared.digestSha256));
}

async function complaint(file: Uint8Array, { root, now }: RehearsalMeans): Promise<string | null> {
  const { problems, signatures } = await validate(file, {
    evidence: { trustAnchors: { signers: [root], timestamps: [root] } },
    now,
  });
  const failed = signatures.find(({ indication }) => indication === "TOTAL_FAILED");
  const reason = problems[0] ?? failed?.subIndication ?? null;
  const passed = signatures.filter(({ indication }) => indication === "TOTAL_PASSED").length;
  return reason ?? (passed < OWNERS.length + 1 ? "not_passed" : null);
}

/**
 * Inspects an upload and rehearses it, or its corrected copy, before anybody signs.
 * Errors: those of `inspectPdf` and `normalisePdf`; PadesError `pdf_unfinishable`.
 */
export async function controlPdf(
  bytes: Uint8Array,
  means: RehearsalMeans & { readonly namePrefix?: string | undefined },
): Promise<PdfInspection> {
  const { open, inspection } = await examinePdf(bytes, means.namePrefix);
  const source =
    inspection.result === "ok"
      ? open
      : await openPdf(await normalisePdf(bytes, { fonts: means.fonts }));
  const failure = await refusingUnreadable(() =>
    rehearseOpened(source, { means, pageNumber: emptiestPage(inspection) }),
  );
  if (failure)
    throw new PadesError(
      "pdf_unfinishable",
      `Expected a file that can be finished; met ${failure.reason} (${failure.step})`,
    );
  return inspection;
}

/** Later revisions may leave room on one page and none on another. */
function emptiestPage({ pageCount, covered }: PdfInspection): number {
  const parts = new Map(
    covered.map(({ pageNumber, added, filled }) => [pageNumber, added + filled]),
  );
  const pages = Array.from({ length: pageCount }, (_, index) => index + 1);
  return pages.reduce(
    (best, page) => ((parts.get(page) ?? 0) < (parts.get(best) ?? 0) ? page : best),
    1,
  );
}
