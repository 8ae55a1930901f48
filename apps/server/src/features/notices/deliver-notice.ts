import { paletteOf } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { type FileStore, MissingFileError } from "../../platform/files/file-store.ts";
import type {
  DeliveryOutcome,
  MailMessage,
  PushOutcome,
} from "../../platform/message-transports.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Brand, knownBrand, shownLogo } from "../organisations/public.ts";
import { authSecretContext } from "./subscribe-to-push.ts";
import { isStale, PUSH_TTL_S, retryAfterS, staleAnswer } from "./domain/delivery-failure.ts";
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
import { type MailOrganisation, renderMailHtml, renderMailText } from "./domain/render-mail.ts";
import { writeMail, writePush, writeSms } from "./domain/write-message.ts";
import {
  enqueueNotice,
  readableContent,
  unwrapContent,
  type ClaimedNotice,
} from "./enqueue-notice.ts";
import {
  deleteEndedSubscription,
  hasPushReceipt,
  insertPushReceipt,
  type PushSubscriptionRow,
  selectAwaitingPush,
} from "./push-store.ts";
import { type Ending, finishNotices } from "./outbox-store.ts";

/** Size once encoded; many servers refuse more. */
const MAXIMUM_BYTES = 10 * 1024 * 1024;

type MailAttachment = MailMessage["attachments"][number];
export type AttachmentReader = (file: NoticeAttachment) => Promise<MailAttachment>;

/** Reads a file once for all messages of a batch; the oldest are dropped. */
export function readOnce(files: FileStore): AttachmentReader {
  const known = new Map<string, { sizeBytes: number; file: Promise<MailAttachment> }>();
  return ({ name, sha256, sizeBytes }) => {
    const key = `${sha256} ${name}`;
    const read = known.get(key) ?? {
      sizeBytes,
      file: files
        .get(Buffer.from(sha256, "hex"))
        .then((bytes) => ({ name, contentType: "application/pdf", bytes })),
    };
    known.set(key, read);
    let total = known.values().reduce((sum, one) => sum + one.sizeBytes, 0);
    for (const [oldest, one] of known) {
      if (total <= MAXIMUM_BYTES) break;
      known.delete(oldest);
      total -= one.sizeBytes;
    }
    return read.file;
  };
}

/** Gives all, or none when too heavy or one was purged. */
async function loadAttachments(
  read: AttachmentReader,
  wanted: readonly NoticeAttachment[],
): Promise<MailMessage["attachments"]> {
  const total = wanted.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (total >= MAXIMUM_BYTES) return [];
  try {
    return await Promise.all(wanted.map(read));
  } catch (cause) {
    if (cause instanceof MissingFileError) return [];
    throw cause;
  }
}

/**
 * Sends to browsers that lack it; deletes ended subscriptions. Deferred while one is to be retried;
 * accepted once one took it; refused when none could.
 */
async function deliverPush(
  platform: Platform,
  notice: ClaimedNotice,
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
  }: { notice: ClaimedNotice; subscription: PushSubscriptionRow; outcome: PushOutcome },
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
 * Gives the ending of a push that no browser took, or of a text; "written" where a mail replaces
 * it. None does if the dedupe key says that the event was mailed.
 */
async function endUndelivered(
  platform: Platform,
  notice: ClaimedNotice,
  end: Pick<Ending, "mayHaveLeft" | "subject"> & {
    readonly serverAnswer: string;
    readonly at: Date;
  },
): Promise<Ending | "written"> {
  const refused = { id: notice.id, state: "refused", ...end } as const;
  if (notice.channel === "email") return refused;
  await inTransaction(platform.db, async (trx) => {
    const isTaken = notice.channel === "push" && (await hasPushReceipt(trx, notice.id));
    await finishNotices(trx, [{ ...refused, state: isTaken ? "sent" : "refused" }]);
    const message = readableContent(platform.secrets, notice.id, notice.contentWrapped);
    if (isTaken || message === null) return;
    const { fullName, mailInstead, rhythm, content } = message;
    const mail =
      notice.channel === "push"
        ? { address: notice.destination, dedupeKey: pushedKey.event(notice.dedupeKey) }
        : { address: mailInstead, dedupeKey: mailedKey(notice.dedupeKey) };
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
      delegatorId: notice.delegatorId,
      linkSha256: notice.linkSha256,
      userId: notice.userId,
      senderId: notice.senderId,
      rhythm,
      content,
    } as Notice);
  });
  return "written";
}

