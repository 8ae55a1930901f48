import { type Expression, type RawBuilder, sql } from "kysely";
import type { Reader } from "../../platform/database/database.ts";
import { build, type Write } from "../../platform/database/write-together.ts";
import { deliveryFailure, isServersAnswer } from "./domain/delivery-failure.ts";
import {
  mailedKey,
  type NoticeChannel,
  type NoticeKind,
  type NoticeState,
} from "./domain/notice.ts";

/** The first one. A refused text did not arrive: its link went by mail. */
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

/** `mailedInstead`: replaced a refused text. */
export type Way = {
  readonly channel: string;
  readonly state: string;
  readonly mayHaveLeft: boolean;
  readonly mailedInstead: boolean;
};

/** With this link, by its token's SHA-256. */
export function waysByLink(linkSha256: Uint8Array): RawBuilder<readonly Way[]> {
  return waysWhere(sql`link_sha256 = ${linkSha256}::bytea`);
}

/** With this key, and the mail that replaced it. */
export function waysByKey(key: RawBuilder<string>): RawBuilder<readonly Way[]> {
  return waysWhere(sql`dedupe_key in (${key}, ${key} || ${sql.lit(mailedKey(""))})`);
}

function waysWhere(which: RawBuilder<unknown>): RawBuilder<readonly Way[]> {
  return sql`coalesce((
    select jsonb_agg(jsonb_build_object(
      'channel', channel, 'state', state, 'mayHaveLeft', may_have_left,
      'mailedInstead', dedupe_key like ${sql.lit(`%${mailedKey("")}`)}))
    from notices where channel in ('email', 'sms') and ${which}), '[]')`;
}

/** Not recorded yet, as `recordArrival` does. */
export function awaitsOpening(linkSha256: Uint8Array): RawBuilder<boolean> {
  return sql`exists (select from notices where link_sha256 = ${linkSha256}::bytea
    and opened_at is null and not (channel = 'sms' and state = 'refused'))`;
}

/**
 * Null without a row. "either": the gateway did not answer, so text and replacing mail may both
 * arrive.
 */
export function channelOf(ways: readonly Way[]): "email" | "sms" | "either" | null {
  const isMailed = ways.some(({ channel }) => channel === "email");
  const isTexted = ways.some(
    ({ channel, state, mayHaveLeft }) => channel === "sms" && (state !== "refused" || mayHaveLeft),
  );
  if (isMailed) return isTexted ? "either" : "email";
  return isTexted ? "sms" : null;
}

/** The last request, by mail or text. */
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

/** `waiting`: a queued one may arrive, or counts as unsent. */
type Unreached = {
  readonly envelopeIds: readonly string[];
  readonly waiting?: "may-arrive" | "not-left";
};

/**
 * Whose every request was refused, and certainly reached no server (RFC 5321 §4.5.3.2.6).
 * `not-left`: queued and withdrawn ones count as unsent.
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

/** `selectUnreached`, as SQL. */
export function unreachedOf(envelopeId: Expression<string>): RawBuilder<readonly string[]> {
  return sql`coalesce((select jsonb_agg(recipient_id) from (
    select recipient_id from notices where envelope_id = ${envelopeId} and recipient_id is not null
      and kind in ('invitation', 'reminder', 'expiring', 'extended') and state <> 'withdrawn'
    group by recipient_id having bool_and(state = 'refused' and not may_have_left)) as unreached), '[]')`;
}

/** As evidence shows it. `messageId`: of a mail. */
export type NoticeReceipt = {
  readonly kind: NoticeKind;
  readonly channel: Exclude<NoticeChannel, "push">;
  readonly destination: string;
  readonly recipientId: string | null;
  readonly messageId: string | null;
  readonly state: NoticeState;
  readonly serverAnswer: string | null;
  /** In French; null once a server was asked. */
  readonly unsentBecause: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly openedAt: Date | null;
};

/**
 * Mails and texts to recipients and sender, oldest first. Pushes would reveal who has an account.
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
    // The table's checks allow no other.
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

function answersOf(row: {
  kind: string;
  channel: string;
  state: string;
  server_answer: string | null;
}): Pick<NoticeReceipt, "serverAnswer" | "unsentBecause"> {
  const failure = deliveryFailure({
    ...row,
    state: row.state as NoticeState,
    serverAnswer: row.server_answer,
  });
  return isServersAnswer(failure)
    ? { serverAnswer: row.server_answer, unsentBecause: null }
    : { serverAnswer: null, unsentBecause: failure?.detail ?? null };
}
