import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { takeBackDeadlines } from "../notices/index.ts";
import type { Envelope } from "./domain/envelope.ts";
import { type DeadlineNews, type Invitation, inviteRecipients } from "./invite-recipients.ts";

type DeadlineAnnouncement = Pick<Invitation, "owner" | "recipients" | "actor"> & {
  /** As it is from now on, but for its version. */
  readonly envelope: Invitation["envelope"] & Pick<Envelope, "version">;
  readonly before: Date | null;
  /** The deadline had passed, and nobody could sign. */
  readonly reopened: boolean;
};

/**
 * Tells these recipients of an envelope's new deadline, in words that fit the one each was told last; gives the ids of those told. The message waits a
 * moment: what an earlier change had to say and has not said yet is said by this one. Nobody is told what they know, nor that there is none any more; whose
 * link had stopped working is reminded then.
 */
export async function announceDeadline(
  trx: Transaction,
  platform: Platform,
  { before, reopened, ...invitation }: DeadlineAnnouncement,
): Promise<readonly string[]> {
  const { envelope } = invitation;
  const untold = await takeBackDeadlines(trx, platform, envelope.id);
  const { deadlineAt } = envelope;
  if (deadlineAt === null) {
    const recipients = invitation.recipients.filter(({ id }) => untold.get(id)?.reopened === true);
    if (recipients.length > 0)
      await inviteRecipients(trx, platform, { ...invitation, kind: "reminder", recipients, occasion: `reopened:${envelope.version}` });
    return [];
  }
  const news = new Map<string, DeadlineNews>();
  for (const { id } of invitation.recipients) {
    const own = untold.get(id) ?? { knownDeadlineAt: before, reopened: false };
    const isNew = reopened || own.reopened || own.knownDeadlineAt?.getTime() !== deadlineAt.getTime();
    if (isNew) news.set(id, { knownDeadlineAt: own.knownDeadlineAt, reopened: reopened || own.reopened });
  }
  await inviteRecipients(trx, platform, {
    ...invitation,
    kind: "extended",
    news,
    recipients: invitation.recipients.filter(({ id }) => news.has(id)),
    occasion: `${deadlineAt.toISOString()}:${envelope.version}`,
  });
  return [...news.keys()];
}
