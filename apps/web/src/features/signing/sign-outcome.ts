import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";

/** What a refused or failed signature means for the page. */
export type SignOutcome =
  /** Nothing was recorded, or it is not known: the same request may go again, nothing is lost. */
  | { readonly kind: "retry"; readonly message: string }
  /** These fields must be corrected. */
  | { readonly kind: "fields"; readonly message: string; readonly errors: Readonly<Record<string, string>> }
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

/** Reads the failure of a signature. */
export function readSignFailure(error: unknown): SignOutcome {
  if (!(error instanceof ApiError)) return { kind: "retry", message: "Impossible de signer l'enveloppe" };
  if (error.isUnreachable) return { kind: "retry", message: "Votre signature n’a pas été enregistrée. Rien n’est perdu\u202f: réessayez." };
  if (error.code === "otp_required") return { kind: "code" };
  if (error.code === "documents_changed") return { kind: "reload", message: callMessage(error, "") };
  if (error.code !== undefined && STATE_CODES.has(error.code)) return { kind: "reload", message: null };
  const errors = Object.fromEntries(
    Object.entries(error.fieldErrors).flatMap(([name, messages]) =>
      name.startsWith("fields.") ? [[name.slice("fields.".length), messages[0] ?? "Valeur incorrecte"]] : [],
    ),
  );
  if (Object.keys(errors).length > 0) return { kind: "fields", message: callMessage(error, "Impossible de signer l'enveloppe"), errors };
  return { kind: "retry", message: callMessage(error, "Impossible de signer l'enveloppe") };
}
