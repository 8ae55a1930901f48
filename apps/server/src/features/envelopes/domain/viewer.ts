import { failure, problem, type Result, success } from "@paraphe/contracts";
import { type Envelope, type EnvelopeRecipient, hasAnswered } from "./envelope.ts";

/** What the identity provider of a session said of its person. */
export type ProviderWord = {
  readonly issuer: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly email: string | null;
  readonly siret: string | null;
};

/** The signed-in person who acts, and their client. */
export type Actor = {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly email_key: string;
    readonly recipient_key: string | null;
    readonly full_name: string;
    readonly provider?: ProviderWord;
  };
  readonly client: { readonly ip: string; readonly userAgent: string };
  /** Aborted when the person no longer waits for the answer. */
  readonly gone?: AbortSignal;
};

export type EnvelopeCommand = { readonly envelopeId: string; readonly actor: Actor };

export type Viewer =
  | { readonly kind: "owner" }
  | { readonly kind: "recipient"; readonly recipientId: string };

/** `recipient_key`: matches recipients; null until the address is confirmed. */
type ViewingUser = {
  readonly id: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
};

type Subject = {
  readonly envelope: Pick<Envelope, "ownerId" | "status">;
  readonly recipients: readonly Pick<
    EnvelopeRecipient,
    "id" | "emailKey" | "notifiedAt" | "awaited" | "status"
  >[];
};

/**
 * Gives a signed-in person's relation to an envelope: owner, or recipient by confirmed address.
 * Of several recipients at one address: the awaited one, then one who has not answered.
 * Errors: `not_found`, also for a recipient of a draft or cancelled envelope; `address_unconfirmed`
 * for a recipient by an unconfirmed address.
 */
export function viewerOf({ envelope, recipients }: Subject, user: ViewingUser): Result<Viewer> {
  if (envelope.ownerId === user.id) return success({ kind: "owner" });
  const recipient = ownRecipient({ envelope, recipients }, user.email_key);
  if (recipient === undefined) return failure(problem("not_found"));
  if (user.recipient_key === null) return failure(problem("address_unconfirmed"));
  return success({ kind: "recipient", recipientId: recipient.id });
}

/** Gives the recipient at this address in a sent envelope, if any. */
export function ownRecipient<R extends Subject["recipients"][number]>(
  subject: { readonly envelope: Subject["envelope"]; readonly recipients: readonly R[] },
  emailKey: string,
): R | undefined {
  if (subject.envelope.status === "draft" || subject.envelope.status === "cancelled")
    return undefined;
  const own = subject.recipients.filter(
    (recipient) => recipient.emailKey === emailKey && recipient.notifiedAt !== null,
  );
  return (
    own.find((recipient) => recipient.awaited) ??
    own.find((recipient) => !hasAnswered(recipient)) ??
    own[0]
  );
}
