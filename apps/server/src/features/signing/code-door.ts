import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  invalidState,
  lockEnvelope,
  mustSign,
  notYourTurn,
  ownRecipient,
  signsBefore,
  viewerOf,
} from "../envelopes/public.ts";
import type { AuditActor } from "../journal/public.ts";
import { type Guest, lockGuestDoor } from "./guest-session.ts";
import { type CodeHolder, lockAddressTries } from "./store.ts";

type Signatory = Pick<SessionUser, "id" | "email_key" | "recipient_key">;
type Subject = Pick<EnvelopeAggregate, "envelope" | "recipients">;

/**
 * Gives the recipient that a signed-in user signs as: by the account's confirmed address, and as nobody else (security line 42). Of two people of one
 * address it is the one whose turn it is, else the one who has yet to sign. `shown`: whom they were shown as when they agreed; they sign as that person or not
 * at all, whoever's turn it is by now.
 * Errors: `not_found` for whoever may not see the envelope; `not_your_turn` for a signer who has not been written to yet;
 * `address_unconfirmed` where no person has confirmed that address yet; to its sender alone `not_a_signer` when not among the signers, `invalid_state` when it
 * was not sent or was cancelled.
 */
export function findSignatory(
  aggregate: Subject | null,
  user: Signatory,
  shown?: string,
): Result<EnvelopeRecipient> {
  const named = findNamedSignatory(aggregate, user, shown);
  const isSomebody = named.ok || named.error.code === "not_your_turn";
  return isSomebody && user.recipient_key === null
    ? failure(problem("address_unconfirmed"))
    : named;
}

/**
 * Gives whom the account's address stands for, whether or not it was confirmed: for the code that confirms it, and for nothing else.
 * Errors: those of `findSignatory`, but `address_unconfirmed`.
 */
export function findNamedSignatory(
  aggregate: Subject | null,
  account: Pick<Signatory, "id" | "email_key">,
  shown?: string,
): Result<EnvelopeRecipient> {
  const user = { ...account, recipient_key: account.email_key };
  if (aggregate === null) return failure(problem("not_found"));
  const { status } = aggregate.envelope;
  const named = aggregate.recipients.filter((recipient) => recipient.emailKey === user.email_key);
  if (shown !== undefined && status !== "draft" && status !== "cancelled") {
    const same = named.find(({ id, notifiedAt }) => id === shown && notifiedAt !== null);
    return same === undefined ? failure(problem("not_found")) : success(same);
  }
  const isOpen = status === "sent" || status === "pending";
  const next = isOpen ? nextToSign(named) : undefined;
  const own = ownRecipient(aggregate, user.email_key);
  if (own !== undefined && (own.awaited || next === undefined)) return success(own);
  const viewer = viewerOf(aggregate, user);
  // Whose confirmed address stands in a request that is under way may know that it is not their turn; of any other they know nothing.
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

/** Gives who of these has yet to sign, the first in the order of signing. */
function nextToSign(named: readonly EnvelopeRecipient[]): EnvelopeRecipient | undefined {
  return inOrder(named).find(
    (recipient) =>
      mustSign(recipient) && recipient.status !== "signed" && recipient.status !== "declined",
  );
}

function inOrder(named: readonly EnvelopeRecipient[]): readonly EnvelopeRecipient[] {
  return named.toSorted((one, other) => one.order - other.order);
}

/** Whose codes are asked for and tried here, with the wrong tries that were counted. */
export type OpenedDoor = Guest & { readonly holder: CodeHolder; readonly wrongTries: number };

/** Who asks for a code or enters one: a guest behind a link (`linkSha256`), or a member whose account's address it is to confirm (`user`). */
export type CodeDoor = {
  /** Opens it under a lock, for what is about to be written. */
  lock(trx: Transaction, now: Date): Promise<Result<OpenedDoor>>;
  readonly actor: AuditActor;
} & (
  | { readonly entrance: "link"; readonly linkSha256: Uint8Array }
  | { readonly entrance: "account"; readonly user: SessionUser }
);

/** Gives the door of a guest's link. Errors of `lock`: those of `lockGuestDoor`. */
export function guestCodeDoor(
  guest: Guest,
  linkSha256: Uint8Array,
  client: RequestClient,
): CodeDoor {
  return {
    async lock(trx, now) {
      const door = await lockGuestDoor(trx, guest, now);
      if (!door.ok) return door;
      const { id: recipientId, wrongTries } = door.value.recipient;
      return success({ ...door.value, holder: { recipientId }, wrongTries });
    },
    actor: guestActor(guest, client),
    entrance: "link",
    linkSha256,
  };
}

type MemberEntry = {
  readonly envelopeId: string;
  readonly user: SessionUser;
  readonly client: RequestClient;
};

/**
 * Gives the door of a signed-in recipient whose address may not be confirmed yet. Codes and wrong tries are the address's: envelopes that are sent there give
 * no further tries, nor does a new account of that address, and nothing is taken from whoever was invited.
 * Errors of `lock`: those of `findNamedSignatory`.
 */
export function memberCodeDoor(
  platform: Pick<Platform, "secrets">,
  { envelopeId, user, client }: MemberEntry,
): CodeDoor {
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

/** Gives the keyed hash that the codes of an account's address are counted by: the count outlives the account, the address does not. */
export function hashAddress(
  { secrets }: Pick<Platform, "secrets">,
  user: Pick<SessionUser, "email_key">,
): Uint8Array {
  return secrets.hmac("one-time-code", Buffer.from(`address:${user.email_key}`));
}

/** Names whose codes they are, for what a code is bound to. */
export function holderKey(holder: CodeHolder): string {
  return "recipientId" in holder
    ? holder.recipientId
    : Buffer.from(holder.addressHmac).toString("base64url");
}

/** Who acts behind a link, as the journal keeps it. */
export function guestActor(guest: Guest, client: RequestClient): AuditActor {
  return {
    kind: "recipient",
    id: guest.recipient.id,
    name: guest.recipient.fullName,
    ip: client.ip,
    userAgent: client.userAgent,
  };
}
