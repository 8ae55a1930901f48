import type { Problem, StandingDelegation } from "@paraphe/contracts";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { parisDay } from "@paraphe/kernel/paris-days";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import {
  type Delegate,
  delegationOver,
  delegationsOf,
  type EnvelopeAggregate,
  type EnvelopeRecipient,
} from "../envelopes/public.ts";
import { enqueueNotice, type Notice } from "../notices/public.ts";

type Account = Pick<SessionUser, "id" | "email" | "email_key" | "recipient_key" | "full_name"> &
  Pick<SessionUser, "delegations">;

/** The delegation an account acts under for this recipient; undefined: it acts for itself. */
export function delegationFor(
  user: Pick<Account, "email_key" | "delegations">,
  { aggregate, recipient }: ActedFor,
): StandingDelegation | undefined {
  if (recipient.emailKey === user.email_key) return undefined;
  return delegationsOf({ envelope: aggregate.envelope, recipient }, user).find(
    ({ overAt }) => overAt === null,
  );
}

type ActedFor = {
  readonly aggregate: Pick<EnvelopeAggregate, "envelope">;
  readonly recipient: EnvelopeRecipient;
};

/** The delegate, as the consent records it. */
export function delegateOf(user: Account, delegation: StandingDelegation): Delegate {
  return {
    user_id: user.id,
    delegation_id: delegation.id,
    full_name: user.full_name,
    email: user.recipient_key === null ? null : user.email,
    starts_on: delegation.startsOn,
    ends_on: delegation.endsOn,
    scope: delegation.scope,
    circuit: delegation.circuit,
  };
}

export function actingFor(user: Account, acted: ActedFor): Delegate | undefined {
  const delegation = delegationFor(user, acted);
  return delegation && delegateOf(user, delegation);
}

/** What a consent or visa says of the delegation it was given under. */
export function delegatedFacts(delegate: Delegate | undefined) {
  if (delegate === undefined) return {};
  const { delegation_id: delegation, starts_on, ends_on, scope, circuit } = delegate;
  return {
    detail: {
      delegation,
      delegation_from: starts_on,
      delegation_to: ends_on,
      delegation_scope: scope,
      ...(circuit === null ? {} : { delegation_circuit: circuit }),
    },
    personal: {
      delegate_name: delegate.full_name,
      ...(delegate.email && { delegate_email: delegate.email }),
    },
  };
}

export type Over = {
  readonly recipient: EnvelopeRecipient;
  readonly delegation: StandingDelegation;
};

/** A document sent after a delegation ended was never its delegate's to see. */
export function findOver(
  { envelope, recipients }: Pick<EnvelopeAggregate, "envelope" | "recipients">,
  user: Pick<Account, "delegations">,
  shown?: string,
): Over | null {
  const found = recipients.flatMap((recipient): Over[] => {
    const { id, awaited, notifiedAt } = recipient;
    const delegation = delegationsOf({ envelope, recipient }, user).find(
      ({ overAt }) => overAt !== null && notifiedAt !== null && notifiedAt <= overAt,
    );
    const isAsked = awaited && (shown === undefined || id === shown);
    return isAsked && delegation !== undefined ? [{ recipient, delegation }] : [];
  });
  return found[0] ?? null;
}

type Refusal = Over & {
  readonly envelope: EnvelopeAggregate["envelope"];
  readonly user: Pick<Account, "full_name">;
  /** `act`: the delegator is notified that nothing was done. */
  readonly to: "act" | "read";
};

/** Says why nothing is signed, and whose document it is. */
export async function refuseOver(
  platform: Platform,
  { recipient, delegation, envelope, user, to }: Refusal,
): Promise<Problem> {
  const isTold = to === "act" && !platform.settings.mailDisabled;
  if (to === "act")
    await inTransaction(platform.db, (trx) =>
      enqueueNotice(trx, platform, {
        kind: "delegation_returned",
        channel: "email",
        dedupeKey: `delegation_returned:${delegation.id}:${recipient.id}`,
        to: { fullName: recipient.fullName, address: recipient.email },
        envelopeId: envelope.id,
        recipientId: recipient.id,
        content: {
          role: recipient.role,
          delegate: user.full_name,
          envelopeTitle: envelope.title,
          link: `${platform.settings.publicUrl}/signature/sign/${envelope.id}`,
        },
      }),
    );
  const ended =
    parisDay(platform.clock()) > delegation.endsOn
      ? `Elle allait jusqu’au ${formatLongDay(delegation.endsOn)} à minuit.`
      : "Elle a été arrêtée.";
  const back = `Rien n’a été ${recipient.role === "visa" ? "visé" : "signé"}\u00a0: le document revient à ${recipient.fullName}${isTold ? ", que nous prévenons" : ""}.`;
  return delegationOver(`${ended} ${back}`);
}

export type DelegatedAct = Extract<Notice, { kind: "delegation_used" }>["content"]["act"];

/** Notifies the delegator at the address the document was sent to. */
export function actedByDelegate(
  { settings }: Pick<Platform, "settings">,
  acted: {
    readonly act: DelegatedAct;
    readonly envelope: EnvelopeAggregate["envelope"];
    readonly recipient: EnvelopeRecipient;
    readonly delegate: Delegate;
    readonly at: Date;
    readonly returned?: { readonly to: string; readonly reason: string } | undefined;
  },
): Notice {
  const { act, envelope, recipient, delegate, at, returned } = acted;
  return {
    kind: "delegation_used",
    channel: "email",
    dedupeKey: `delegation_used:${recipient.id}:${at.toISOString()}`,
    to: { fullName: recipient.fullName, address: recipient.email },
    envelopeId: envelope.id,
    // After a reassignment the recipient is the new holder; this message is not theirs.
    recipientId: act === "reassign" ? null : recipient.id,
    content: {
      delegate: delegate.full_name,
      envelopeTitle: envelope.title,
      act,
      ...(returned === undefined ? {} : { returned }),
      signedAt: at.toISOString(),
      // Of a step given away, the signing page says to whom.
      link: `${settings.publicUrl}/signature/${act === "reassign" ? "sign" : "detail"}/${envelope.id}`,
    },
  };
}
