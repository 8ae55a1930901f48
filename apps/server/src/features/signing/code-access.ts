import { toBase64Url } from "@paraphe/kernel/bytes";
import { parisDay } from "@paraphe/kernel/paris-days";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Channel } from "@paraphe/proof";
import type { RequestClient } from "../../platform/http/request-facts.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  delegationOver,
  delegationsOf,
  delegatorsIn,
  inCorrection,
  invalidState,
  isReturned,
  lockEnvelope,
  hasAnswered,
  mustAct,
  notYourTurn,
  ownRecipient,
  signedFor,
  signsBefore,
  stepReassigned,
  viewerOf,
  wasAsked,
} from "../envelopes/public.ts";
import type { AuditActor } from "../journal/public.ts";
import { channelOf } from "../notices/public.ts";
import { findOver } from "./delegations.ts";
import { type Guest, guestActor, lockGuestAccess } from "./guest-access.ts";
import { type CodeHolder, loadCodes, lockAddressTries, type StoredCode } from "./store.ts";

type Signatory = Pick<SessionUser, "id" | "email_key" | "recipient_key" | "delegations" | "teams">;
type Subject = Pick<EnvelopeAggregate, "envelope" | "recipients">;

/**
 * Finds the recipient a user signs as, by confirmed address alone (security line 42): whose turn it
 * is, else who is next; else whom they sign or signed for. `shown` is the recipient on the page.
 * Errors: `not_found`; `delegation_over` for a day; `not_your_turn`; `address_unconfirmed`; for the
 * sender `not_a_signer`, and `invalid_state` of a draft or a cancelled envelope.
 */
export function findSignatory(
  aggregate: Subject | null,
  user: Signatory,
  shown?: string,
): Result<EnvelopeRecipient> {
  const named = findNamedSignatory(aggregate, user, shown);
  if (aggregate !== null && (!named.ok || (shown === undefined && !named.value.awaited))) {
    const asked = delegatorsIn(aggregate, user).find(
      ({ recipient }) => shown === undefined || recipient.id === shown,
    );
    if (asked !== undefined) return success(asked.recipient);
    const signed = named.ok ? undefined : signedFor(aggregate, user.id, shown);
    if (signed !== undefined) return success(signed);
    const { envelope } = aggregate;
    if (!named.ok && isReturned(envelope) && wasAsked(aggregate, user))
      return failure(inCorrection(envelope));
    const isNobody = !named.ok && ["not_found", "not_a_signer"].includes(named.error.code);
    if (isNobody && findOver(aggregate, user, shown) !== null) return failure(delegationOver());
  }
  const isSomebody = named.ok || named.error.code === "not_your_turn";
  return isSomebody && user.recipient_key === null
    ? failure(problem("address_unconfirmed"))
    : named;
}

/** Accepts an unconfirmed address, for the code that confirms it. */
export function findNamedSignatory(
  aggregate: Subject | null,
  account: Omit<Signatory, "recipient_key">,
  shown?: string,
): Result<EnvelopeRecipient> {
  const user = { ...account, recipient_key: account.email_key };
  if (aggregate === null) return failure(problem("not_found"));
  const { status } = aggregate.envelope;
  const named = aggregate.recipients.filter((recipient) => recipient.emailKey === user.email_key);
  const given = aggregate.recipients.find(
    (recipient) =>
      (shown === undefined || shown === recipient.id) && hadStep({ aggregate, recipient }, user),
  );
  if (given !== undefined && !named.some(({ id }) => shown === undefined || shown === id))
    return failure(stepReassigned(given));
  if (shown !== undefined && status !== "draft" && status !== "cancelled") {
    const same = named.find(({ id, notifiedAt }) => id === shown && notifiedAt !== null);
    return same === undefined ? failure(problem("not_found")) : success(same);
  }
  const isOpen = status === "sent" || status === "pending";
  const next = isOpen ? nextToSign(named) : undefined;
  const own = ownRecipient(aggregate, user.email_key);
  if (own !== undefined && (own.awaited || next === undefined)) return success(own);
  const viewer = viewerOf(aggregate, user);
  // Only signers of an open envelope have turns.
  if (!viewer.ok && next === undefined) return viewer;
  const first = next ?? inOrder(named)[0];
  if (first === undefined) return failure(problem("not_a_signer"));
  if (status === "draft" || status === "cancelled") return failure(invalidState(status));
  return failure(
    notYourTurn(
      signsBefore({ flow: aggregate.envelope.flow, recipients: aggregate.recipients }, first.id),
    ),
  );
}

