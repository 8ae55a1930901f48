import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { insertionOf } from "../../platform/database/insert-rows.ts";
import { build, type Write } from "../../platform/database/write-together.ts";
import type { Delay } from "./domain/departure.ts";
import {
  type NoticeChannel,
  type NoticeKind,
  type NoticeState,
  pushedKey,
} from "./domain/notice.ts";

/** As the sender sees it, without content. */
export type NoticeRow = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly destination: string;
  readonly envelopeId: string | null;
  readonly recipientId: string | null;
  readonly state: NoticeState;
  readonly tries: number;
  readonly serverAnswer: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  /** Left, refused or withdrawn. */
  readonly endedAt: Date | null;
  readonly openedAt: Date | null;
};

export type NewNotice = Pick<
  NoticeRow,
  "id" | "kind" | "channel" | "destination" | "envelopeId" | "recipientId" | "createdAt"
> & {
  readonly dedupeKey: string;
  readonly messageId: string;
  readonly userId: string | null;
  readonly senderId: string | null;
  readonly linkSha256: Uint8Array | null;
  readonly contentWrapped: Uint8Array;
  readonly delay: Delay | null;
};

const COLUMNS = [
  "id",
  "kind",
  "channel",
  "destination",
  "envelope_id",
  "recipient_id",
  "state",
  "tries",
  "server_answer",
  "created_at",
  "sent_at",
  "ended_at",
  "opened_at",
] as const;

/** JSON of the database. */
export type AddedNotice = { readonly id: string; readonly due_at: string };

/**
 * A trigger skips known dedupe keys. With a lease they are claimed by this process, except delayed
 * ones.
 */
export function insertNotices(
  notices: readonly NewNotice[],
  leaseS: number,
  read: (added: readonly AddedNotice[]) => void,
): Write | null {
  const isClaimed = sql`held_for is null and ${leaseS}::float8 > 0`;
  const nextTryAt = sql`now() + case when held_for is null then ${leaseS}::float8 else 0 end * interval '1 s'`;
  const insertion = insertionOf(
    {
      into: "notices",
      conflict: sql`returning id, now() as due_at`,
      computed: { may_have_left: isClaimed, next_try_at: nextTryAt },
    },
    notices.map((notice) => ({
      id: notice.id,
      dedupe_key: notice.dedupeKey,
      kind: notice.kind,
      channel: notice.channel,
      destination: notice.destination,
      message_id: notice.messageId,
      envelope_id: notice.envelopeId,
      recipient_id: notice.recipientId,
      user_id: notice.userId,
      sender_id: notice.senderId,
      link_sha256: notice.linkSha256,
      content_wrapped: notice.contentWrapped,
      held_for: notice.delay?.reason ?? null,
      not_before: notice.delay?.notBefore ?? null,
      state: "queued",
      created_at: notice.createdAt,
    })),
  );
  return (
    insertion && { ...insertion, adds: true, read: (rows) => read(rows as readonly AddedNotice[]) }
  );
}

export async function refuseNotices(
  trx: Transaction,
  refused: { readonly ids: readonly string[]; readonly serverAnswer: string; readonly at: Date },
): Promise<void> {
  await trx
    .updateTable("notices")
    .set({
      state: "refused",
      server_answer: refused.serverAnswer,
      content_wrapped: null,
      held_for: null,
      ended_at: refused.at,
      may_have_left: false,
    })
    .where("id", "in", refused.ids)
    .execute();
}

export async function refuseWaiting(
  reader: Reader,
  refused: { readonly serverAnswer: string; readonly at: Date },
): Promise<number> {
  const { numUpdatedRows } = await reader
    .updateTable("notices")
    .set({
      state: "refused",
      server_answer: refused.serverAnswer,
      content_wrapped: null,
      held_for: null,
      ended_at: refused.at,
    })
    .where("state", "=", "queued")
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Null once the row was deleted. */
export async function selectNoticeState(reader: Reader, id: string): Promise<NoticeState | null> {
  const row = await reader
    .selectFrom("notices")
    .select("state")
    .where("id", "=", id)
    .executeTakeFirst();
  // The table's checks allow no other.
  return (row?.state as NoticeState | undefined) ?? null;
}

/** Of one recipient or all. Pushes have no recipient: the event's key finds them. */
export function withdrawQueued(which: {
  readonly envelopeId: string;
  readonly recipientId: string | null;
  readonly kinds: readonly NoticeKind[];
  readonly at: Date;
}): Write {
  const statement = build
    .updateTable("notices")
    .set({ state: "withdrawn", content_wrapped: null, ended_at: which.at })
    .where("envelope_id", "=", which.envelopeId)
    .$if(which.recipientId !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb("recipient_id", "=", which.recipientId),
          eb("dedupe_key", "in", (keys) =>
            keys
              .selectFrom("notices as event")
              .select(sql<string>`event.dedupe_key || ${pushedKey.of("")}`.as("key"))
              .where("event.envelope_id", "=", which.envelopeId)
              .where("event.recipient_id", "=", which.recipientId),
          ),
        ]),
      ),
    )
    .where("kind", "in", which.kinds)
    .where("state", "=", "queued");
  return { into: ["notices"], statement };
}

