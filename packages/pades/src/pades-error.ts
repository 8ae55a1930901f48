export type PadesErrorCode =
  | "not_a_pdf"
  | "pdf_encrypted"
  | "pdf_encrypted_for_recipients"
  | "pdf_damaged"
  | "pdf_signed_and_damaged"
  | "pdf_signed_and_encrypted"
  | "pdf_dynamic_xfa"
  | "pdf_signing_forbidden"
  | "pdf_invalid_signatures"
  | "pdf_unverifiable_signatures"
  | "pdf_too_many_pages"
  | "pdf_too_complex"
  | "pdf_dangerous_attachment"
  | "pdf_undrawn_annotations"
  | "pdf_of_this_envelope"
  | "pdf_unfinishable"
  | "unsupported_character"
  | "invalid_image"
  | "field_not_found"
  | "signature_too_large"
  | "asn1_malformed"
  | "timestamp_invalid"
  | "timestamp_weak"
  | "timestamp_uncertified";

/** An annotation's kind (ISO 32000-2 §12.5.6, table 171) and page, from 1. */
export type NamedAnnotation = { readonly kind: string; readonly pageNumber: number };

type Detail = {
  character?: string;
  annotations?: readonly NamedAnnotation[];
  offset?: number;
  clause?: string;
  cause?: unknown;
};

/** The core's refusal of its input. `clause`: the rule broken; `offset`: in bytes, where known. */
export class PadesError extends Error {
  override readonly name = "PadesError";
  readonly code: PadesErrorCode;
  readonly character: string | undefined;
  readonly annotations: readonly NamedAnnotation[] | undefined;
  readonly offset: number | undefined;
  readonly clause: string | undefined;

  constructor(code: PadesErrorCode, message: string, detail: Detail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.character = detail.character;
    this.annotations = detail.annotations;
    this.offset = detail.offset;
    this.clause = detail.clause;
  }
}

export function unlessBug<T>(error: unknown, value: T): T {
  if (error instanceof PadesError) return value;
  throw error;
}

/** Names from a file may be `constructor` and the like. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
