import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { finishNotice } from "./delivery-store.ts";
import type { OwnRefusal } from "./domain/delivery-failure.ts";
import type { MailKind, NoticeContents } from "./domain/notice.ts";
import { isQuiet } from "./domain/rhythm.ts";
import { writeMail } from "./domain/write-mail.ts";
import { enqueueDeliveries, enqueueNotice, unwrapContent, wrapContent } from "./enqueue-notice.ts";
import { type Member, reachingChannels } from "./notices-for-member.ts";
import { refuseWaiting } from "./store.ts";
import {
  attachToSummary,
  holdSingly,
  type ListedNotice,
  lockListed,
  releaseDue,
  releaseOwn,
  selectHeldMails,
  selectSummaryDue,
  turnHeldMails,
  withdrawToldMails,
} from "./waiting-store.ts";

type Item = NoticeContents["summary"]["items"][number];
type Line = {
  readonly item: Item;
  readonly to: { readonly fullName: string; readonly address: string };
};

/** A mail of more lines is read by nobody, and refused by servers sooner or later: the others are counted. */
const MOST_LINES = 100;
const UNREADABLE = "Contenu illisible.";

/**
 * Writes one person's daily mail and ties what it is about to it, in one transaction: killed before its end nothing has happened, after it the outbox
 * has the mail, under one `Message-ID`. Nothing to list is no mail.
 */
async function writeSummary(platform: Platform, userId: string): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const lines = await takeLines(trx, platform, { userId, now });
    const newest = lines.at(-1);
    if (newest === undefined) return;
    const id = platform.newId();
    const told = await attachToSummary(trx, { userId, now, summaryId: id });
    await enqueueNotice(trx, platform, {
      id,
      kind: "summary",
      channel: "email",
      dedupeKey: `summary:${id}`,
      to: newest.to,
      userId,
      content: {
        items: lines.map(({ item }) => item),
        others: told - lines.length,
        settingsLink: `${platform.settings.publicUrl}/settings/notifications`,
      },
    });
  });
}

/** Gives the newest lines that can be read. One that cannot is ended, and keeps the others back no longer. */
async function takeLines(
  trx: Transaction,
  platform: Platform,
  which: { readonly userId: string; readonly now: Date },
): Promise<readonly Line[]> {
  for (;;) {
    const listed = await lockListed(trx, { ...which, limit: MOST_LINES });
    const lines: Line[] = [];
    for (const notice of listed) {
      const line = readLine(platform, notice);
      if (line !== null) lines.push(line);
      else
        await finishNotice(trx, {
          id: notice.id,
          state: "refused",
          serverAnswer: UNREADABLE,
          at: which.now,
          mayHaveLeft: false,
        });
    }
    if (lines.length > 0 || listed.length === 0) return lines;
  }
}

/** What the mail would have said in its subject, and where it would have led; null when that cannot be told any more. */
function readLine(platform: Platform, notice: ListedNotice): Line | null {
  try {
    if (notice.contentWrapped === null) throw new Error("The message has no content");
    const { fullName, content } = unwrapContent(platform.secrets, notice.id, notice.contentWrapped);
    const { subject, action } = writeMail(
      notice.kind as MailKind,
      content as NoticeContents[MailKind],
      {
        publicUrl: platform.settings.publicUrl,
      },
    );
    return {
      item: { words: subject, at: notice.createdAt.toISOString(), link: action?.link ?? null },
      to: { fullName, address: notice.destination },
    };
  } catch (error) {
    platform.log.error(
      { noticeId: notice.id, kind: notice.kind, error },
      "a message cannot be read: the daily mail goes without it",
    );
    return null;
  }
}

/** So many at once: a morning after a long night is many short transactions, and none that holds them all. */
const BATCH = 1_000;

/** Lets go what waited for the morning, and writes the daily mails that are due. Run twice, it does nothing the second time. */
export async function releaseWaiting(platform: Platform): Promise<void> {
  while ((await releaseSome(platform)) === BATCH);
  const failures: unknown[] = [];
  for (let afterId: string | null = null; ; ) {
    const userIds: readonly string[] = await selectSummaryDue(platform.db, {
      now: platform.clock(),
      afterId,
      limit: BATCH,
    });
    for (const userId of userIds) {
      // One mail that cannot be written keeps nobody else from theirs.
      await writeSummary(platform, userId).catch((error: unknown) => failures.push(error));
    }
    if (userIds.length < BATCH) break;
    afterId = userIds.at(-1) ?? null;
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} daily summaries could not be written`);
}

function releaseSome(platform: Platform): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    const released = await releaseDue(trx, { now: platform.clock(), limit: BATCH });
    await enqueueDeliveries(trx, platform, released);
    return released.length;
  });
}

/**
 * Turns the mails that wait for somebody who gave mail up into what reaches them now, a text or a push; what was told them that way already is withdrawn.
 * Gives false where nothing else reaches them: they stay mails then.
 */
async function redirectMails(
  trx: Transaction,
  platform: Pick<Platform, "settings" | "clock" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone">,
): Promise<boolean> {
  const [channel] = await reachingChannels(trx, platform, member);
  if (channel === undefined || channel === "email") return false;
  await withdrawToldMails(trx, { userId: member.id, now: platform.clock() });
  const mails = await selectHeldMails(trx, member.id);
  const turned = mails.flatMap(({ id, contentWrapped }) => {
    const kept = readable(() => unwrapContent(platform.secrets, id, contentWrapped));
    if (kept === null) return [];
    // A text that the gateway does not take is told by mail after all, as a push is that no browser takes.
    const instead = channel === "sms" ? { mailInstead: member.email } : {};
    return [{ id, contentWrapped: wrapContent(platform.secrets, id, { ...kept, ...instead }) }];
  });
  await turnHeldMails(trx, {
    channel,
    destination: channel === "sms" ? (member.verifiedPhone ?? "") : member.email,
    turned,
  });
  return true;
}

/** One that cannot be read stays as it is: whoever writes the daily mail sets it apart. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * Sends what waited for a reason that its reader has given up: each message for itself; in quiet hours that are kept, in the morning. The daily mail is
 * given up with mail: what it would have said goes by the channels of now.
 */
export async function reconsiderWaiting(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock" | "settings" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone" | "rhythm">,
): Promise<void> {
  const { id: userId, rhythm } = member;
  const now = platform.clock();
  const waits = rhythm.quietHours && isQuiet(now);
  const isRedirected = !member.channels.email && (await redirectMails(trx, platform, member));
  const keepsDaily = rhythm.dailySummary && !isRedirected;
  if (!keepsDaily && waits) await holdSingly(trx, userId);
  const listed =
    keepsDaily || waits ? [] : await releaseOwn(trx, { userId, reason: "summary", now });
  const quiet = rhythm.quietHours ? [] : await releaseOwn(trx, { userId, reason: "quiet", now });
  await enqueueDeliveries(trx, platform, [...listed, ...quiet]);
}

/** Ends every message that waited when a backup was made, as one that its sender may send again: it may have left since. Gives how many. */
export async function refuseWaitingNotices({
  db,
  clock,
}: Pick<Platform, "db" | "clock">): Promise<number> {
  return refuseWaiting(db, { serverAnswer: "restored" satisfies OwnRefusal, at: clock() });
}
