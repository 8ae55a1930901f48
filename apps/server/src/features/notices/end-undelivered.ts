import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { isStale } from "./domain/delivery-rules.ts";
import type { Notice } from "./domain/notice.ts";
import { mailedKey } from "./domain/mailed-key.ts";
import { pushedKey } from "./domain/pushed-key.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { hasPushReceipt } from "./push-store.ts";
import { finishNotice } from "./delivery-store.ts";
import type { StoredNotice } from "./store.ts";
import { unwrapContent } from "./wrapped-content.ts";

/**
 * Ends a message that cannot be delivered any more, with its server's words. A push that no browser took, and a text
 * whose reader's address is known, go by mail instead, unless the event was told in another way already: the mail's key says of what event it is.
 */
export async function endUndelivered(platform: Platform, notice: StoredNotice, end: { serverAnswer: string; at: Date }): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const taken = notice.channel === "push" && (await hasPushReceipt(trx, notice.id));
    await finishNotice(trx, { id: notice.id, state: taken ? "sent" : "refused", ...end, mayHaveLeft: notice.mayHaveLeft });
    if (taken || notice.channel === "email" || notice.contentWrapped === null) return;
    const { fullName, mailInstead, rhythm, content } = unwrapContent(platform.secrets, notice.id, notice.contentWrapped);
    const mail =
      notice.channel === "push"
        ? { address: notice.destination, dedupeKey: pushedKey.event(notice.dedupeKey) }
        : { address: mailInstead, dedupeKey: mailedKey(notice.dedupeKey) };
    // The code itself is dead: its words are no use by any way.
    const isDead = notice.kind === "code" && isStale(notice.kind, { createdAt: notice.createdAt, now: end.at });
    if (mail.address === undefined || isDead) return;
    await enqueueNotice(trx, platform, {
      kind: notice.kind,
      channel: "email",
      dedupeKey: mail.dedupeKey,
      to: { fullName, address: mail.address },
      envelopeId: notice.envelopeId,
      recipientId: notice.recipientId,
      linkSha256: notice.linkSha256,
      userId: notice.userId,
      senderId: notice.senderId,
      rhythm,
      content,
      // The kind and its content were written together.
    } as Notice);
  });
}
