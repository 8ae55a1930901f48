/** Why a PDF or a request to the core is refused. The `pdf_*` codes are the problem codes of the contract. */
export type PadesErrorCode =
  | "not_a_pdf"
  | "pdf_encrypted"
  | "pdf_encrypted_for_recipients"
  | "pdf_damaged"
  | "pdf_signed_and_damaged"
  | "pdf_dynamic_xfa"
  | "pdf_signing_forbidden"
  | "pdf_invalid_signatures"
  | "pdf_unverifiable_signatures"
  | "pdf_too_many_pages"
  | "pdf_too_complex"
  | "pdf_dangerous_attachment"
  | "pdf_unfinishable"
  | "unsupported_character"
  | "invalid_image"
  | "field_not_found"
  | "signature_too_large"
  | "asn1_malformed"
  | "timestamp_invalid"
  | "timestamp_weak";

/**
 * What the core throws when it refuses its input.
 * Shape: `character` is set for `unsupported_character`; `clause` names the rule broken; `offset` is a byte offset where known.
 */
export class PadesError extends Error {
  override readonly name = "PadesError";
  readonly code: PadesErrorCode;
  readonly character: string | undefined;
  readonly offset: number | undefined;
  readonly clause: string | undefined;

  constructor(
    code: PadesErrorCode,
    message: string,
    detail: { character?: string; offset?: number; clause?: string; cause?: unknown } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.character = detail.character;
    this.offset = detail.offset;
    this.clause = detail.clause;
  }
}
