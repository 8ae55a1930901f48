import { toHex } from "@paraphe/kernel/bytes";
import { type ExpressionBuilder, sql } from "kysely";
import type { Reader, Schema, Transaction } from "../../platform/database/database.ts";
import type { Leaving } from "./domain/lanes.ts";
import { type NoticeChannel, type NoticeKind, pushedKey } from "./domain/notice.ts";
import type { Hold } from "./domain/rhythm.ts";

/** A message that waits to be listed in its reader's daily mail. */
export type ListedNotice = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly destination: string;
  readonly createdAt: Date;
  readonly contentWrapped: Uint8Array | null;
};

const LEAVING = ["id", "kind", "channel", "sender_id"] as const;

function leavingOf(row: {
  id: string;
  kind: string;
  channel: string;
  sender_id: string | null;
}): Leaving {
  // The table holds nothing but this feature's own writes.
  return {
    id: row.id,
    kind: row.kind as NoticeKind,
    channel: row.channel as NoticeChannel,
    senderId: row.sender_id,
  };
}

const isHeld = (reason: Hold["reason"]) =>
  sql<boolean>`held_for = ${reason} and summary_id is null and state = 'queued'`;

/** Lets the messages go whose quiet hours are over, so many at once; gives them. Those that another process lets go are left to it. */
export async function releaseDue(
  trx: Transaction,
  which: { readonly now: Date; readonly limit: number },
): Promise<readonly Leaving[]> {
  const rows = await trx
    .updateTable("notices")
    .set({ held_for: null })
    .where("id", "in", (due) =>
      due
        .selectFrom("notices")
        .select("id")
        .where(isHeld("quiet"))
        .where("not_before", "<=", which.now)
        .orderBy("not_before")
        .limit(which.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(LEAVING)
    .execute();
  return rows.map(leavingOf);
}

/** Lets one person's messages go that waited for that reason; gives them. From now on they are as old as if asked for now. */
export async function releaseOwn(
  trx: Transaction,
  which: { readonly userId: string; readonly reason: Hold["reason"]; readonly now: Date },
): Promise<readonly Leaving[]> {
  const rows = await trx
    .updateTable("notices")
    .set({ held_for: null, not_before: which.now })
    .where("user_id", "=", which.userId)
    .where(isHeld(which.reason))
    .returning(LEAVING)
    .execute();
  return rows.map(leavingOf);
}

/** Makes the messages that waited for the daily mail wait for the morning, each for itself. */
export async function holdSingly(trx: Transaction, userId: string): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ held_for: "quiet" })
    .where("user_id", "=", userId)
    .where(isHeld("summary"))
    .execute();
}

/** Gives those whose daily mail is due, in order of id, after the given one. */
export async function selectSummaryDue(
  reader: Reader,
  which: { readonly now: Date; readonly afterId: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const { afterId } = which;
  const rows = await reader
    .selectFrom("notices")
    .select("user_id")
    .distinct()
    .where(isHeld("summary"))
    .where("not_before", "<=", which.now)
    .where("user_id", "is not", null)
    .$if(afterId !== null, (query) => query.where("user_id", ">", afterId))
    .orderBy("user_id")
    .limit(which.limit)
    .execute();
  return rows.flatMap((row) => row.user_id ?? []);
}

/** Gives the newest of what one person's daily mail is about, oldest of them first, locked against another process that writes the same mail. */
export async function lockListed(
  trx: Transaction,
  which: { readonly userId: string; readonly now: Date; readonly limit: number },
): Promise<readonly ListedNotice[]> {
  const rows = await trx
    .selectFrom("notices")
    .select(["id", "kind", "destination", "created_at", "content_wrapped"])
    .where("user_id", "=", which.userId)
    .where(isHeld("summary"))
    .where("not_before", "<=", which.now)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(which.limit)
    .forUpdate()
    .execute();
  return rows.toReversed().map((row) => ({
    id: row.id,
    // The table holds nothing but this feature's own writes.
    kind: row.kind as NoticeKind,
    destination: row.destination,
    createdAt: row.created_at,
    contentWrapped: row.content_wrapped,
  }));
}

/** Ties all that one person's daily mail is about to it, and counts it; what it said is in that mail now, and no longer here. */
export async function attachToSummary(
  trx: Transaction,
  which: { readonly userId: string; readonly now: Date; readonly summaryId: string },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable("notices")
    .set({ summary_id: which.summaryId, content_wrapped: null })
    .where("user_id", "=", which.userId)
    .where(isHeld("summary"))
    .where("not_before", "<=", which.now)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Counts what waits for one person, and tells until when. */
export async function countWaiting(
  reader: Reader,
  userId: string,
): Promise<{ readonly count: number; readonly notBefore: Date | null }> {
  const row = await reader
    .selectFrom("notices")
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      eb.fn.min("not_before").as("not_before"),
    ])
    .where("user_id", "=", userId)
    .where(sql<boolean>`held_for is not null and summary_id is null and state = 'queued'`)
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), notBefore: row.not_before };
}

