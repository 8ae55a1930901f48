import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { SessionUser } from "../accounts/index.ts";
import type { AuditActor } from "../audit/index.ts";
import { lockEnvelope } from "../envelopes/index.ts";
import { findNamedSignatory } from "./find-signatory.ts";
import { type Guest, lockGuestDoor } from "./guest-door.ts";

/** Who asks for a code or enters one: a guest behind a link (`linkSha256`), or a member whose account's address it is to confirm (`user`). */
export type CodeDoor = {
  /** Opens it under the envelope's lock, for what is about to be written. */
  lock(trx: Transaction, now: Date): Promise<Result<Guest>>;
  readonly actor: AuditActor;
} & ({ readonly linkSha256: Uint8Array } | { readonly user: SessionUser });

/** Gives the door of a guest's link. Errors of `lock`: those of `lockGuestDoor`. */
export function guestCodeDoor(guest: Guest, linkSha256: Uint8Array, client: RequestClient): CodeDoor {
  return { lock: (trx, now) => lockGuestDoor(trx, guest, now), actor: guestActor(guest, client), linkSha256 };
}

/** Gives the door of a signed-in recipient whose address may not be confirmed yet. Errors of `lock`: those of `findNamedSignatory`. */
export function memberCodeDoor(envelopeId: string, user: SessionUser, { ip, userAgent }: RequestClient): CodeDoor {
  return {
    async lock(trx) {
      const aggregate = await lockEnvelope(trx, envelopeId);
      const signatory = findNamedSignatory(aggregate, user);
      if (!signatory.ok) return signatory;
      return aggregate === null ? failure(problem("not_found")) : success({ aggregate, recipient: signatory.value });
    },
    actor: { kind: "user", id: user.id, name: user.full_name, ip, userAgent },
    user,
  };
}

/** Who acts behind a link, as the journal keeps it. */
export function guestActor(guest: Guest, client: RequestClient): AuditActor {
  return { kind: "recipient", id: guest.recipient.id, name: guest.recipient.fullName, ip: client.ip, userAgent: client.userAgent };
}
