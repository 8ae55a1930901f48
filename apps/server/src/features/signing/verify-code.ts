import { timingSafeEqual } from "node:crypto";
import { failure, OTP_WRONG_TRIES_PER_LINK, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, type AuditAction } from "../audit/index.ts";
import { documentsDigest } from "../documents/index.ts";
import { noteView } from "../envelopes/index.ts";
import { recordArrival } from "../notices/index.ts";
import { judgeCode } from "./domain/judge-code.ts";
import { type Guest, lockGuestDoor } from "./guest-door.ts";
import { type GuestCookie, openGuestSession } from "./guest-session.ts";
import { hashCode } from "./hash-code.ts";
import { codeKey, guestActor } from "./send-code.ts";
import { countWrongTry, loadLatestCode, markCodeUsed, type StoredCode } from "./store.ts";

export type CodeEntry = { readonly guest: Guest; readonly code: string; readonly client: RequestClient };

/**
 * Tries a code; a right one opens this browser's session on the documents as they are now.
 * Errors: those of the guest's door; `otp_invalid` with `attempts_left`, the same for wrong, expired and never sent; `otp_locked`.
 * Source: security lines 36 to 39.
 */
export function verifyCode(platform: Platform, request: CodeEntry): Promise<Result<GuestCookie>> {
  return inTransaction<Result<GuestCookie>>(platform.db, async (trx) => {
    const now = platform.clock();
    // Both are read under the envelope’s lock, which every try and every sending takes.
    const [door, latest] = await together([lockGuestDoor(trx, request.guest, now), loadLatestCode(trx, request.guest.recipient.id)]);
    if (!door.ok) return door;
    const guest = door.value;
    const linkWrongTries = guest.recipient.wrongTries;
    const verdict = judgeCode({ latest, matches: isSameCode(platform, { guest, latest, code: request.code }), linkWrongTries, now });
    const note = (action: AuditAction) =>
      appendEvent(trx, platform, { envelopeId: guest.aggregate.envelope.id, action, actor: guestActor(guest, request.client) });
    if (verdict.kind === "frozen") return failure(verdict.problem);
    if (verdict.kind === "wrong") {
      await countWrongTry(trx, guest.recipient.id, latest === null ? null : { id: latest.id, killedAt: verdict.kills ? now : null });
      await note("code_refused");
      if (linkWrongTries + 1 >= OTP_WRONG_TRIES_PER_LINK) await note("link_frozen");
      return failure(verdict.problem);
    }
    return success(await admit(trx, platform, { guest, latest: latest as StoredCode, client: request.client }));
  });
}

async function admit(
  trx: Transaction,
  platform: Platform,
  entry: { readonly guest: Guest; readonly latest: StoredCode; readonly client: RequestClient },
): Promise<GuestCookie> {
  const { recipient, aggregate } = entry.guest;
  const envelopeId = aggregate.envelope.id;
  const [, , , , cookie] = await together([
    markCodeUsed(trx, entry.latest.id, platform.clock()),
    recordArrival(trx, platform, { dedupeKey: codeKey(entry.latest.id) }),
    appendEvent(trx, platform, { envelopeId, action: "code_verified", actor: guestActor(entry.guest, entry.client) }),
    // From here this browser shows the documents: the person has opened them.
    recipient.viewedAt === null ? noteView(trx, platform, { envelopeId, recipient, client: entry.client }) : Promise.resolve(),
    openGuestSession(trx, platform, { recipientId: recipient.id, documentsSha256: documentsDigest(aggregate.documents) }),
  ]);
  return cookie;
}

/** Compares in constant time, also when there is nothing to compare with. */
function isSameCode(
  platform: Platform,
  tried: { readonly guest: Guest; readonly latest: StoredCode | null; readonly code: string },
): boolean {
  const id = tried.latest?.id ?? "none";
  const typed = hashCode(platform, { id, recipientId: tried.guest.recipient.id, code: tried.code });
  const stored = tried.latest?.codeHmac ?? new Uint8Array(typed.length);
  return timingSafeEqual(typed, stored);
}
