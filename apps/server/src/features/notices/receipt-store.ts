import type { Reader } from "../../platform/database/database.ts";
import { deliveryFailure, isServersAnswer } from "./domain/delivery-failure.ts";
import type { NoticeChannel, NoticeKind, NoticeState } from "./domain/notice.ts";

/** What is known of one message about an envelope: to whom, how, and the words of the server that took it. `messageId` is a mail's own. */
export type NoticeReceipt = {
  readonly kind: NoticeKind;
  readonly channel: Exclude<NoticeChannel, "push">;
  readonly destination: string;
  readonly recipientId: string | null;
  readonly messageId: string | null;
  readonly state: NoticeState;
  readonly serverAnswer: string | null;
  /** Why this service did not send it, in words; null of one that a server was handed. */
  readonly unsentBecause: string | null;
  readonly createdAt: Date;
  /** When a server took it. */
  readonly sentAt: Date | null;
  /** When its link was opened first. */
  readonly openedAt: Date | null;
};

/**
 * Gives the mails and texts of an envelope to its recipients and to its sender, oldest first, and at most so many. What went to a browser is told to
 * nobody: it would say who has an account.
 */
export async function selectReceipts(
  reader: Reader,
  which: { readonly envelopeId: string; readonly ownerId: string; readonly limit: number },
): Promise<readonly NoticeReceipt[]> {
  const rows = await reader
    .selectFrom("notices")
    .select([
      "kind",
      "channel",
      "destination",
      "recipient_id",
      "message_id",
      "state",
      "server_answer",
      "created_at",
      "sent_at",
      "opened_at",
    ])
    .where("envelope_id", "=", which.envelopeId)
    .where("channel", "<>", "push")
    .where((eb) => eb.or([eb("recipient_id", "is not", null), eb("user_id", "=", which.ownerId)]))
    .orderBy("created_at")
    .orderBy("id")
    .limit(which.limit)
    .execute();
  return rows.map((row) => ({
    ...answersOf(row),
    // The table's checks and this feature's own writes allow nothing else.
    kind: row.kind as NoticeKind,
    channel: row.channel as NoticeReceipt["channel"],
    destination: row.destination,
    recipientId: row.recipient_id,
    messageId: row.channel === "email" ? row.message_id : null,
    state: row.state as NoticeState,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    openedAt: row.opened_at,
  }));
}

/** What is kept as an answer: a server's words, or why none was asked. */
function answersOf(row: {
  kind: string;
  channel: string;
  state: string;
  server_answer: string | null;
}): Pick<NoticeReceipt, "serverAnswer" | "unsentBecause"> {
  const failure = deliveryFailure({ ...row, state: row.state as NoticeState, serverAnswer: row.server_answer });
  return isServersAnswer(failure)
    ? { serverAnswer: row.server_answer, unsentBecause: null }
    : { serverAnswer: null, unsentBecause: failure?.detail ?? null };
}