/** Before it went to somebody else: the holder, or who stood in for them on that day. */
function hadStep(
  { aggregate, recipient }: { readonly aggregate: Subject; readonly recipient: EnvelopeRecipient },
  user: Signatory,
): boolean {
  const { reassignedFrom, reassignedAt } = recipient;
  if (reassignedFrom === null || reassignedAt === null) return false;
  if (reassignedFrom === user.email_key) return true;
  const former = {
    envelope: aggregate.envelope,
    recipient: { ...recipient, emailKey: reassignedFrom },
  };
  return delegationsOf(former, user).some(
    ({ startsOn, overAt }) => overAt === null && startsOn <= parisDay(reassignedAt),
  );
}

function nextToSign(named: readonly EnvelopeRecipient[]): EnvelopeRecipient | undefined {
  return inOrder(named).find((recipient) => mustAct(recipient) && !hasAnswered(recipient));
}

function inOrder(named: readonly EnvelopeRecipient[]): readonly EnvelopeRecipient[] {
  return named.toSorted((one, other) => one.order - other.order);
}

/**
 * `holder`: whose codes and tries count; `link`: the channel it came by, null for an account;
 * `opened`: its hash until its arrival is known.
 */
export type OpenedAccess = Pick<Guest, "recipient" | "aggregate"> & {
  readonly holder: CodeHolder;
  readonly wrongTries: number;
  readonly codes: readonly StoredCode[];
  readonly link: Channel | null;
  readonly opened: Uint8Array | null;
};

/** Access to codes by a guest's link, or of a user who confirms their address. */
export type CodeAccess = {
  lock(trx: Transaction, now: Date): Promise<Result<OpenedAccess>>;
  readonly actor: AuditActor;
} & ({ readonly entrance: "link" } | { readonly entrance: "account"; readonly user: SessionUser });

/** Errors of `lock`: those of `lockGuestAccess`. */
export function guestCodeAccess(guest: Guest, client: RequestClient): CodeAccess {
  return {
    async lock(trx, now) {
      const access = await lockGuestAccess(trx, guest, { now });
      if (!access.ok) return access;
      const { aggregate, recipient, facts, key } = access.value;
      return success({
        aggregate,
        recipient,
        holder: { recipientId: recipient.id },
        wrongTries: recipient.wrongTries,
        codes: facts.codes,
        link: channelOf(facts.link),
        opened: facts.awaitsOpening ? key.linkSha256 : null,
      });
    },
    actor: guestActor(guest, client),
    entrance: "link",
  };
}

type MemberEntry = {
  readonly envelopeId: string;
  readonly user: SessionUser;
  readonly client: RequestClient;
};

/**
 * Codes and tries count by address, over envelopes and accounts. Errors of `lock`: those of
 * `findNamedSignatory`.
 */
export function memberCodeAccess(
  platform: Pick<Platform, "secrets">,
  { envelopeId, user, client }: MemberEntry,
): CodeAccess {
  return {
    async lock(trx, now) {
      const aggregate = await lockEnvelope(trx, envelopeId);
      const signatory = findNamedSignatory(aggregate, user);
      if (!signatory.ok) return signatory;
      if (aggregate === null) return failure(problem("not_found"));
      const addressHmac = hashAddress(platform, user);
      const wrongTries = await lockAddressTries(trx, addressHmac, now);
      return success({
        aggregate,
        recipient: signatory.value,
        holder: { addressHmac },
        wrongTries,
        codes: await loadCodes(trx, { addressHmac }),
        link: null,
        opened: null,
      });
    },
    actor: {
      kind: "user",
      id: user.id,
      name: user.full_name,
      ip: client.ip,
      userAgent: client.userAgent,
    },
    entrance: "account",
    user,
  };
}

/** Hashes an address to count its codes; may outlive the account. */
export function hashAddress(
  { secrets }: Pick<Platform, "secrets">,
  user: Pick<SessionUser, "email_key">,
): Uint8Array {
  return secrets.hmac("one-time-code", Buffer.from(`address:${user.email_key}`));
}

/** A code's hash is bound to this key. */
export function holderKey(holder: CodeHolder): string {
  return "recipientId" in holder ? holder.recipientId : toBase64Url(holder.addressHmac);
}
