import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { finishNotices } from "./outbox-store.ts";
import type { OwnRefusal } from "./domain/delivery-failure.ts";
import { isQuiet, type MailKind, type NoticeContents } from "./domain/notice.ts";
import { writeMail } from "./domain/write-message.ts";
import { enqueueNotice, readableContent, unwrapContent, wrapContent } from "./enqueue-notice.ts";
import { type Member, reachingChannels } from "./notices-for-member.ts";
import { refuseWaiting } from "./store.ts";
import {
  attachToSummary,
  delaySingly,
  type ListedNotice,
  lockListed,
  releaseDue,
  releaseOwn,
  selectDelayedMails,
  selectSummaryDue,
  redirectDelayedMails,
  withdrawReportedMails,
} from "./waiting-store.ts";

type Item = NoticeContents["summary"]["items"][number];
type Line = {
  readonly item: Item;
  readonly to: { readonly fullName: string; readonly address: string };
};

/** Other messages are only counted: longer mails are refused. */
const MOST_LINES = 100;
const UNREADABLE = "Contenu illisible.";

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

/** An unreadable message ends, and blocks no other. */
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
        await finishNotices(trx, [
          {
            id: notice.id,
            state: "refused",
            serverAnswer: UNREADABLE,
            at: which.now,
            mayHaveLeft: false,
          },
        ]);
    }
    if (lines.length > 0 || listed.length === 0) return lines;
  }
}

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

const BATCH = 1_000;

/** Sends due summaries too. Idempotent. */
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
      await writeSummary(platform, userId).catch((error: unknown) => failures.push(error));
    }
    if (userIds.length < BATCH) break;
    afterId = userIds.at(-1) ?? null;
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} daily summaries could not be written`);
}

function releaseSome(platform: Platform): Promise<number> {
  return inTransaction(platform.db, (trx) =>
    releaseDue(trx, { now: platform.clock(), limit: BATCH }),
  );
}

/**
 * Turns mails into the text or push that now reaches the person, unless it reported the event.
 * False when none does.
 */
async function redirectMails(
  trx: Transaction,
  platform: Pick<Platform, "settings" | "clock" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone">,
): Promise<boolean> {
  const [channel] = await reachingChannels(trx, platform, member);
  if (channel === undefined || channel === "email") return false;
  await withdrawReportedMails(trx, { userId: member.id, now: platform.clock() });
  const mails = await selectDelayedMails(trx, member.id);
  const turned = mails.flatMap(({ id, contentWrapped }) => {
    const kept = readableContent(platform.secrets, id, contentWrapped);
    if (kept === null) return [];
    const instead = channel === "sms" ? { mailInstead: member.email } : {};
    return [{ id, contentWrapped: wrapContent(platform.secrets, id, { ...kept, ...instead }) }];
  });
  await redirectDelayedMails(trx, {
    channel,
    destination: channel === "sms" ? (member.verifiedPhone ?? "") : member.email,
    turned,
  });
  return true;
}

/**
 * Reconsiders messages that waited for a choice since dropped. Without mail, the summary's messages
 * go by current channels; quiet hours apply.
 */
export async function reconsiderWaiting(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "settings" | "secrets">,
  member: Pick<Member, "id" | "email" | "channels" | "verifiedPhone" | "rhythm">,
): Promise<void> {
  const { id: userId, rhythm } = member;
  const now = platform.clock();
  const waits = rhythm.quietHours && isQuiet(now);
  const isRedirected = !member.channels.email && (await redirectMails(trx, platform, member));
  const keepsDaily = rhythm.dailySummary && !isRedirected;
  if (!keepsDaily && waits) await delaySingly(trx, userId);
  if (!keepsDaily && !waits) await releaseOwn(trx, { userId, reason: "summary", now });
  if (!rhythm.quietHours) await releaseOwn(trx, { userId, reason: "quiet", now });
}

/**
 * After a restore, queued messages may have left already: they end as refused and can be sent
 * again.
 */
export async function refuseWaitingNotices({
  db,
  clock,
}: Pick<Platform, "db" | "clock">): Promise<number> {
  return refuseWaiting(db, { serverAnswer: "restored" satisfies OwnRefusal, at: clock() });
}
