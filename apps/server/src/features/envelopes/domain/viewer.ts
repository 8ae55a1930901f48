import {
  type DelegationScope,
  failure,
  type MemberRole,
  type Problem,
  problem,
  type Result,
  success,
  type TeamRef,
} from "@paraphe/contracts";
import { type Envelope, type EnvelopeRecipient, hasAnswered } from "./envelope.ts";

/** What the identity provider of a session said of its person. */
export type ProviderWord = {
  readonly issuer: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly email: string | null;
  readonly siret: string | null;
};

/** Somebody the session's person signs for; `overAt`: null while it stands. */
export type Delegation = {
  readonly id: string;
  readonly emailKey: string;
  readonly name: string;
  readonly scope: DelegationScope;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly overAt: Date | null;
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
    readonly delegations?: readonly Delegation[];
    /** How the session was opened, and what confirmed this signature. */
    readonly means?: string;
    readonly confirmed_by?: string;
  };
  readonly client: { readonly ip: string; readonly userAgent: string };
  /** Aborted when the person no longer waits for the answer. */
  readonly gone?: AbortSignal;
};

/**
 * The team that something made by this person belongs to.
 * Errors: `validation` on `team` for one that the person is not in.
 */
export function chooseTeam(
  user: Pick<Actor["user"], "teams">,
  id: string | null,
): Result<TeamRef | null, Problem> {
  if (id === null) return success(null);
  const team = user.teams.find((one) => one.id === id);
  return team === undefined
    ? failure(problem("validation", { errors: { team: ["Choisissez une de vos équipes."] } }))
    : success({ id: team.id, name: team.name });
}

/** Errors: `validation` on `team` for a list of a team that the person is not in. */
export function checkListedTeam(
  user: Pick<Actor["user"], "teams">,
  team: string | undefined,
): Result<null, Problem> {
  const chosen = chooseTeam(user, team === undefined || team === "mine" ? null : team);
  return chosen.ok ? success(null) : chosen;
}

export type EnvelopeCommand = { readonly envelopeId: string; readonly actor: Actor };

export type Viewer =
  | { readonly kind: "owner" }
  | { readonly kind: "recipient"; readonly recipientId: string };

/** `recipient_key`: matches recipients; null until the address is confirmed. */
export type ViewingUser = {
  readonly id: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
  readonly delegations?: readonly Delegation[];
  readonly teams: readonly { readonly id: string }[];
};

type Subject = {
  readonly envelope: Pick<Envelope, "ownerId" | "team" | "status">;
  readonly recipients: readonly Pick<
    EnvelopeRecipient,
    "id" | "emailKey" | "notifiedAt" | "awaited" | "status" | "delegate"
  >[];
};
type Among<R> = { readonly envelope: Subject["envelope"]; readonly recipients: readonly R[] };

/** Those who are awaited, and whom this person signs for now. */
export function delegatorsIn<R extends Subject["recipients"][number]>(
  { recipients }: Pick<Among<R>, "recipients">,
  { delegations = [] }: Pick<ViewingUser, "delegations">,
): readonly { readonly recipient: R; readonly delegation: Delegation }[] {
  return recipients.flatMap((recipient) => {
    const delegation = delegations.find(
      ({ emailKey, overAt }) => overAt === null && emailKey === recipient.emailKey,
    );
    return delegation !== undefined && recipient.awaited && recipient.notifiedAt !== null
      ? [{ recipient, delegation }]
      : [];
  });
}

/**
 * Gives a signed-in person's relation to an envelope: owner, as everybody in its team, or recipient
 * by confirmed address, or by delegation: of an awaited recipient while it stands, later of one they
 * signed for.
 * Of several recipients at one address: the awaited one, then one who has not answered.
 * Errors: `not_found`, also for a recipient of a draft or cancelled envelope; `address_unconfirmed`
 * for a recipient by an unconfirmed address.
 */
export function viewerOf({ envelope, recipients }: Subject, user: ViewingUser): Result<Viewer> {
  if (envelope.ownerId === user.id || user.teams.some(({ id }) => id === envelope.team?.id))
    return success({ kind: "owner" });
  const own = ownRecipient({ envelope, recipients }, user.email_key);
  const recipient = own?.awaited
    ? own
    : (delegatorsIn({ recipients }, user)[0]?.recipient ??
      own ??
      signedFor({ envelope, recipients }, user.id));
  if (recipient === undefined) return failure(problem("not_found"));
  if (recipient === own && user.recipient_key === null)
    return failure(problem("address_unconfirmed"));
  return success({ kind: "recipient", recipientId: recipient.id });
}

/** Gives the recipient this person agreed for, by a delegation that may be over. */
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

/** Gives the recipient at this address in a sent envelope, if any. */
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

/** For whom this person is asked to sign now, unless it is for themselves. */
export function behalfIn<R extends Subject["recipients"][number] & { readonly fullName: string }>(
  subject: Among<R>,
  user: ViewingUser,
): { readonly recipient_id: string; readonly full_name: string } | undefined {
  if (ownRecipient(subject, user.email_key)?.awaited) return undefined;
  const recipient = delegatorsIn(subject, user)[0]?.recipient;
  return recipient && { recipient_id: recipient.id, full_name: recipient.fullName };
}
