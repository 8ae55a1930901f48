import { timingSafeEqual } from "node:crypto";
import { failure, OTP_WRONG_TRIES_PER_LINK, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Channel } from "@paraphe/proof";
import { documentsDigest } from "../documents/public.ts";
import { noteView } from "../envelopes/public.ts";
import { appendEvent, type AuditAction } from "../journal/public.ts";
import { recordArrival, selectChannel } from "../notices/public.ts";
import { type CodeDoor, holderKey, type OpenedDoor } from "./code-door.ts";
import { confirmAddressOf } from "./confirm-address-of.ts";
import { judgeCode } from "./domain/judge-code.ts";
import { areTwoChannels } from "./domain/two-channels.ts";
import { type GuestCookie, openGuestSession } from "./guest-session.ts";
import { hashCode } from "./hash-code.ts";
import { codeKey } from "./send-code.ts";
import { countWrongTry, loadLatestCode, markCodeUsed, type StoredCode } from "./store.ts";

export type CodeEntry = { readonly door: CodeDoor; readonly code: string; readonly client: RequestClient };

/**
 * Tries a code; a right one opens this browser's session on the documents as they are now. A member's confirms the address of the account, and gives null.
 * Errors: those of the door; `otp_invalid` with `attempts_left`, the same for wrong, expired and never sent; `otp_locked` or `address_code_locked`; `second_channel_required`, whatever
 * the code, where it went no other way than the link.
 * Source: security lines 36 to 39.
 */
export function verifyCode(platform: Platform, request: CodeEntry): Promise<Result<GuestCookie | null>> {
  return inTransaction<Result<GuestCookie | null>>(platform.db, async (trx) => {
    const now = platform.clock();
    // Both are read under the door’s lock, which every try and every sending takes.
    const door = await request.door.lock(trx, now);
    if (!door.ok) return door;
    const guest = door.value;
    const latest = await loadLatestCode(trx, guest.holder);
    const ways = await waysOf(trx, request.door, latest);
    if (latest !== null && !areTwoChannels(ways.link, ways.code)) return failure(problem("second_channel_required"));
    const matches = isSameCode(platform, { guest, latest, code: request.code });
    const { entrance } = request.door;
    const verdict = judgeCode({ entrance, latest, matches, entranceWrongTries: guest.wrongTries, now });
    const note = (action: AuditAction) =>
      appendEvent(trx, platform, {
        envelopeId: guest.aggregate.envelope.id,
        action,
        actor: request.door.actor,
        detail: { recipient: guest.recipient.id },
      });
    if (verdict.kind === "frozen") return failure(verdict.problem);
    if (verdict.kind === "wrong") {
      await countWrongTry(trx, guest.holder, latest === null ? null : { id: latest.id, killedAt: verdict.kills ? now : null });
      await note("code_refused");
      if (entrance === "link" && guest.wrongTries + 1 >= OTP_WRONG_TRIES_PER_LINK) await note("link_frozen");
      return failure(verdict.problem);
    }
    return success(await admit(trx, platform, { ...request, guest, latest: latest as StoredCode, ways }));
  });
}

type Ways = { readonly link: Channel | null; readonly code: Channel | null };

/** How the link and the code went, as it is now known: a text that could not leave went by mail. A member has no link, and codes by mail alone. */
async function waysOf(trx: Transaction, door: CodeDoor, latest: StoredCode | null): Promise<Ways> {
  const code = latest === null ? null : await selectChannel(trx, { dedupeKey: codeKey(latest.id) });
  return { link: "user" in door ? null : await selectChannel(trx, { linkSha256: door.linkSha256 }), code };
}

type Admission = CodeEntry & { readonly guest: OpenedDoor; readonly latest: StoredCode; readonly ways: Ways };

async function admit(trx: Transaction, platform: Platform, { guest, latest, ways, door, client }: Admission): Promise<GuestCookie | null> {
  const { recipient, aggregate } = guest;
  const envelopeId = aggregate.envelope.id;
  const opened = { envelopeId, recipientId: recipient.id, documentsSha256: documentsDigest(aggregate.documents), codeId: latest.id };
  const [, , , , cookie] = await together([
    markCodeUsed(trx, latest.id, platform.clock()),
    recordArrival(trx, platform, { dedupeKey: codeKey(latest.id) }),
    appendEvent(trx, platform, {
      envelopeId,
      action: "code_verified",
      actor: door.actor,
      detail: { recipient: recipient.id, code: latest.id, channel: ways.code, ...(ways.link === null ? {} : { link_channel: ways.link }) },
    }),
    // From here this browser shows the documents: the person has opened them.
    recipient.viewedAt === null && !("user" in door) ? noteView(trx, platform, { envelopeId, recipient, client }) : Promise.resolve(),
    "user" in door ? confirmAddressOf(trx, platform, door.user) : openGuestSession(trx, platform, opened),
  ]);
  return cookie;
}

/** Compares in constant time, also when there is nothing to compare with. */
function isSameCode(
  platform: Platform,
  tried: { readonly guest: OpenedDoor; readonly latest: StoredCode | null; readonly code: string },
): boolean {
  const id = tried.latest?.id ?? "none";
  const typed = hashCode(platform, { id, to: holderKey(tried.guest.holder), code: tried.code });
  const stored = tried.latest?.codeHmac ?? new Uint8Array(typed.length);
  return timingSafeEqual(typed, stored);
}
