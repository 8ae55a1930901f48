import type { Result, StoredStatus } from "@paraphe/contracts";

/** Who asks for an envelope's files, as the request says. A call with a signature token relies on it alone: `user` is then null. */
export type FileRequest = {
  readonly envelopeId: string;
  /** The signed-in user, or null. */
  readonly user: { readonly id: string; readonly email_key: string; readonly recipient_key: string | null } | null;
  /** From `X-Signature-Token`, or from `?token=`; null when there is none. */
  readonly token: string | null;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** `download` is a way to the signed file: once its recipient has signed, the token alone is enough (specification §6). */
  readonly purpose: "read" | "download";
};

/** Who was recognised. A guest's grant ends with the envelope: its links die when it is cancelled, declined or expired. */
export type FileGrant = { readonly reader: "owner" | "recipient" | "guest"; readonly recipientId: string | null };

/**
 * Decides who may read an envelope's files.
 * Errors: `not_found` for a stranger, a wrong token, a draft seen by a recipient; `otp_required`; 410 for the right token of a closed envelope.
 */
export type DocumentAccess = (request: FileRequest) => Promise<Result<FileGrant>>;

/** What the routes need to know of the envelope itself. */
export type EnvelopeFacts = { readonly id: string; readonly title: string; readonly status: StoredStatus };
