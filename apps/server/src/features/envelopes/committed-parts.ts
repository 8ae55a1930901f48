import type { NewAuditEvent } from "../journal/public.ts";
import { mustSign } from "./domain/envelope.ts";
import type { OwnParts } from "./insert-own-rows.ts";

/** What is signed, by whom, and until when. `uploaded` and `original`: SHA-256 of a file as it was deposited, and as it is signed: another one where a corrected copy was accepted. */
export type SignedParts = {
  readonly title: string;
  readonly deadlineAt: Date | null;
  /** Of the account that sends, at that moment. */
  readonly senderEmail: string;
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly uploaded: Uint8Array;
    readonly original: Uint8Array;
  }[];
  readonly recipients: readonly {
    readonly id: string;
    readonly role: "signer" | "approver" | "viewer";
    readonly fullName: string;
    readonly email: string;
    readonly phoneNumber: string | null;
  }[];
};

/**
 * Gives what the journal commits to of an envelope from the moment when it does not change any more: who must sign which documents stands in the chain for ever,
 * what they are called only by salted commitments, which a purge closes.
 * Shape: texts `{id}:{name}`, `{id}:{SHA-256 in hexadecimal}`; `deadline_at`: as of now, ISO 8601; `recipients` is their JSON, those in copy too.
 */
export function committedParts({ title, senderEmail, deadlineAt, documents, recipients }: SignedParts) {
  const signers = recipients.filter(mustSign);
  return {
    detail: {
      signers: signers.map(({ id }) => id),
      document_ids: documents.map(({ id }) => id),
      uploaded: documents.map(({ id, uploaded }) => `${id}:${hex(uploaded)}`),
      originals: documents.map(({ id, original }) => `${id}:${hex(original)}`),
      deadline_at: deadlineAt?.toISOString() ?? null,
    },
    personal: {
      title,
      sender_email: senderEmail,
      document_names: documents.map(({ id, name }) => `${id}:${name}`),
      signer_names: signers.map(({ id, fullName }) => `${id}:${fullName}`),
      recipients: recipients.map(({ id, role, fullName, email, phoneNumber }) =>
        JSON.stringify({ id, role, full_name: fullName, email, phone_number: phoneNumber }),
      ),
    },
  } satisfies Pick<NewAuditEvent, "detail" | "personal">;
}

/** The same of a document that its owner alone signs, which is sent to nobody. */
export function committedOwnParts({ title, documentId, document, copy, recipientId, actor: { user } }: OwnParts) {
  const own = { id: recipientId, role: "signer", fullName: user.full_name, email: user.email, phoneNumber: null } as const;
  const file = { id: documentId, name: document.name, uploaded: document.sha256, original: (copy ?? document).sha256 };
  return committedParts({ title, senderEmail: user.email, deadlineAt: null, documents: [file], recipients: [own] });
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
