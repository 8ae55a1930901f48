import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import type { MarkPurpose } from "./marks/chosen-mark.ts";
import type { Ended } from "./request-standing.ts";

export type SignOutcome =
  /** The same request may be sent again. */
  | { readonly kind: "retry"; readonly message: string }
  /** The same mark would be refused again: another is needed. */
  | { readonly kind: "mark"; readonly purpose: MarkPurpose; readonly message: string }
  | {
      readonly kind: "fields";
      readonly message: string;
      readonly errors: Readonly<Record<string, string>>;
    }
  | { readonly kind: "code" }
  | { readonly kind: "reload"; readonly message: string | null }
  /** The step went to somebody else, or before: it comes back. */
  | { readonly kind: "ended"; readonly standing: Ended };

/** The request's state changed: the page is read again. */
const STATE_CODES = new Set<string | undefined>([
  "account_required",
  "already_signed",
  "delegation_over",
  "not_your_turn",
  "step_reassigned",
  "deadline_passed",
  "invalid_state",
  "envelope_cancelled",
  "envelope_expired",
  "envelope_declined",
  "not_found",
]);

const MARK_CODES = new Set<string | undefined>([
  "invalid_image",
  "image_too_large",
  "image_file_too_large",
  "unsupported_character",
]);
export const SEALING =
  "Votre signature est enregistrée. Le document est en cours de scellement (quelques secondes).";
/** No answer; the request, read again, has no signature. */
const NOT_RECORDED = "Votre signature n’a pas été enregistrée. Rien n’est perdu\u00a0: réessayez.";
/** No answer, and the request cannot be read. */
const NOT_KNOWN =
  "La connexion a été coupée\u00a0: nous ne savons pas encore si votre signature a été enregistrée. Rien n’est perdu\u00a0: réessayez, elle ne sera pas faite deux fois.";
const REFUSED_MARK = "Votre signature n’a pas pu être lue.";

/** No answer, or one from a proxy: the outcome is unknown. */
export function isUnanswered(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.isUnreachable || (error.status >= 502 && error.code === undefined))
  );
}

/** `isAbsent`: the request was read again and has no signature. */
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
  if (STATE_CODES.has(error.code)) return { kind: "reload", message: null };
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

export function markRefusal(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const entry = Object.entries(error.fieldErrors).find(
    ([name]) => name === "signature" || name.startsWith("signature."),
  );
  if (entry === undefined && !MARK_CODES.has(error.code)) return null;
  const reason = (entry?.[1][0] ?? callMessage(error, REFUSED_MARK)).replace(/[^.!?]$/, "$&.");
  return /dessine|saisissez|image/i.test(reason)
    ? reason
    : `${reason} Dessinez-la de nouveau, ou saisissez votre nom.`;
}

/** For initials apart from the signature. */
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
