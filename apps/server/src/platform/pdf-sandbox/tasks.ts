import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import {
  controlPdf,
  type DocumentTimestampOptions,
  type Evidence,
  inspectPdf,
  type LongTermNeeds,
  longTermNeeds,
  normalisePdf,
  type PdfInspection,
  prepareDocumentTimestamp,
  type PreparedSignature,
  prepareFields,
  type PrepareFieldsOptions,
  prepareSignature,
  type PrepareSignatureOptions,
  validate,
  type ValidationPolicy,
  type ValidationReport,
} from "@paraphe/pades";
import { useCryptography } from "@paraphe/pades/cryptography";
import { addPrintMarks, flattenForPrint, type PrintMarksOptions } from "@paraphe/pades/print";
import encodeQR from "qr";
import { nodeCryptography } from "../cryptography/node-cryptography.ts";
import { loadFonts, loadTitleFont } from "../fonts/load-fonts.ts";
import type { DocumentModel } from "../pdf-document/document-model.ts";
import type { LooksComparison } from "../pdf-ink/compare-looks.ts";
import type { BlankFrame, PageWanted } from "../pdf-ink/find-blank-frame.ts";
import { createRehearsalMeans } from "./rehearsal-means.ts";

/** Streams: WebCrypto would copy the whole file first. */
function sha256(pieces: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return new Uint8Array(hash.digest());
}

/** A child looks at pages for so long in one task: well under what a task is given, and whoever waits behind has a turn. */
const LOOKING_MS = 3_000;

type SignatureOptions = Omit<PrepareSignatureOptions, "fonts" | "sha256" | "deflate">;

/** What the sandbox can be asked; the fonts are the child's own. Errors: `PadesError`. */
export type PdfTasks = {
  inspect(bytes: Uint8Array): Promise<PdfInspection>;
  /** The same of an upload, rehearsed from preparation to validation: what could not be finished is `pdf_unfinishable`. */
  control(bytes: Uint8Array): Promise<PdfInspection>;
  /** Rewrites a `fixable` file so that it can be signed. */
  normalise(bytes: Uint8Array): Promise<Uint8Array>;
  /** Makes the copy of a `fixable` file and says where its pages look otherwise, from a page on: to the first that does, or as many as some seconds allow. */
  compareWithCopy(
    bytes: Uint8Array,
    pages: { readonly pageCount: number; readonly from: number },
  ): Promise<LooksComparison>;
  prepareFields(
    bytes: Uint8Array,
    options: Omit<PrepareFieldsOptions, "fonts">,
  ): Promise<Uint8Array>;
  prepareSignature(bytes: Uint8Array, options: SignatureOptions): Promise<PreparedSignature>;
  /** The two above in one, for a file that one person signs: `bytes` of the answer are those appended, both revisions. */
  prepareOwnSignature(
    bytes: Uint8Array,
    options: {
      readonly fields: Omit<PrepareFieldsOptions, "fonts">;
      readonly signature: SignatureOptions;
    },
  ): Promise<PreparedSignature>;
  longTermNeeds(
    bytes: Uint8Array,
    known: Pick<Evidence, "trustAnchors" | "certificates">,
  ): Promise<LongTermNeeds>;
  prepareDocumentTimestamp(
    bytes: Uint8Array,
    options: Omit<DocumentTimestampOptions, "sha256">,
  ): Promise<PreparedSignature>;
  /** What is displayed of a signed file, as pages without signature, form or action. `title`: the copy's. */
  flattenForPrint(bytes: Uint8Array, options: { readonly title: string }): Promise<Uint8Array>;
  /** Gives a page as it is displayed, as PNG; null for one that cannot be drawn. Pages count from 1. */
  drawPage(bytes: Uint8Array, pageNumber: number): Promise<Uint8Array | null>;
  /** Gives blank places on the first of these pages, in their order: as many as some seconds allow, one at least. */
  findBlankFrames(
    bytes: Uint8Array,
    pages: readonly PageWanted[],
  ): Promise<readonly (BlankFrame | null)[]>;
  /** Gives the QR codes (level Q, without border, `true` for dark) of the first of these texts: as many as some seconds allow, one at least. */
  drawCodes(texts: readonly string[]): Promise<readonly boolean[][][]>;
  addPrintMarks(bytes: Uint8Array, options: Omit<PrintMarksOptions, "fonts">): Promise<Uint8Array>;
  /** Writes a document of the service's own. */
  renderDocument(model: DocumentModel): Promise<Uint8Array>;
  validate(
    bytes: Uint8Array,
    context: { evidence: Evidence; now: Date; policy?: ValidationPolicy },
  ): Promise<ValidationReport>;
};

