import type { NewAuditEvent } from "../audit/index.ts";
import { mustSign } from "./domain/envelope.ts";
import type { OwnParts } from "./insert-own-rows.ts";

/** What is signed, and by whom. */
export type SignedParts = {
  readonly title: string;
  readonly documents: readonly { readonly id: string; readonly name: string }[];
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
 * Shape: texts `{id}:{name}`; `recipients` is their JSON, those in copy too.
 */
export function committedParts({ title, documents, recipients }: SignedParts) {
  const signers = recipients.filter(mustSign);
  return {
    detail: { signers: signers.map(({ id }) => id), document_ids: documents.map(({ id }) => id) },
    personal: {
      title,
      document_names: documents.map(({ id, name }) => `${id}:${name}`),
      signer_names: signers.map(({ id, fullName }) => `${id}:${fullName}`),
      recipients: recipients.map(({ id, role, fullName, email, phoneNumber }) =>
        JSON.stringify({ id, role, full_name: fullName, email, phone_number: phoneNumber }),
      ),
    },
  } satisfies Pick<NewAuditEvent, "detail" | "personal">;
}

/** The same of a document that its owner alone signs, which is sent to nobody. */
export function committedOwnParts({ title, documentId, document, recipientId, actor: { user } }: OwnParts) {
  const own = { id: recipientId, role: "signer", fullName: user.full_name, email: user.email, phoneNumber: null } as const;
  return committedParts({ title, documents: [{ id: documentId, name: document.name }], recipients: [own] });
}
