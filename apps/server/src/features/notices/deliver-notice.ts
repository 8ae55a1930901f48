import { inTransaction } from "../../platform/database/in-transaction.ts";
import { type FileStore, MissingFileError } from "../../platform/files/file-store.ts";
import type {
  DeliveryOutcome,
  MailMessage,
  PushOutcome,
} from "../../platform/message-transports.ts";
import type { Platform } from "../../platform/platform.ts";
import { authSecretContext } from "./subscribe-to-push.ts";
import { beginDelivery, finishNotice, recordDeferral } from "./delivery-store.ts";
import { isStale, PUSH_TTL_S, staleAnswer } from "./domain/delivery-failure.ts";
import {
  mailedKey,
  type MailKind,
  type Notice,
  type NoticeContents,
  type NoticeKind,
  pushedKey,
  type PushKind,
  type SmsKind,
} from "./domain/notice.ts";
import type { NoticeAttachment } from "./domain/outcome-messages.ts";
import { renderMailHtml, renderMailText } from "./domain/render-mail.ts";
import { writeMail, writePush, writeSms } from "./domain/write-message.ts";
import { enqueueNotice, unwrapContent } from "./enqueue-notice.ts";
import {
  deleteEndedSubscription,
  hasPushReceipt,
  insertPushReceipt,
  type PushSubscriptionRow,
  selectAwaitingPush,
} from "./push-store.ts";
import { loadNotice, type StoredNotice } from "./store.ts";

/** Many servers refuse more than 10 MB once encoded. */
const MAXIMUM_BYTES = 10 * 1024 * 1024;

/** All the attachments, or none when they are too heavy or one was purged. */
async function loadAttachments(
  files: FileStore,
  wanted: readonly NoticeAttachment[],
): Promise<MailMessage["attachments"]> {
  const total = wanted.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (total >= MAXIMUM_BYTES) return [];
  try {
    return await Promise.all(
      wanted.map(async (file) => ({
        name: file.name,
        contentType: "application/pdf",
        bytes: await files.get(Buffer.from(file.sha256, "hex")),
      })),
    );
  } catch (cause) {
    if (cause instanceof MissingFileError) return [];
    throw cause;
  }
}

/**
 * Sends to each browser that has not taken the message yet, and deletes ended subscriptions.
 * Deferred while one is to be retried; accepted once one took it; refused when none could.
 */
async function deliverPush(
  platform: Platform,
  notice: StoredNotice,
  content: NoticeContents[PushKind],
): Promise<DeliveryOutcome> {
  const words = writePush(notice.kind as PushKind, content, {
    publicUrl: platform.settings.publicUrl,
    envelopeId: notice.envelopeId,
  });
  const awaiting = await selectAwaitingPush(platform.db, {
    userId: notice.userId ?? "",
    noticeId: notice.id,
    now: platform.clock(),
  });
  const outcomes = await Promise.all(
    awaiting.map(async (subscription) => {
      const { endpoint, publicKey } = subscription;
      const authSecret = platform.secrets.unwrap(
        subscription.authSecretWrapped,
        authSecretContext(endpoint),
      );
      const target = { endpoint, publicKey, authSecret };
      const outcome = await platform.push.deliver({
        target,
        content: words,
        ttlS: PUSH_TTL_S,
        to: notice.destination,
      });
      await note(platform, { notice, subscription, outcome });
      return outcome;
    }),
  );
  const deferred = outcomes.find(({ state }) => state === "deferred");
  if (deferred) return { state: "deferred", serverAnswer: deferred.serverAnswer };
  if (await hasPushReceipt(platform.db, notice.id)) {
    const accepted = outcomes.find(({ state }) => state === "accepted");
    return { state: "accepted", serverAnswer: accepted?.serverAnswer ?? notice.serverAnswer ?? "" };
  }
  return {
    state: "refused",
    serverAnswer: outcomes[0]?.serverAnswer ?? "Aucun appareil n’est abonné.",
  };
}

async function note(
  platform: Platform,
  {
    notice,
    subscription,
    outcome,
  }: { notice: StoredNotice; subscription: PushSubscriptionRow; outcome: PushOutcome },
): Promise<void> {
  if (outcome.state === "accepted")
    await insertPushReceipt(platform.db, { noticeId: notice.id, subscriptionId: subscription.id });
  if (outcome.state === "gone") await deleteEndedSubscription(platform.db, subscription);
  if (outcome.state === "refused")
    platform.log.warn(
      { noticeId: notice.id, answer: outcome.serverAnswer.slice(0, 3) },
      "a push service refused a message",
    );
}

/**
 * Ends a message that cannot be delivered. A push that no browser took, and a text with a known
 * address, go by mail instead, unless the dedupe key says that the event was mailed already.
 */
