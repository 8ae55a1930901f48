import { type Delivery, maskEmail } from "@paraphe/contracts";
import { sql, type Expression, type RawBuilder } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { insertionOf, build, type Write } from "../../platform/database/in-transaction.ts";
import {
  type Delay,
  mailedKey,
  type NoticeChannel,
  type NoticeKind,
  type NoticeState,
} from "./domain/notice.ts";
import { deliveryFailure, isServersAnswer } from "./domain/delivery-failure.ts";

/** Without content, as the sender may see it. */
export type NoticeRow = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly destination: string;
  readonly envelopeId: string | null;
  readonly recipientId: string | null;
  readonly delegatorId: string | null;
  readonly subject: string | null;
  readonly state: NoticeState;
  readonly tries: number;
  readonly serverAnswer: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  /** The time it left, was refused or withdrawn. */
  readonly endedAt: Date | null;
  readonly openedAt: Date | null;
};

type Unset = "subject" | "state" | "tries" | "serverAnswer" | "sentAt" | "endedAt" | "openedAt";
export type NewNotice = Omit<NoticeRow, Unset> & {
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
  "delegator_id",
  "subject",
  "state",
  "tries",
  "server_answer",
  "created_at",
  "sent_at",
  "ended_at",
  "opened_at",
] as const;

export type AddedNotice = { readonly id: string; readonly due_at: string };

/**
 * A trigger skips known dedupe keys. With a lease, this process claims them, except delayed ones.
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
      delegator_id: notice.delegatorId,
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

export async function selectNoticeState(reader: Reader, id: string): Promise<NoticeState | null> {
  const row = await reader
    .selectFrom("notices")
    .select("state")
    .where("id", "=", id)
    .executeTakeFirst();
  // The table's checks allow no other.
  return (row?.state as NoticeState | undefined) ?? null;
}

/** Concerns one recipient or all. A push and a delegate's message have the recipient in their key. */
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
          eb("dedupe_key", "like", `%:${which.recipientId}:%`),
        ]),
      ),
    )
    .where("kind", "in", which.kinds)
    .where("state", "=", "queued");
  return { into: ["notices"], statement };
}

/** Requests to a delegate, whose keys name the delegation. */
export async function withdrawDelegated(
  trx: Transaction,
  which: {
    readonly delegateId: string;
    readonly delegationId: string;
    readonly kinds: readonly NoticeKind[];
    readonly at: Date;
  },
): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ state: "withdrawn", content_wrapped: null, ended_at: which.at })
    .where("user_id", "=", which.delegateId)
    .where("dedupe_key", "like", `%:${which.delegationId}%`)
    .where("kind", "in", which.kinds)
    .where("state", "=", "queued")
    .execute();
}

type UnsentDeadline = {
  readonly id: string;
  readonly recipientId: string;
  readonly contentWrapped: Uint8Array;
};

/** Gives those that were their recipient's last request, as a later one names its deadline. */
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

/** Texts and pushes to delegates would reveal the channels that they chose. */
const isToRecipientOrDelegate = sql<boolean>`(recipient_id is not null or (delegator_id is not null and channel = 'email'))`;

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
          sql<number>`row_number() over (partition by recipient_id, delegator_id order by created_at desc, id desc)`.as(
            "rank",
          ),
        )
        .where("envelope_id", "=", which.envelopeId)
        .where(isToRecipientOrDelegate),
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
 * Finds a person's by account, address and number in an envelope, one condition each: over the
 * three together there is no index.
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
  delegator_id: string | null;
  subject: string | null;
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
    kind: row.kind as NoticeKind,
    channel: row.channel as NoticeChannel,
    destination: row.destination,
    envelopeId: row.envelope_id,
    recipientId: row.recipient_id,
    delegatorId: row.delegator_id,
    subject: row.subject,
    state: row.state as NoticeState,
    tries: row.tries,
    serverAnswer: row.server_answer,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    endedAt: row.ended_at,
    openedAt: row.opened_at,
  };
}

/** Notes the first opening. A refused text did not arrive: its link went by mail. */
export function updateOpened(opened: { linkSha256: Uint8Array; at: Date }): Write {
  const statement = build
    .updateTable("notices")
    .set((eb) => ({
      state: "delivered",
      opened_at: opened.at,
      content_wrapped: null,
      ended_at: eb.fn.coalesce("ended_at", eb.val(opened.at)),
    }))
    .where("link_sha256", "=", opened.linkSha256)
    .where("opened_at", "is", null)
    .where(({ not, and, eb }) =>
      not(and([eb("channel", "=", "sms"), eb("state", "=", "refused")])),
    );
  return { into: ["notices"], statement };
}

