import { toHex } from "@paraphe/kernel/bytes";
import { type ExpressionBuilder, sql } from "kysely";
import type { Reader, Schema, Transaction } from "../../platform/database/database.ts";
import { type Delay, type NoticeKind, pushedKey } from "./domain/notice.ts";

export type ListedNotice = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly destination: string;
  readonly createdAt: Date;
  readonly contentWrapped: Uint8Array | null;
};

const isHeld = (reason: Delay["reason"]) =>
  sql<boolean>`held_for = ${reason} and summary_id is null and state = 'queued'`;

/** Quiet hours are over; rows locked elsewhere are skipped. */
export async function releaseDue(
  trx: Transaction,
  which: { readonly now: Date; readonly limit: number },
): Promise<number> {
  const { numUpdatedRows } = await trx
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
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Releases one person's that waited for this reason; their age restarts. */
export async function releaseOwn(
  trx: Transaction,
  which: { readonly userId: string; readonly reason: Delay["reason"]; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ held_for: null, not_before: which.now })
    .where("user_id", "=", which.userId)
    .where(isHeld(which.reason))
    .execute();
}

export async function delaySingly(trx: Transaction, userId: string): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ held_for: "quiet" })
    .where("user_id", "=", userId)
    .where(isHeld("summary"))
    .execute();
}

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

/** Gives the oldest first, locked: another process may write the same mail. */
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
    kind: row.kind as NoticeKind,
    destination: row.destination,
    createdAt: row.created_at,
    contentWrapped: row.content_wrapped,
  }));
}

/** Links the rows to the summary, counts a try and erases their content. */
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

/** Messages that wait for one person, and until when. */
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

/** Moves waiting mails to the person's current address. */
export async function readdressDelayed(
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

/**
 * Turns texts into mails when the number is no longer the owner's; withdraws those mailed already.
 */
export async function mailDelayedTexts(
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

/** By channel: due and unsent messages, and the oldest one's delay in seconds. */
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

/** The push or text about the same event. */
const beside = (eb: ExpressionBuilder<Schema, "notices">) =>
  eb
    .selectFrom("notices as beside")
    .select("beside.id")
    .where(
      sql<boolean>`beside.dedupe_key in (notices.dedupe_key || ${pushedKey.of("")}, notices.dedupe_key || ':sms')`,
    );

export async function withdrawReportedMails(
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

/** Leaves out mails that replace another channel. */
export async function selectDelayedMails(
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

/** A push leaves the event's key to the mail that may replace it. */
export async function redirectDelayedMails(
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

/** Unsent messages (of a cancellation, for example) still go. */
export async function eraseNotices(trx: Transaction, envelopeId: string): Promise<void> {
  await trx
    .deleteFrom("notices")
    .where("envelope_id", "=", envelopeId)
    .where("state", "!=", "queued")
    .execute();
}

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

/** Those of an envelope are deleted with it. */
export async function deleteOldAccountNotices(reader: Reader, before: Date): Promise<void> {
  await reader
    .deleteFrom("notices")
    .where("envelope_id", "is", null)
    .where("state", "!=", "queued")
    .where("created_at", "<", before)
    .execute();
}

/** Deletes the last mail of an erased account once it was sent or refused. */
export async function deleteFarewells(reader: Reader): Promise<void> {
  await reader
    .deleteFrom("notices")
    .where("kind", "=", "account_erased")
    .where("state", "!=", "queued")
    .execute();
}

export async function selectLinkGiven(
  reader: Reader,
  link: { readonly envelopeId: string; readonly sha256: Uint8Array },
): Promise<boolean> {
  const row = await reader
    .selectFrom("notices")
    .select("id")
    .where("link_sha256", "=", link.sha256)
    .where("envelope_id", "=", link.envelopeId)
    .executeTakeFirst();
  return row !== undefined;
}