type UnsentDeadline = {
  readonly id: string;
  readonly recipientId: string;
  readonly contentWrapped: Uint8Array;
};

/**
 * Unsent; gives those that were their recipient's last request, as a later one names its deadline.
 */
export async function deleteUnsentDeadlines(
  trx: Transaction,
  envelopeId: string,
): Promise<readonly UnsentDeadline[]> {
  const { rows } = await sql<{ id: string; recipient_id: string; content_wrapped: Uint8Array }>`
    with gone as (
      delete from notices where envelope_id = ${envelopeId}::uuid and kind = 'extended' and state = 'queued' and not may_have_left
      returning id, recipient_id, content_wrapped, created_at)
    select id, recipient_id, content_wrapped from gone
    where recipient_id is not null and content_wrapped is not null and not exists (
      select from notices n where n.envelope_id = ${envelopeId}::uuid and n.recipient_id = gone.recipient_id
        and n.kind in ('invitation', 'reminder', 'expiring') and n.state <> 'withdrawn' and n.created_at >= gone.created_at)`.execute(
    trx,
  );
  return rows.map((row) => ({
    id: row.id,
    recipientId: row.recipient_id,
    contentWrapped: row.content_wrapped,
  }));
}

/**
 * A person's, by account, address and number in an envelope: one condition over the three has no
 * index.
 */
export async function selectDeliveries(
  reader: Reader,
  which: { envelopeId: string; perRecipient: number },
): Promise<readonly NoticeRow[]> {
  const rows = await reader
    .with("ranked", (db) =>
      db
        .selectFrom("notices")
        .select(COLUMNS)
        .select(
          sql<number>`row_number() over (partition by recipient_id order by created_at desc, id desc)`.as(
            "rank",
          ),
        )
        .where("envelope_id", "=", which.envelopeId)
        .where("recipient_id", "is not", null),
    )
    .selectFrom("ranked")
    .select(COLUMNS)
    .where("rank", "<=", which.perRecipient)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map(noticeOf);
}

/**
 * A person's, by account, address and number in an envelope: one condition over the three has no
 * index.
 */
export async function selectPersonNotices(
  reader: Reader,
  person: { userId: string; emailKey: string | null; afterId: string | null; limit: number },
): Promise<NoticeRow[]> {
  const after = person.afterId === null ? sql`true` : sql`n.id > ${person.afterId}::uuid`;
  const page = sql`${after} order by n.id limit ${person.limit}`;
  const columns = sql.join(COLUMNS.map((column) => sql.ref(`n.${column}`)));
  const { rows } = await sql<RawRow>`
    select ${columns} from (
      (select n.id from notices n where n.user_id = ${person.userId}::uuid and ${page})
      union
      (select n.id from notices n where n.channel <> 'sms' and lower(n.destination) = ${person.emailKey} and ${page})
      union
      (select n.id from recipients r join notices n on n.envelope_id = r.envelope_id and n.recipient_id = r.id
        where r.email_key = ${person.emailKey} and n.channel = 'sms' and n.destination = r.phone_number and ${page})
      order by id limit ${person.limit}
    ) own join notices n on n.id = own.id
    order by n.id`.execute(reader);
  return rows.map(noticeOf);
}

type RawRow = {
  id: string;
  kind: string;
  channel: string;
  destination: string;
  envelope_id: string | null;
  recipient_id: string | null;
  state: string;
  tries: number;
  server_answer: string | null;
  created_at: Date;
  sent_at: Date | null;
  ended_at: Date | null;
  opened_at: Date | null;
};

function noticeOf(row: RawRow): NoticeRow {
  return {
    id: row.id,
    // The table's checks allow no other.
    kind: row.kind as NoticeKind,
    channel: row.channel as NoticeChannel,
    destination: row.destination,
    envelopeId: row.envelope_id,
    recipientId: row.recipient_id,
    state: row.state as NoticeState,
    tries: row.tries,
    serverAnswer: row.server_answer,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    endedAt: row.ended_at,
    openedAt: row.opened_at,
  };
}
