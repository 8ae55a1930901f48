import { failure, isId, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, findRecipientByToken, lockEnvelope } from "../envelopes/public.ts";
import { checkGuestAccess } from "./domain/check-guest-access.ts";

/** What a guest's request says of who asks. */
export type GuestKey = { readonly envelopeId: string; readonly token: string | null };
/** A guest whose link is good, before any code. */
export type Guest = { readonly recipient: EnvelopeRecipient; readonly aggregate: EnvelopeAggregate };

/**
 * Opens the door of a link.
 * Errors: `not_found` for every wrong token, envelope or state that tells nothing; 410 for the right token of a closed envelope.
 */
export async function openGuestDoor(reader: Reader, key: GuestKey, now: Date): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key);
  return guest === null ? failure(problem("not_found")) : checkDoor(guest, now);
}

/**
 * Opens the door of a link for the one thing that may still be asked once the deadline has passed: more time.
 * Errors: those of `openGuestDoor`, but `envelope_expired`.
 */
export async function openExpiredDoor(reader: Reader, key: GuestKey, now: Date): Promise<Result<Guest>> {
  const guest = await recogniseGuest(reader, key);
  if (guest === null) return failure(problem("not_found"));
  const door = checkDoor(guest, now);
  return door.ok || door.error.code !== "envelope_expired" ? door : success(guest);
}

async function recogniseGuest(reader: Reader, key: GuestKey): Promise<Guest | null> {
  return key.token === null || !isId(key.envelopeId) ? null : findRecipientByToken(reader, key.envelopeId, key.token);
}

/**
 * Opens the door again under the envelope's lock, for what is about to be written. Whose link it is does not change; the envelope's state
 * does, and the sender may have corrected the address that the link went to.
 * Errors: those of `openGuestDoor`.
 */
export async function lockGuestDoor(trx: Transaction, guest: Guest, now: Date): Promise<Result<Guest>> {
  const aggregate = await lockEnvelope(trx, guest.aggregate.envelope.id);
  const recipient = aggregate?.recipients.find((candidate) => candidate.id === guest.recipient.id);
  if (aggregate === null || recipient === undefined || recipient.emailKey !== guest.recipient.emailKey)
    return failure(problem("not_found"));
  return checkDoor({ aggregate, recipient }, now);
}

/** Whoever holds the right token of a closed envelope is told which document it was (`document_title`), and who sent it (`sender_name`): they have been told before. */
function checkDoor(guest: Guest, now: Date): Result<Guest> {
  const { status, completedAt, deadlineAt, title, createdByName } = guest.aggregate.envelope;
  const access = checkGuestAccess({ status, completedAt, deadlineAt, now, hasDeclined: guest.recipient.status === "declined" });
  if (access.ok) return success(guest);
  if (access.error.code === "not_found") return access;
  return failure({ ...access.error, extensions: { ...access.error.extensions, document_title: title, sender_name: createdByName } });
}
