import type { DeliveryOutcome, MailMessage } from "../../platform/mail/mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { deliverPush } from "./deliver-push.ts";
import { beginDelivery, finishNotice, recordDeferral } from "./delivery-store.ts";
import { isStale, staleAnswer } from "./domain/delivery-rules.ts";
import type { MailKind, NoticeContents, NoticeKind, PushKind } from "./domain/notice.ts";
import { renderMailHtml } from "./domain/render-mail-html.ts";
import { renderMailText } from "./domain/render-mail-text.ts";
import { writeMail } from "./domain/write-mail.ts";
import { type SmsKind, writeSms } from "./domain/write-sms.ts";
import { endUndelivered } from "./end-undelivered.ts";
import { loadAttachments } from "./load-attachments.ts";
import { loadNotice, type StoredNotice } from "./store.ts";
import { unwrapContent } from "./wrapped-content.ts";

/** The server asked to come back later, or did not answer: the queue tries again. */
export class DeliveryDeferredError extends Error {
  override readonly name = "DeliveryDeferredError";
}

/**
 * Delivers one message, once: a message that has left or was refused is not sent again.
 * Errors: throws `DeliveryDeferredError` for a 4xx or no connection; a 5xx is final and its words are kept.
 */
export async function deliverNotice(platform: Platform, noticeId: string): Promise<void> {
  const notice = await loadNotice(platform.db, noticeId);
  if (notice?.state !== "queued" || notice.contentWrapped === null || notice.heldFor !== null) return;
  const now = platform.clock();
  if (isStale(notice.kind, { createdAt: notice.notBefore ?? notice.createdAt, now, channel: notice.channel }))
    return endUndelivered(platform, notice, { serverAnswer: staleAnswer(notice.serverAnswer), at: now });
  if (!(await beginDelivery(platform.db, notice.id))) return;
  const outcome = await send(platform, notice, notice.contentWrapped);
  // An earlier try may have left, whatever this one came to.
  const mayHaveLeft = notice.mayHaveLeft || (outcome.state === "deferred" && outcome.mayHaveLeft === true);
  // A code is waited for by somebody at their screen: after a second try it goes by mail.
  const waits = notice.kind !== "code" || notice.channel !== "sms" || notice.tries === 0;
  const cause = outcome.cause ?? "";
  if (outcome.state === "deferred" && waits) {
    await recordDeferral(platform.db, { id: notice.id, serverAnswer: outcome.serverAnswer, mayHaveLeft });
    throw new DeliveryDeferredError(`notice ${notice.id} (${notice.kind}, ${notice.channel}) deferred: ${cause}`);
  }
  const end = { serverAnswer: outcome.serverAnswer, at: platform.clock() };
  if (outcome.state === "accepted") return finishNotice(platform.db, { id: notice.id, state: "sent", ...end, mayHaveLeft: true });
  await endUndelivered(platform, { ...notice, mayHaveLeft }, end);
  platform.log.warn({ noticeId: notice.id, kind: notice.kind, channel: notice.channel, cause }, "a message was refused by its server");
}

async function send(platform: Platform, notice: StoredNotice, wrapped: Uint8Array): Promise<DeliveryOutcome> {
  const kept = unwrapContent(platform.secrets, notice.id, wrapped);
  if (notice.channel === "sms") {
    const host = new URL(platform.settings.publicUrl).hostname;
    const text = writeSms(notice.kind as SmsKind, kept.content as NoticeContents[SmsKind], host);
    return platform.sms.deliver({ to: notice.destination, text });
  }
  if (notice.channel === "push") return deliverPush(platform, notice, kept.content as NoticeContents[PushKind]);
  return platform.mail.deliver(await composeMail(platform, notice, kept));
}

async function composeMail(
  platform: Platform,
  notice: StoredNotice,
  kept: { readonly fullName: string; readonly content: NoticeContents[NoticeKind] },
): Promise<MailMessage> {
  const model = writeMail(notice.kind as MailKind, kept.content as NoticeContents[MailKind], { publicUrl: platform.settings.publicUrl });
  return {
    messageId: notice.messageId,
    fromName: model.senderName === null ? "Paraphe" : `${model.senderName} via Paraphe`,
    replyTo: model.replyTo,
    to: { name: kept.fullName, address: notice.destination },
    subject: model.subject,
    text: renderMailText(model, kept.fullName),
    html: renderMailHtml(model, kept.fullName),
    attachments: await attachmentsOf(platform, kept.content),
  };
}

async function attachmentsOf({ files }: Platform, content: NoticeContents[NoticeKind]): Promise<MailMessage["attachments"]> {
  if ("file" in content)
    return [{ name: content.file.name, contentType: "application/json", bytes: new TextEncoder().encode(content.file.text) }];
  return "attachments" in content ? loadAttachments(files, content.attachments) : [];
}
