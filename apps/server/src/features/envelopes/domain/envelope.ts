import type { Field, Role, StoredStatus } from "@paraphe/contracts";

export type Flow = "parallel" | "sequential";
export type PadesLevel = "B-B" | "B-T" | "B-LT" | "B-LTA";
export type RecipientStatus = "waiting" | "notified" | "viewed" | "signed" | "declined";

/** The set sent to be signed, with its state. `signerCount` and `signedCount` count signers and approvers. */
export type Envelope = {
  readonly id: string;
  readonly version: number;
  readonly ownerId: string;
  readonly createdByName: string;
  readonly title: string;
  readonly message: string | null;
  readonly status: StoredStatus;
  readonly statusBeforeCancel: StoredStatus | null;
  readonly flow: Flow;
  readonly signerCount: number;
  readonly signedCount: number;
  readonly level: PadesLevel | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly sentAt: Date | null;
  readonly completedAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly cancelledAt: Date | null;
  /** Automatic reminders: every so many days; null: none. */
  readonly remindEveryDays: number | null;
  /** Whether the public page shows the proof without the document. */
  readonly proofOnly: boolean;
};

/** Who is invited. `awaited`: this person's signature is asked for now. */
export type EnvelopeRecipient = {
  readonly id: string;
  readonly position: number;
  readonly order: number;
  readonly role: Role;
  readonly email: string;
  readonly emailKey: string;
  readonly fullName: string;
  readonly phoneNumber: string | null;
  readonly status: RecipientStatus;
  readonly awaited: boolean;
  readonly notifiedAt: Date | null;
  readonly viewedAt: Date | null;
  readonly signedAt: Date | null;
  readonly declinedAt: Date | null;
  readonly declineReason: string | null;
  readonly remindedAt: Date | null;
  /** When this person was last asked, by whatever message. */
  readonly askedAt: Date | null;
  readonly automaticReminders: number;
  /** Wrong codes since the sender's last reminder. */
  readonly wrongTries: number;
};

/** A place on a page, for one recipient: fractions of the page as displayed, origin top left; `page` from 1. */
export type EnvelopeField = Readonly<Omit<Field, "document_id" | "recipient_id">> & {
  readonly documentId: string;
  readonly recipientId: string;
};

/** Says whether this person's signature is asked for: a viewer gets copies and never blocks. */
export function mustSign(recipient: { readonly role: Role }): boolean {
  return recipient.role !== "viewer";
}
