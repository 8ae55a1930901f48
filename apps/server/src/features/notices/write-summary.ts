import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { MailKind, NoticeContents } from "./domain/notice.ts";
import { writeMail } from "./domain/write-mail.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { finishNotice } from "./delivery-store.ts";
import { attachToSummary, lockListed, type ListedNotice } from "./waiting-store.ts";
import { unwrapContent } from "./wrapped-content.ts";

type Item = NoticeContents["summary"]["items"][number];
type Line = { readonly item: Item; readonly to: { readonly fullName: string; readonly address: string } };

/** A mail of more lines is read by nobody, and refused by servers sooner or later: the others are counted. */
const MOST_LINES = 100;
const UNREADABLE = "Contenu illisible.";

/**
 * Writes one person's daily mail and ties what it is about to it, in one transaction: killed before its end nothing has happened, after it the outbox
 * has the mail, under one `Message-ID`. Nothing to list is no mail.
 */
export async function writeSummary(platform: Platform, userId: string): Promise<void> {
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
      else await finishNotice(trx, { id: notice.id, state: "refused", serverAnswer: UNREADABLE, at: which.now, mayHaveLeft: false });
    }
    if (lines.length > 0 || listed.length === 0) return lines;
  }
}

/** What the mail would have said in its subject, and where it would have led; null when that cannot be told any more. */
function readLine(platform: Platform, notice: ListedNotice): Line | null {
  try {
    if (notice.contentWrapped === null) throw new Error("The message has no content");
    const { fullName, content } = unwrapContent(platform.secrets, notice.id, notice.contentWrapped);
    const { subject, action } = writeMail(notice.kind as MailKind, content as NoticeContents[MailKind], {
      publicUrl: platform.settings.publicUrl,
    });
    return {
      item: { words: subject, at: notice.createdAt.toISOString(), link: action?.link ?? null },
      to: { fullName, address: notice.destination },
    };
  } catch (error) {
    platform.log.error({ noticeId: notice.id, kind: notice.kind, error }, "a message cannot be read: the daily mail goes without it");
    return null;
  }
}