export async function deliverNotice(
  platform: Platform,
  notice: ClaimedNotice,
  read: AttachmentReader,
): Promise<Ending | "written"> {
  const now = platform.clock();
  const { id, kind, channel } = notice;
  const createdAt = notice.notBefore ?? notice.createdAt;
  if (isStale(kind, { createdAt, now, channel }))
    return endUndelivered(platform, notice, {
      serverAnswer: staleAnswer(notice.serverAnswer),
      at: now,
      mayHaveLeft: notice.mayHaveLeft,
    });
  const { subject, ...outcome } = await send(platform, notice, read);
  const { state, serverAnswer, cause = "" } = outcome;
  const at = platform.clock();
  if (state === "accepted")
    return { id, state: "sent", serverAnswer, at, mayHaveLeft: true, subject };
  const mayHaveLeft = notice.mayHaveLeft || (state === "deferred" && outcome.mayHaveLeft === true);
  const about = { noticeId: id, kind, channel, cause };
  // A person waits for the code: after the second failed text it goes by mail.
  const waits = kind !== "code" || channel !== "sms" || notice.tries === 0;
  if (state === "deferred" && waits) {
    platform.log.warn(about, "a message was not taken by its server: it is retried");
    const retryInS = retryAfterS(notice.tries, Math.random());
    return { id, state: "queued", serverAnswer, mayHaveLeft, retryInS, subject };
  }
  platform.log.warn(about, "a message was refused by its server");
  return endUndelivered(platform, notice, { serverAnswer, at, mayHaveLeft, subject });
}

type Tried = DeliveryOutcome & { readonly subject?: string | null };

async function send(
  platform: Platform,
  notice: ClaimedNotice,
  read: AttachmentReader,
): Promise<Tried> {
  const message = unwrapContent(platform.secrets, notice.id, notice.contentWrapped);
  if (notice.channel === "sms") {
    const host = new URL(platform.settings.publicUrl).hostname;
    const text = writeSms(notice.kind as SmsKind, message.content as NoticeContents[SmsKind], host);
    return platform.sms.deliver({ to: notice.destination, text });
  }
  if (notice.channel === "push")
    return deliverPush(platform, notice, message.content as NoticeContents[PushKind]);
  const attachments = await attachmentsOf(read, message.content);
  const mail = await composeMail(platform, notice, message);
  const outcome = await platform.mail.deliver({ ...mail, attachments });
  // A code's subject is the code.
  const isRead = (notice.recipientId ?? notice.delegatorId) !== null && notice.kind !== "code";
  return { ...outcome, subject: isRead ? mail.subject : null };
}

async function composeMail(
  platform: Platform,
  notice: ClaimedNotice,
  message: { readonly fullName: string; readonly content: NoticeContents[NoticeKind] },
): Promise<Omit<MailMessage, "attachments">> {
  const model = writeMail(notice.kind as MailKind, message.content as NoticeContents[MailKind], {
    publicUrl: platform.settings.publicUrl,
  });
  const brand = await knownBrand(platform);
  const organisation = brand && organisationOf(brand);
  const service = brand?.mails.sender_name ?? brand?.name ?? "Paraphe";
  return {
    messageId: notice.messageId,
    fromName: model.senderName === null ? service : `${model.senderName} via ${service}`,
    replyTo: model.replyTo ?? brand?.mails.reply_to ?? null,
    to: { name: message.fullName, address: notice.destination },
    subject: model.subject,
    text: renderMailText(model, message.fullName, organisation),
    html: renderMailHtml(model, message.fullName, organisation),
    ...(brand?.logo ? { pictures: pictureOf(brand.logo) } : {}),
  };
}

const LOGO_CID = "logo@paraphe";

function organisationOf({ name, address, colour, logo, mails }: Brand): MailOrganisation {
  return {
    name,
    footer: mails.footer ?? `${name}, ${address}`,
    colours:
      colour === null
        ? null
        : {
            light: paletteOf(colour, { theme: "light" }),
            dark: paletteOf(colour, { theme: "dark" }),
          },
    logo: logo && { cid: LOGO_CID, ...shownLogo(logo) },
  };
}

type Logo = NonNullable<Brand["logo"]>;
const pictures = new WeakMap<Logo, NonNullable<MailMessage["pictures"]>>();

/** The object stays the same, so mails encode it once. */
function pictureOf(logo: Logo): NonNullable<MailMessage["pictures"]> {
  const known = pictures.get(logo) ?? [
    { cid: LOGO_CID, name: "logo.png", contentType: "image/png", bytes: logo.png },
  ];
  pictures.set(logo, known);
  return known;
}

async function attachmentsOf(
  read: AttachmentReader,
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
  return "attachments" in content ? loadAttachments(read, content.attachments) : [];
}
