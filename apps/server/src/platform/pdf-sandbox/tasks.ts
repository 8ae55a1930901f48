import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import {
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
import { loadFonts } from "../fonts/load-fonts.ts";

/** Streams: WebCrypto would copy the whole file first. */
function sha256(pieces: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return new Uint8Array(hash.digest());
}

type SignatureOptions = Omit<PrepareSignatureOptions, "fonts" | "sha256" | "deflate">;

/** What the sandbox can be asked; the fonts are the child's own. Errors: `PadesError`. */
export type PdfTasks = {
  inspect(bytes: Uint8Array): Promise<PdfInspection>;
  /** Rewrites a `fixable` file so that it can be signed. */
  normalise(bytes: Uint8Array): Promise<Uint8Array>;
  prepareFields(bytes: Uint8Array, options: Omit<PrepareFieldsOptions, "fonts">): Promise<Uint8Array>;
  prepareSignature(bytes: Uint8Array, options: SignatureOptions): Promise<PreparedSignature>;
  /** The two above in one, for a file that one person signs: `bytes` of the answer are those appended, both revisions. */
  prepareOwnSignature(
    bytes: Uint8Array,
    options: { readonly fields: Omit<PrepareFieldsOptions, "fonts">; readonly signature: SignatureOptions },
  ): Promise<PreparedSignature>;
  longTermNeeds(bytes: Uint8Array, known: Pick<Evidence, "trustAnchors" | "certificates">): Promise<LongTermNeeds>;
  prepareDocumentTimestamp(bytes: Uint8Array, options: Omit<DocumentTimestampOptions, "sha256">): Promise<PreparedSignature>;
  validate(bytes: Uint8Array, context: { evidence: Evidence; now: Date; policy?: ValidationPolicy }): Promise<ValidationReport>;
};

/** Gives the table of tasks, its fonts loaded. */
export async function loadTasks(): Promise<PdfTasks> {
  const fonts = await loadFonts();
  const prepareOne = (bytes: Uint8Array, options: SignatureOptions) =>
    prepareSignature(bytes, { ...options, fonts, sha256, deflate: deflateSync });
  return {
    inspect: inspectPdf,
    normalise: (bytes) => normalisePdf(bytes, { fonts }),
    prepareFields: (bytes, options) => prepareFields(bytes, { ...options, fonts }),
    prepareSignature: prepareOne,
    async prepareOwnSignature(bytes, { fields, signature }) {
      const prepared = await prepareOne(await prepareFields(bytes, { ...fields, fonts }), signature);
      return { ...prepared, bytes: prepared.bytes.slice(bytes.length) };
    },
    longTermNeeds,
    prepareDocumentTimestamp: (bytes, options) => prepareDocumentTimestamp(bytes, { ...options, sha256 }),
    validate,
  };
}