async function endUndelivered(
  platform: Platform,
  notice: StoredNotice,
  end: { serverAnswer: string; at: Date },
): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const taken = notice.channel === "push" && (await hasPushReceipt(trx, notice.id));
    await finishNotice(trx, {
      id: notice.id,
      state: taken ? "sent" : "refused",
      ...end,
      mayHaveLeft: notice.mayHaveLeft,
    });
    if (taken || notice.channel === "email" || notice.contentWrapped === null) return;
    const { fullName, mailInstead, rhythm, content } = unwrapContent(
      platform.secrets,
      notice.id,
      notice.contentWrapped,
    );
    const mail =
      notice.channel === "push"
        ? { address: notice.destination, dedupeKey: pushedKey.event(notice.dedupeKey) }
        : { address: mailInstead, dedupeKey: mailedKey(notice.dedupeKey) };
    // A code past its lifetime is useless in a mail too.
    const isExpired =
      notice.kind === "code" && isStale(notice.kind, { createdAt: notice.createdAt, now: end.at });
    if (mail.address === undefined || isExpired) return;
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
      // The row stores a kind with its own content.
    } as Notice);
  });
}

/** The server asks for a later try, or does not answer: the queue tries again. */
export class DeliveryDeferredError extends Error {
  override readonly name = "DeliveryDeferredError";
}

/**
 * Delivers one message; does nothing once it was sent or refused.
 * Errors: throws `DeliveryDeferredError` for a 4xx or no connection; a 5xx is final.
 */
export async function deliverNotice(platform: Platform, noticeId: string): Promise<void> {
  const notice = await loadNotice(platform.db, noticeId);
  if (notice?.state !== "queued" || notice.contentWrapped === null || notice.delayedFor !== null)
    return;
  const now = platform.clock();
  if (
    isStale(notice.kind, {
      createdAt: notice.notBefore ?? notice.createdAt,
      now,
      channel: notice.channel,
    })
  )
    return endUndelivered(platform, notice, {
      serverAnswer: staleAnswer(notice.serverAnswer),
      at: now,
    });
  if (!(await beginDelivery(platform.db, notice.id))) return;
  const outcome = await send(platform, notice, notice.contentWrapped);
  // An earlier try may have reached the reader.
  const mayHaveLeft =
    notice.mayHaveLeft || (outcome.state === "deferred" && outcome.mayHaveLeft === true);
  // Its reader waits at a screen: a code goes by mail after the second failed text.
  const waits = notice.kind !== "code" || notice.channel !== "sms" || notice.tries === 0;
  const cause = outcome.cause ?? "";
  if (outcome.state === "deferred" && waits) {
    await recordDeferral(platform.db, {
      id: notice.id,
      serverAnswer: outcome.serverAnswer,
      mayHaveLeft,
    });
    throw new DeliveryDeferredError(
      `notice ${notice.id} (${notice.kind}, ${notice.channel}) deferred: ${cause}`,
    );
  }
  const end = { serverAnswer: outcome.serverAnswer, at: platform.clock() };
  if (outcome.state === "accepted")
    return finishNotice(platform.db, { id: notice.id, state: "sent", ...end, mayHaveLeft: true });
  await endUndelivered(platform, { ...notice, mayHaveLeft }, end);
  platform.log.warn(
    { noticeId: notice.id, kind: notice.kind, channel: notice.channel, cause },
    "a message was refused by its server",
  );
}

async function send(
  platform: Platform,
  notice: StoredNotice,
  wrapped: Uint8Array,
): Promise<DeliveryOutcome> {
  const message = unwrapContent(platform.secrets, notice.id, wrapped);
  if (notice.channel === "sms") {
    const host = new URL(platform.settings.publicUrl).hostname;
    const text = writeSms(notice.kind as SmsKind, message.content as NoticeContents[SmsKind], host);
    return platform.sms.deliver({ to: notice.destination, text });
  }
  if (notice.channel === "push")
    return deliverPush(platform, notice, message.content as NoticeContents[PushKind]);
  return platform.mail.deliver(await composeMail(platform, notice, message));
}

async function composeMail(
  platform: Platform,
  notice: StoredNotice,
  message: { readonly fullName: string; readonly content: NoticeContents[NoticeKind] },
): Promise<MailMessage> {
  const model = writeMail(notice.kind as MailKind, message.content as NoticeContents[MailKind], {
    publicUrl: platform.settings.publicUrl,
  });
  return {
    messageId: notice.messageId,
    fromName: model.senderName === null ? "Paraphe" : `${model.senderName} via Paraphe`,
    replyTo: model.replyTo,
    to: { name: message.fullName, address: notice.destination },
    subject: model.subject,
    text: renderMailText(model, message.fullName),
    html: renderMailHtml(model, message.fullName),
    attachments: await attachmentsOf(platform, message.content),
  };
}

async function attachmentsOf(
  { files }: Platform,
  content: NoticeContents[NoticeKind],
): Promise<MailMessage["attachments"]> {
  if ("file" in content)
    return [
      {
        name: content.file.name,
        contentType: "application/json",
        bytes: new TextEncoder().encode(content.file.text),
      },
    ];
  return "attachments" in content ? loadAttachments(files, content.attachments) : [];
}