/** A code that came back was delivered. */
export function updateAnswered(answered: { dedupeKey: string; at: Date }): Write {
  const statement = build
    .updateTable("notices")
    .set((eb) => ({
      state: "delivered",
      content_wrapped: null,
      ended_at: eb.fn.coalesce("ended_at", eb.val(answered.at)),
    }))
    .where("dedupe_key", "in", [answered.dedupeKey, mailedKey(answered.dedupeKey)])
    .where("state", "!=", "refused");
  return { into: ["notices"], statement };
}

/** `mailedInstead`: the mail replaced a refused text. */
export type Way = {
  readonly channel: string;
  readonly state: string;
  readonly mayHaveLeft: boolean;
  readonly mailedInstead: boolean;
};

export function waysByLink(linkSha256: Uint8Array): RawBuilder<readonly Way[]> {
  return waysWhere(sql`link_sha256 = ${linkSha256}::bytea`);
}

/** Also finds the mail that replaced it. */
export function waysByKey(key: RawBuilder<string>): RawBuilder<readonly Way[]> {
  return waysWhere(sql`dedupe_key in (${key}, ${key} || ${sql.lit(mailedKey(""))})`);
}

function waysWhere(which: RawBuilder<unknown>): RawBuilder<readonly Way[]> {
  return sql`coalesce((
    select json_agg(json_build_object(
      'channel', channel, 'state', state, 'mayHaveLeft', may_have_left,
      'mailedInstead', dedupe_key like ${sql.lit(`%${mailedKey("")}`)}))
    from notices where channel in ('email', 'sms') and ${which}), '[]')`;
}

/** Whether the first opening of the link is not recorded yet. */
export function awaitsOpening(linkSha256: Uint8Array): RawBuilder<boolean> {
  return sql`exists (select from notices where link_sha256 = ${linkSha256}::bytea
    and opened_at is null and not (channel = 'sms' and state = 'refused'))`;
}

/**
 * Gives null without a row. "either": the gateway did not answer, so text and replacing mail may
 * both arrive.
 */
export function channelOf(ways: readonly Way[]): "email" | "sms" | "either" | null {
  const isMailed = ways.some(({ channel }) => channel === "email");
  const isTexted = ways.some(
    ({ channel, state, mayHaveLeft }) => channel === "sms" && (state !== "refused" || mayHaveLeft),
  );
  if (isMailed) return isTexted ? "either" : "email";
  return isTexted ? "sms" : null;
}

export async function isLastRequestRefused(
  reader: Reader,
  asked: { envelopeId: string; recipientId: string },
): Promise<boolean> {
  const row = await reader
    .selectFrom("notices")
    .select("state")
    .where("envelope_id", "=", asked.envelopeId)
    .where("recipient_id", "=", asked.recipientId)
    .where("kind", "in", ["invitation", "reminder", "extended"])
    .where("channel", "!=", "push")
    .where("state", "!=", "withdrawn")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.state === "refused";
}

/** `waiting`: a queued request may arrive, or counts as unsent. */
type Unreached = {
  readonly envelopeIds: readonly string[];
  readonly waiting?: "may-arrive" | "not-left";
};

/**
 * Gives those whose every request was refused and certainly reached no server (RFC 5321
 * §4.5.3.2.6). `not-left`: queued and withdrawn ones count as unsent.
 */
export async function selectUnreached(
  reader: Reader,
  { envelopeIds, waiting = "may-arrive" }: Unreached,
): Promise<ReadonlySet<string>> {
  if (envelopeIds.length === 0) return new Set();
  const requests = reader
    .selectFrom("notices")
    .select("recipient_id")
    .where("envelope_id", "in", envelopeIds)
    .where("recipient_id", "is not", null)
    .where("kind", "in", ["invitation", "reminder", "expiring", "extended"]);
  const failed =
    waiting === "not-left" ? (["refused", "queued", "withdrawn"] as const) : (["refused"] as const);
  const counted = waiting === "not-left" ? requests : requests.where("state", "!=", "withdrawn");
  const rows = await counted
    .groupBy("recipient_id")
    .having((eb) =>
      eb.fn<boolean>("bool_and", [
        eb.and([eb("state", "in", failed), eb("may_have_left", "=", false)]),
      ]),
    )
    .execute();
  return new Set(rows.flatMap((row) => row.recipient_id ?? []));
}

export function unreachedOf(envelopeId: Expression<string>): RawBuilder<readonly string[]> {
  return sql`coalesce((select json_agg(recipient_id) from (
    select recipient_id from notices where envelope_id = ${envelopeId} and recipient_id is not null
      and kind in ('invitation', 'reminder', 'expiring', 'extended') and state <> 'withdrawn'
    group by recipient_id having bool_and(state = 'refused' and not may_have_left)) as unreached), '[]')`;
}

