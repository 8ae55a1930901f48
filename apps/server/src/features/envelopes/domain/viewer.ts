import {
  failure,
  type MemberRole,
  type Problem,
  type ProgramHolder,
  problem,
  type Result,
  SCOPE_ROLES,
  type StandingDelegation,
  success,
} from "@paraphe/contracts";
import { type Envelope, type EnvelopeRecipient, hasAnswered } from "./envelope.ts";

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
    readonly role: MemberRole | null;
    readonly teams: readonly { readonly id: string; readonly name: string }[];
    readonly provider?: ProviderWord;
    readonly delegations?: readonly StandingDelegation[];
    /** The name of the key that a program calls with. */
    readonly program?: string;
    readonly holder?: ProgramHolder;
    /** How the session was opened, and what confirmed this signature. */
    readonly means?: string;
    readonly confirmed_by?: string;
  };
  readonly client: { readonly ip: string; readonly userAgent: string };
  readonly gone?: AbortSignal;
};

export type EnvelopeCommand = { readonly envelopeId: string; readonly actor: Actor };

export type Viewer =
  | { readonly kind: "owner" }
  | { readonly kind: "recipient"; readonly recipientId: string };

/** Null until the address is confirmed. */
export type ViewingUser = {
  readonly id: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
  readonly delegations?: readonly StandingDelegation[];
  readonly teams: readonly { readonly id: string }[];
  readonly holder?: ProgramHolder;
  readonly key_id?: string;
};

type Subject = {
  readonly envelope: Pick<Envelope, "ownerId" | "team" | "status" | "circuit">;
  readonly recipients: readonly Pick<
    EnvelopeRecipient,
    "id" | "role" | "emailKey" | "notifiedAt" | "awaited" | "status" | "delegate"
  >[];
};
type DelegatedAmong<R> = {
  readonly envelope: Pick<Envelope, "circuit">;
  readonly recipients: readonly R[];
};
type Among<R> = { readonly envelope: Subject["envelope"]; readonly recipients: readonly R[] };

type DelegatedStep = {
  readonly envelope: Pick<Envelope, "circuit">;
  readonly recipient: Pick<EnvelopeRecipient, "emailKey" | "role">;
};

export const delegationOver = (explanation = "Rien n’a été signé."): Problem =>
  problem("delegation_over", { params: { explanation }, extensions: { explanation } });

export function delegationsOf(
  { envelope, recipient }: DelegatedStep,
  { delegations = [] }: Pick<ViewingUser, "delegations">,
): readonly StandingDelegation[] {
  return delegations.filter(
    ({ emailKey, scope, circuitId }) =>
      emailKey === recipient.emailKey &&
      (SCOPE_ROLES[scope]?.includes(recipient.role) ?? true) &&
      (scope !== "circuit" || circuitId === envelope.circuit?.id),
  );
}

export function wasAsked<R extends Subject["recipients"][number]>(
  { envelope, recipients }: DelegatedAmong<R>,
  user: Pick<ViewingUser, "recipient_key" | "delegations">,
): boolean {
  return recipients.some(
    (recipient) =>
      recipient.notifiedAt !== null &&
      (recipient.emailKey === user.recipient_key ||
        delegationsOf({ envelope, recipient }, user).length > 0),
  );
}

/** Gives awaited recipients whom this person acts for now. */
export function delegatorsIn<R extends Subject["recipients"][number]>(
  { envelope, recipients }: DelegatedAmong<R>,
  user: Pick<ViewingUser, "delegations">,
): readonly { readonly recipient: R; readonly delegation: StandingDelegation }[] {
  return recipients.flatMap((recipient) => {
    const delegation = delegationsOf({ envelope, recipient }, user).find(
      ({ overAt }) => overAt === null,
    );
    return delegation !== undefined && recipient.awaited && recipient.notifiedAt !== null
      ? [{ recipient, delegation }]
      : [];
  });
}

/**
 * Owner: its maker or their team. Recipient: by confirmed address; by delegation, whoever acts for
 * an awaited recipient, or signed for one. Among recipients of one address, the awaited one wins,
 * then one who has not answered.
 * Errors: `not_found`, also for a recipient of a draft or cancelled envelope;
 * `address_unconfirmed`.
 */
export function viewerOf({ envelope, recipients }: Subject, user: ViewingUser): Result<Viewer> {
  const self = user.holder?.id ?? user.id;
  if (envelope.ownerId === self || user.teams.some(({ id }) => id === envelope.team?.id))
    return success({ kind: "owner" });
  const own = ownRecipient({ envelope, recipients }, user.email_key);
  const recipient = own?.awaited
    ? own
    : (delegatorsIn({ envelope, recipients }, user)[0]?.recipient ??
      own ??
      (user.key_id === undefined ? signedFor({ envelope, recipients }, self) : undefined));
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient === own && user.recipient_key === null)
    return failure(problem("address_unconfirmed"));
  return success({ kind: "recipient", recipientId: recipient.id });
}

/** Gives the recipient this person agreed for, even when the delegation is over. */
export function signedFor<R extends Subject["recipients"][number]>(
  { envelope, recipients }: Among<R>,
  userId: string,
  shown?: string,
): R | undefined {
  return recipients.find(
    ({ id, delegate }) =>
      envelope.status !== "cancelled" &&
      delegate?.user_id === userId &&
      (shown === undefined || id === shown),
  );
}

/** Gives the person's recipient in a sent envelope, if any. */
export function ownRecipient<R extends Subject["recipients"][number]>(
  subject: Among<R>,
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

/** Gives whom this person is asked to sign for, themselves aside. */
export function behalfIn<R extends Subject["recipients"][number] & { readonly fullName: string }>(
  subject: Among<R>,
  user: ViewingUser,
): { readonly recipient_id: string; readonly full_name: string } | undefined {
  if (ownRecipient(subject, user.email_key)?.awaited) return undefined;
  const recipient = delegatorsIn(subject, user)[0]?.recipient;
  return recipient && { recipient_id: recipient.id, full_name: recipient.fullName };
}

/** For whom this person answered; undefined for nobody. */
export function namesSignedFor(
  recipients: readonly Pick<EnvelopeRecipient, "delegate" | "fullName">[],
  { id }: Pick<ViewingUser, "id">,
): string[] | undefined {
  const names = recipients.flatMap(({ delegate, fullName }) =>
    delegate?.user_id === id ? [fullName] : [],
  );
  return names.length === 0 ? undefined : names;
}
