import { type Problem, problem } from "@paraphe/contracts";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { parisDay } from "@paraphe/kernel/paris-days";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser, SigningFor } from "../accounts/public.ts";
import type {
  ActingDelegate,
  Delegate,
  EnvelopeAggregate,
  EnvelopeRecipient,
} from "../envelopes/public.ts";
import { enqueueNotice, type Notice } from "../notices/public.ts";

type Account = Pick<SessionUser, "id" | "email" | "email_key" | "recipient_key" | "full_name"> &
  Pick<SessionUser, "delegations">;

/** Under which an account acts for this recipient; undefined: its own. */
export function delegationFor(
  user: Pick<Account, "email_key" | "delegations">,
  recipient: Pick<EnvelopeRecipient, "emailKey">,
): SigningFor | undefined {
  if (recipient.emailKey === user.email_key) return undefined;
  return user.delegations?.find(
    ({ emailKey, overAt }) => overAt === null && emailKey === recipient.emailKey,
  );
}

/** Whom this account could sign for a moment ago. `shown`: on the page. */
export function delegateOf(user: Account, delegation: SigningFor): Delegate {
  return {
    user_id: user.id,
    delegation_id: delegation.id,
    full_name: user.full_name,
    email: user.recipient_key === null ? null : user.email,
    starts_on: delegation.startsOn,
    ends_on: delegation.endsOn,
  };
}

export function actingFor(
  user: Pick<Account, "email_key" | "full_name" | "delegations">,
  recipient: Pick<EnvelopeRecipient, "emailKey">,
): ActingDelegate | undefined {
  const delegation = delegationFor(user, recipient);
  return delegation && { delegationId: delegation.id, fullName: user.full_name };
}

export type Over = { readonly recipient: EnvelopeRecipient; readonly delegation: SigningFor };

/** What came after was never theirs to see. */
export function findOver(
  { recipients }: Pick<EnvelopeAggregate, "recipients">,
  { delegations = [] }: Pick<Account, "delegations">,
  shown?: string,
): Over | null {
  const found = recipients.flatMap((recipient): Over[] => {
    const { id, awaited, notifiedAt, emailKey } = recipient;
    const delegation = delegations.find(
      ({ overAt, ...one }) =>
        one.emailKey === emailKey && overAt !== null && notifiedAt !== null && notifiedAt <= overAt,
    );
    const isAsked = awaited && (shown === undefined || id === shown);
    return isAsked && delegation !== undefined ? [{ recipient, delegation }] : [];
  });
  return found[0] ?? null;
}

export const delegationOver = (explanation = "Rien n’a été signé."): Problem =>
  problem("delegation_over", { params: { explanation }, extensions: { explanation } });

type Refusal = Over & {
  readonly envelope: EnvelopeAggregate["envelope"];
  readonly user: Pick<Account, "full_name">;
  /** `act`: the delegator hears that nothing was done. */
  readonly to: "act" | "read";
};

/** Why nothing is signed, and whose document it is. */
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
  const back = `Rien n’a été signé\u00a0: le document revient à ${recipient.fullName}${isTold ? ", que nous prévenons" : ""}.`;
  return delegationOver(`${ended} ${back}`);
}

/** At the address the document was sent to. */
export function signedByDelegate(
  { settings }: Pick<Platform, "settings">,
  signed: {
    readonly envelope: EnvelopeAggregate["envelope"];
    readonly recipient: EnvelopeRecipient;
    readonly delegate: Delegate;
    readonly signedAt: Date;
  },
): Notice {
  const { envelope, recipient, delegate, signedAt } = signed;
  return {
    kind: "delegation_used",
    channel: "email",
    dedupeKey: `delegation_used:${recipient.id}`,
    to: { fullName: recipient.fullName, address: recipient.email },
    envelopeId: envelope.id,
    recipientId: recipient.id,
    content: {
      delegate: delegate.full_name,
      envelopeTitle: envelope.title,
      signedAt: signedAt.toISOString(),
      link: `${settings.publicUrl}/signature/detail/${envelope.id}`,
    },
  };
}
