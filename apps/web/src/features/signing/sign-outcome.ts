import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import type { MarkPurpose } from "./marks/chosen-mark.ts";

/** What a refused or failed signature means for the page. */
export type SignOutcome =
  /** Nothing was recorded, or it is not known: the same request may go again, nothing is lost. */
  | { readonly kind: "retry"; readonly message: string }
  /** The mark itself was refused: the same one never passes, another must be made. Nothing else is lost. */
  | { readonly kind: "mark"; readonly purpose: MarkPurpose; readonly message: string }
  /** These fields must be corrected. */
  | {
      readonly kind: "fields";
      readonly message: string;
      readonly errors: Readonly<Record<string, string>>;
    }
  /** The code must be confirmed again. */
  | { readonly kind: "code" }
  /** The request changed under the reader: the page must be read again from the service. */
  | { readonly kind: "reload"; readonly message: string | null };

/** The state of the request itself changed: read it again, the page says the rest. */
const STATE_CODES = new Set([
  "already_signed",
  "not_your_turn",
  "deadline_passed",
  "invalid_state",
  "envelope_cancelled",
  "envelope_expired",
  "envelope_declined",
  "not_found",
]);

/** Refusals of the mark's own content. */
const MARK_CODES = new Set([
  "invalid_image",
  "image_too_large",
  "image_file_too_large",
  "unsupported_character",
]);
/** No answer came, and the request, read again, says that no signature is there. */
const NOT_RECORDED = "Votre signature n’a pas été enregistrée. Rien n’est perdu\u202f: réessayez.";
/** No answer came, and the request cannot be read either. */
const NOT_KNOWN =
  "La connexion est coupée\u00a0: nous ne savons pas encore si votre signature a été enregistrée. Rien n’est perdu\u202f: réessayez, elle ne sera pas faite deux fois.";
const REFUSED_MARK = "Votre signature n’a pas pu être lue.";

/** Tells whether it is unknown what became of the request: no answer came, or one of a machine on the way that is not the service. */
export function isUnanswered(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.isUnreachable || (error.status >= 502 && error.code === undefined))
  );
}

/** Reads the failure of a signature. `isAbsent`: without an answer, the request was read again and no signature was there. */
export function readSignFailure(
  error: unknown,
  { isAbsent = false }: { readonly isAbsent?: boolean } = {},
): SignOutcome {
  if (!(error instanceof ApiError))
    return { kind: "retry", message: "Impossible de signer l'enveloppe" };
  if (isUnanswered(error)) return { kind: "retry", message: isAbsent ? NOT_RECORDED : NOT_KNOWN };
  if (error.code === "otp_required") return { kind: "code" };
  if (error.code === "documents_changed")
    return { kind: "reload", message: callMessage(error, "") };
  if (error.code !== undefined && STATE_CODES.has(error.code))
    return { kind: "reload", message: null };
  const errors = Object.fromEntries(
    Object.entries(error.fieldErrors).flatMap(([name, messages]) =>
      name.startsWith("fields.")
        ? [[name.slice("fields.".length), messages[0] ?? "Valeur incorrecte"]]
        : [],
    ),
  );
  if (Object.keys(errors).length > 0)
    return {
      kind: "fields",
      message: callMessage(error, "Impossible de signer l'enveloppe"),
      errors,
    };
  const refused = refusedInitials(error);
  if (refused !== null)
    return { kind: "mark", purpose: "initials", message: `${refused} Vos réponses sont gardées.` };
  const refusedMark = markRefusal(error);
  if (refusedMark !== null)
    return {
      kind: "mark",
      purpose: "signature",
      message: `${refusedMark} Vos réponses sont gardées.`,
    };
  return { kind: "retry", message: callMessage(error, "Impossible de signer l'enveloppe") };
}

/** Gives why the mark was refused, in a sentence that says what to do; null when something else was. */
export function markRefusal(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const entry = Object.entries(error.fieldErrors).find(
    ([name]) => name === "signature" || name.startsWith("signature."),
  );
  if (entry === undefined && !(error.code !== undefined && MARK_CODES.has(error.code))) return null;
  const reason = (entry?.[1][0] ?? callMessage(error, REFUSED_MARK)).replace(/[^.!?]$/, "$&.");
  return /dessine|saisissez|image/i.test(reason)
    ? reason
    : `${reason} Dessinez-la de nouveau, ou saisissez votre nom.`;
}

/** The same of initials that are not the signature. */
function refusedInitials({ fieldErrors }: ApiError): string | null {
  const entry = Object.entries(fieldErrors).find(
    ([name]) => name === "initials" || name.startsWith("initials."),
  );
  if (entry === undefined) return null;
  const reason = (entry[1][0] ?? "Votre paraphe n’a pas pu être lu")
    .replace(/[^.!?]$/, "$&.")
    .replaceAll("votre signature", "votre paraphe");
  return /dessine|saisissez|image/i.test(reason)
    ? reason
    : `${reason} Dessinez-le de nouveau, ou saisissez vos initiales.`;
}