/** Sends what waits for a person to the address they have now. */
export async function readdressHeld(
  trx: Transaction,
  change: { readonly userId: string; readonly address: string },
): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ destination: change.address })
    .where("user_id", "=", change.userId)
    .where("channel", "!=", "sms")
    .where(sql<boolean>`held_for is not null and summary_id is null and state = 'queued'`)
    .execute();
}

/** Turns the texts that wait for a person into mails: their number is not theirs any more. One that was said by mail too is withdrawn. */
export async function mailHeldTexts(
  trx: Transaction,
  change: { readonly userId: string; readonly address: string; readonly now: Date },
): Promise<void> {
  const heldTexts = sql<boolean>`channel = 'sms' and held_for is not null and state = 'queued'`;
  await trx
    .updateTable("notices")
    .set({ state: "withdrawn", held_for: null, content_wrapped: null, ended_at: change.now })
    .where("user_id", "=", change.userId)
    .where(heldTexts)
    .where("dedupe_key", "like", "%:sms")
    .execute();
  await trx
    .updateTable("notices")
    .set({ channel: "email", destination: change.address })
    .where("user_id", "=", change.userId)
    .where(heldTexts)
    .execute();
}

/** Gives, by channel, how many messages are due and have not left, and for how many seconds the oldest has been due. */
export async function selectOutbox(
  reader: Reader,
  now: Date,
): Promise<
  readonly { readonly channel: string; readonly count: number; readonly oldestS: number }[]
> {
  const dueAt = sql<Date>`coalesce(not_before, created_at)`;
  const rows = await reader
    .selectFrom("notices")
    .select((eb) => [
      "channel",
      eb.fn.countAll<number>().as("count"),
      eb.fn.min(dueAt).as("oldest_at"),
    ])
    .where(sql<boolean>`held_for is null and state = 'queued'`)
    .where(dueAt, "<=", now)
    .groupBy("channel")
    .execute();
  return rows.map(({ channel, count, oldest_at }) => ({
    channel,
    count,
    oldestS: (now.getTime() - oldest_at.getTime()) / 1_000,
  }));
}

type HeldMail = { readonly id: string; readonly contentWrapped: Uint8Array };

const isHeldMail = sql<boolean>`channel = 'email' and held_for is not null and summary_id is null and state = 'queued'`;

/** The message that tells the same event by a push or as the second way by a text. */
const beside = (eb: ExpressionBuilder<Schema, "notices">) =>
  eb
    .selectFrom("notices as beside")
    .select("beside.id")
    .where(
      sql<boolean>`beside.dedupe_key in (notices.dedupe_key || ${pushedKey.of("")}, notices.dedupe_key || ':sms')`,
    );

