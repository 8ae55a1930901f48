import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import { lockEnvelope } from "../envelopes/public.ts";
import type { AuditActor } from "../journal/public.ts";
import { findNamedSignatory } from "./find-signatory.ts";
import { type Guest, lockGuestDoor } from "./guest-door.ts";
import { type CodeHolder, lockAddressTries } from "./store.ts";

/** Whose codes are asked for and tried here, with the wrong tries that were counted. */
export type OpenedDoor = Guest & { readonly holder: CodeHolder; readonly wrongTries: number };

/** Who asks for a code or enters one: a guest behind a link (`linkSha256`), or a member whose account's address it is to confirm (`user`). */
export type CodeDoor = {
  /** Opens it under a lock, for what is about to be written. */
  lock(trx: Transaction, now: Date): Promise<Result<OpenedDoor>>;
  readonly actor: AuditActor;
} & ({ readonly entrance: "link"; readonly linkSha256: Uint8Array } | { readonly entrance: "account"; readonly user: SessionUser });

/** Gives the door of a guest's link. Errors of `lock`: those of `lockGuestDoor`. */
export function guestCodeDoor(guest: Guest, linkSha256: Uint8Array, client: RequestClient): CodeDoor {
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

type MemberEntry = { readonly envelopeId: string; readonly user: SessionUser; readonly client: RequestClient };

/**
 * Gives the door of a signed-in recipient whose address may not be confirmed yet. Codes and wrong tries are the address's: envelopes that are sent there give
 * no further tries, nor does a new account of that address, and nothing is taken from whoever was invited.
 * Errors of `lock`: those of `findNamedSignatory`.
 */
export function memberCodeDoor(platform: Pick<Platform, "secrets">, { envelopeId, user, client }: MemberEntry): CodeDoor {
  return {
    async lock(trx, now) {
      const aggregate = await lockEnvelope(trx, envelopeId);
      const signatory = findNamedSignatory(aggregate, user);
      if (!signatory.ok) return signatory;
      if (aggregate === null) return failure(problem("not_found"));
      const addressHmac = hashAddress(platform, user);
      const wrongTries = await lockAddressTries(trx, addressHmac, now);
      return success({ aggregate, recipient: signatory.value, holder: { addressHmac }, wrongTries });
    },
    actor: { kind: "user", id: user.id, name: user.full_name, ip: client.ip, userAgent: client.userAgent },
    entrance: "account",
    user,
  };
}

/** Gives the keyed hash that the codes of an account's address are counted by: the count outlives the account, the address does not. */
export function hashAddress({ secrets }: Pick<Platform, "secrets">, user: Pick<SessionUser, "email_key">): Uint8Array {
  return secrets.hmac("one-time-code", Buffer.from(`address:${user.email_key}`));
}

/** Names whose codes they are, for what a code is bound to. */
export function holderKey(holder: CodeHolder): string {
  return "recipientId" in holder ? holder.recipientId : Buffer.from(holder.addressHmac).toString("base64url");
}

/** Who acts behind a link, as the journal keeps it. */
export function guestActor(guest: Guest, client: RequestClient): AuditActor {
  return { kind: "recipient", id: guest.recipient.id, name: guest.recipient.fullName, ip: client.ip, userAgent: client.userAgent };
}