/** A message as evidence shows it. `messageId`: of a mail. */
export type NoticeReceipt = {
  readonly kind: NoticeKind;
  readonly channel: Exclude<NoticeChannel, "push">;
  readonly destination: string;
  readonly recipientId: string | null;
  readonly delegatorId: string | null;
  readonly messageId: string | null;
  readonly state: NoticeState;
  readonly serverAnswer: string | null;
  /** French; null once a server was asked. */
  readonly unsentBecause: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly openedAt: Date | null;
};

/** Gives mails and texts to recipients and sender, and mails to delegates, oldest first. */
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
      "delegator_id",
      "message_id",
      "state",
      "server_answer",
      "created_at",
      "sent_at",
      "opened_at",
    ])
    .where("envelope_id", "=", which.envelopeId)
    .where("channel", "<>", "push")
    .where((eb) => eb.or([isToRecipientOrDelegate, eb("user_id", "=", which.ownerId)]))
    .orderBy("created_at")
    .orderBy("id")
    .limit(which.limit)
    .execute();
  return rows.map((row) => ({
    ...answersOf(row),
    kind: row.kind as NoticeKind,
    channel: row.channel as NoticeReceipt["channel"],
    recipientId: row.recipient_id,
    delegatorId: row.delegator_id,
    messageId: row.channel === "email" ? row.message_id : null,
    state: row.state as NoticeState,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    openedAt: row.opened_at,
  }));
}

/** Who reads it learns that a delegate was asked, not which. */
function shownOf({
  destination,
  serverAnswer,
  delegatorId,
}: Pick<NoticeRow, "destination" | "serverAnswer" | "delegatorId">) {
  if (delegatorId === null) return { destination, serverAnswer };
  const isNamed = serverAnswer?.toLowerCase().includes(destination.toLowerCase());
  return {
    destination: maskEmail(destination),
    serverAnswer: isNamed ? null : serverAnswer,
  };
}

function answersOf(row: {
  kind: string;
  channel: string;
  state: string;
  destination: string;
  delegator_id: string | null;
  server_answer: string | null;
}): Pick<NoticeReceipt, "destination" | "serverAnswer" | "unsentBecause"> {
  const answered = { serverAnswer: row.server_answer, delegatorId: row.delegator_id };
  const failure = deliveryFailure({ ...row, ...answered, state: row.state as NoticeState });
  const { destination, serverAnswer } = shownOf({ ...answered, destination: row.destination });
  return isServersAnswer(failure)
    ? { destination, serverAnswer, unsentBecause: null }
    : { destination, serverAnswer: null, unsentBecause: failure?.detail ?? null };
}

/** Room for a day's codes, and requests. */
const PER_RECIPIENT = 10;

/** By recipient: to them, and to those who may sign for them. */
export type Deliveries = Readonly<
  Record<"own" | "toDelegates", ReadonlyMap<string, readonly Delivery[]>>
>;

export async function loadDeliveries(reader: Reader, envelopeId: string): Promise<Deliveries> {
  const own = new Map<string, Delivery[]>();
  const toDelegates = new Map<string, Delivery[]>();
  for (const row of await selectDeliveries(reader, { envelopeId, perRecipient: PER_RECIPIENT })) {
    const [deliveries, recipientId] =
      row.delegatorId === null ? [own, row.recipientId as string] : [toDelegates, row.delegatorId];
    const list = deliveries.get(recipientId) ?? [];
    list.push(presentDelivery(row));
    deliveries.set(recipientId, list);
  }
  return { own, toDelegates };
}

function presentDelivery(row: NoticeRow): Delivery {
  const failure = deliveryFailure(row);
  const { destination, serverAnswer } = shownOf(row);
  return {
    id: row.id,
    kind: row.kind,
    channel: row.channel,
    destination,
    subject: row.subject,
    state: row.state,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    opened_at: row.openedAt?.toISOString() ?? null,
    tries: row.tries,
    server_answer: isServersAnswer(failure) ? serverAnswer : null,
    failure,
  };
}

/** Gives those of the accounts with a living browser. */
export async function selectPushSubscribed(
  reader: Reader,
  which: { readonly userIds: readonly string[]; readonly now: Date },
): Promise<ReadonlySet<string>> {
  if (which.userIds.length === 0) return new Set();
  const rows = await reader
    .selectFrom("push_subscriptions")
    .innerJoin("sessions", "sessions.id", "push_subscriptions.session_id")
    .select("push_subscriptions.user_id")
    .distinct()
    .where("push_subscriptions.user_id", "in", which.userIds)
    .where("sessions.expires_at", ">", which.now)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}