/** Ends the mails that wait for one person and of whose events they are told otherwise. */
export async function withdrawToldMails(
  trx: Transaction,
  which: { readonly userId: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ state: "withdrawn", held_for: null, content_wrapped: null, ended_at: which.now })
    .where("user_id", "=", which.userId)
    .where(isHeldMail)
    .where((eb) => eb.exists(beside(eb).where("beside.state", "!=", "refused")))
    .execute();
}

/** Gives the mails that wait for one person; not those that say what could not be told otherwise. */
export async function selectHeldMails(
  trx: Transaction,
  userId: string,
): Promise<readonly HeldMail[]> {
  const rows = await trx
    .selectFrom("notices")
    .select(["id", "content_wrapped"])
    .where("user_id", "=", userId)
    .where(isHeldMail)
    .where((eb) => eb.not(eb.exists(beside(eb))))
    .forUpdate()
    .execute();
  return rows.flatMap((row) =>
    row.content_wrapped === null ? [] : [{ id: row.id, contentWrapped: row.content_wrapped }],
  );
}

/** Makes texts or pushes of mails that wait. A push leaves the event's own key to the mail that goes when no browser takes it. */
export async function turnHeldMails(
  trx: Transaction,
  change: {
    readonly channel: "sms" | "push";
    readonly destination: string;
    readonly turned: readonly HeldMail[];
  },
): Promise<void> {
  const ids = change.turned.map(({ id }) => id);
  const contents = change.turned.map(({ contentWrapped }) => toHex(contentWrapped));
  const suffix = change.channel === "push" ? pushedKey.of("") : "";
  await sql`
    update notices set channel = ${change.channel}, destination = ${change.destination}, dedupe_key = dedupe_key || ${suffix}::text,
      content_wrapped = decode(turned.content, 'hex')
    from unnest(${sql.val(ids)}::uuid[], ${sql.val(contents)}::text[]) as turned (id, content)
    where notices.id = turned.id`.execute(trx);
}

/** Ends the messages that should have been given up long ago: their jobs are gone. One that waited for a morning is as old as that morning. */
export async function endForgotten(
  reader: Reader,
  end: { dueBefore: Date; answer: string; at: Date },
): Promise<void> {
  await reader
    .updateTable("notices")
    .set({ state: "refused", server_answer: end.answer, content_wrapped: null, ended_at: end.at })
    .where("state", "=", "queued")
    .where("created_at", "<", end.dueBefore)
    .where((eb) => eb(eb.fn.coalesce("not_before", "created_at"), "<", end.dueBefore))
    .execute();
}

/** Forgets to whom a purged envelope's messages went. One that has not left yet, the news of the cancellation say, still goes. */
export async function eraseNotices(trx: Transaction, envelopeId: string): Promise<void> {
  await trx
    .deleteFrom("notices")
    .where("envelope_id", "=", envelopeId)
    .where("state", "!=", "queued")
    .execute();
}

/** Forgets the messages to a person whose account is erased: those about the account, and those they got as a sender. */
export async function erasePersonNotices(
  trx: Transaction,
  person: { userId: string; emailKey: string | null },
): Promise<void> {
  await trx.deleteFrom("notices").where("user_id", "=", person.userId).execute();
  await trx
    .deleteFrom("notices")
    .where("envelope_id", "is", null)
    .where("channel", "!=", "sms")
    .where(sql<string>`lower(destination)`, "=", person.emailKey)
    .execute();
}

/** Removes messages about accounts that ended before that moment; an envelope's stay with it. */
export async function deleteOldAccountNotices(reader: Reader, before: Date): Promise<void> {
  await reader
    .deleteFrom("notices")
    .where("envelope_id", "is", null)
    .where("state", "!=", "queued")
    .where("created_at", "<", before)
    .execute();
}

/** Removes the last mails of erased accounts once they have left, or could not: their address is kept no longer than the sending takes. */
export async function deleteFarewells(reader: Reader): Promise<void> {
  await reader
    .deleteFrom("notices")
    .where("kind", "=", "account_erased")
    .where("state", "!=", "queued")
    .execute();
}