/** Gives the table of tasks, its fonts loaded. */
export async function loadTasks(): Promise<PdfTasks> {
  useCryptography(nodeCryptography);
  const [fonts, title] = await Promise.all([loadFonts(), loadTitleFont()]);
  const prepareOne = (bytes: Uint8Array, options: SignatureOptions) =>
    prepareSignature(bytes, { ...options, fonts, sha256, deflate: deflateSync });
  const rehearsalMeans = createRehearsalMeans();
  return {
    inspect: inspectPdf,
    control: async (bytes) =>
      controlPdf(bytes, { ...(await rehearsalMeans()), fonts, sha256, deflate: deflateSync }),
    normalise: (bytes) => normalisePdf(bytes, { fonts }),
    async compareWithCopy(original, pages) {
      const { compareLooks } = await import("../pdf-ink/compare-looks.ts");
      const copy = await normalisePdf(original, { fonts });
      const until = performance.now() + LOOKING_MS;
      return compareLooks({ original, copy, ...pages }, () => performance.now() > until);
    },
    prepareFields: (bytes, options) => prepareFields(bytes, { ...options, fonts }),
    prepareSignature: prepareOne,
    async prepareOwnSignature(bytes, { fields, signature }) {
      const prepared = await prepareOne(
        await prepareFields(bytes, { ...fields, fonts }),
        signature,
      );
      return { ...prepared, bytes: prepared.bytes.slice(bytes.length) };
    },
    longTermNeeds,
    prepareDocumentTimestamp: (bytes, options) =>
      prepareDocumentTimestamp(bytes, { ...options, sha256 }),
    flattenForPrint: (bytes, options) => flattenForPrint(bytes, { ...options, fonts }),
    async drawPage(bytes, pageNumber) {
      // PDFium too is read by the child that is asked first, and by no other.
      const { drawPage } = await import("../pdf-ink/draw-page.ts");
      return drawPage(bytes, pageNumber);
    },
    async findBlankFrames(bytes, pages) {
      const { findBlankFrames } = await import("../pdf-ink/find-blank-frame.ts");
      const until = performance.now() + LOOKING_MS;
      return findBlankFrames(bytes, pages, () => performance.now() > until);
    },
    async drawCodes(texts) {
      const until = performance.now() + LOOKING_MS;
      const codes: boolean[][][] = [];
      for (const text of texts)
        if (codes.length === 0 || performance.now() < until) codes.push(drawCode(text));
      return codes;
    },
    addPrintMarks: (bytes, options) =>
      addPrintMarks(bytes, { ...options, fonts: { ...fonts, title }, deflate: deflateSync }),
    renderDocument: renderModel,
    validate,
  };
}

/** The narrowest border that the encoder draws is cut off: the quiet zone is kept where a code is placed. */
function drawCode(text: string): boolean[][] {
  const bordered = encodeQR(text, "raw", { ecc: "quartile", encoding: "byte", border: 1 });
  return bordered.slice(1, -1).map((row) => row.slice(1, -1));
}

/** Its library and its fonts are read by the child that is asked first, and by no other. */
async function renderModel(model: DocumentModel): Promise<Uint8Array> {
  const [{ renderDocument }, { loadDocumentFonts }] = await Promise.all([
    import("../pdf-document/render-document.ts"),
    import("../fonts/load-document-fonts.ts"),
  ]);
  return renderDocument(model, await loadDocumentFonts());
}
