import { sql } from "kysely";
import type { Reader } from "../../platform/database/database.ts";
import { AWAITED_KINDS, type Lane, LANES } from "./domain/notice.ts";
import { type ClaimedNotice, LEASE_S } from "./enqueue-notice.ts";

/** Covers all that waits, whenever its next try is. */
const FOR_EVER_S = 10 ** 9;

const isDue = (aheadS: number) => sql<boolean>`
  n.state = 'queued' and n.held_for is null and n.next_try_at <= now() + make_interval(secs => ${aheadS}::float8)`;

/**
 * Claims due messages, `free` of each lane, senders by turns, without another process's claims.
 * They count as possibly sent, as a killed process cannot say. An index has what is due.
 */
export async function claimNotices(
  reader: Reader,
  which: { readonly free: ReadonlyMap<Lane, number>; readonly deferred?: boolean },
): Promise<readonly ClaimedNotice[]> {
  const lanes = [...which.free].map(([name, free]) => {
    const { channel, awaited } = LANES[name];
    return { name, free, channel, awaited };
  });
  const due = isDue(which.deferred === true ? FOR_EVER_S : 0);
  const { rows } = await sql<ClaimedNotice>`
    with due as (
      select n.id, n.next_try_at, lane.name as lane, lane.free,
        row_number() over (partition by lane.name, n.sender_id order by n.next_try_at, n.id) as turn
      from notices n
        join jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) as lane (name text, channel text, awaited boolean, free int)
          on lane.channel = n.channel and lane.awaited = (n.channel <> 'push' and n.kind = any(${sql.val(AWAITED_KINDS)}::text[])) and lane.free > 0
      where ${due}
    ), placed as materialized (
      select id, lane, free, row_number() over (partition by lane order by turn, next_try_at, id) as place from due
    ), taken as materialized (
      select n.id, n.may_have_left, n.next_try_at from notices n
      where n.id = any(array(select id from placed where place <= free)) and ${due} for update skip locked
    ), claimed as (
      update notices n set may_have_left = true, next_try_at = now() + make_interval(secs => ${LEASE_S})
      from taken where n.id = taken.id
      returning n.*, taken.may_have_left as had_left, taken.next_try_at as due_at
    )
    select c.id, p.lane, dedupe_key as "dedupeKey", kind, channel, destination, message_id as "messageId", envelope_id as "envelopeId",
      recipient_id as "recipientId", delegator_id as "delegatorId", user_id as "userId", sender_id as "senderId", link_sha256 as "linkSha256",
      content_wrapped as "contentWrapped", created_at as "createdAt", not_before as "notBefore", tries, server_answer as "serverAnswer",
      had_left as "mayHaveLeft", due_at as "dueAt"
    from claimed c join placed p on p.id = c.id order by p.place, p.lane`.execute(reader);
  return rows;
}

export async function renewClaims(reader: Reader, ids: readonly string[]): Promise<void> {
  await sql`
    update notices n set next_try_at = now() + make_interval(secs => ${LEASE_S})
    where n.id = any(${sql.val(ids)}::uuid[]) and n.state = 'queued'`.execute(reader);
}

export type Ending = {
  readonly id: string;
  readonly serverAnswer: string | null;
  readonly mayHaveLeft: boolean;
  readonly subject?: string | null | undefined;
} & (
  | { readonly state: "sent" | "refused"; readonly at: Date }
  | { readonly state: "queued"; readonly retryInS: number }
  | { readonly state: "queued"; readonly dueAt: Date }
);

/**
 * A message sent or refused ends with those it lists, and loses its content (links, codes). A
 * withdrawn one stays. A part of the statement gives the ids: PostgreSQL would plan each length of
 * a list anew.
 */
export async function finishNotices(reader: Reader, endings: readonly Ending[]): Promise<void> {
  const rows = endings.map((ending) => ({
    id: ending.id,
    state: ending.state,
    answer: ending.serverAnswer,
    may_have_left: ending.mayHaveLeft,
    subject: ending.subject ?? null,
    tried: "dueAt" in ending ? 0 : 1,
    ended_at: "at" in ending ? ending.at.toISOString() : null,
    due_at: "dueAt" in ending ? ending.dueAt.toISOString() : null,
    retry_in_s: "retryInS" in ending ? ending.retryInS : 0,
  }));
  await sql`
    with e as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (id uuid, state text, answer text, may_have_left boolean, subject text, tried int,
        ended_at timestamptz, due_at timestamptz, retry_in_s float8)
    ), ended as (
      update notices n set state = e.state, server_answer = e.answer, tries = n.tries + e.tried, may_have_left = e.may_have_left,
        subject = coalesce(e.subject, n.subject),
        content_wrapped = case when e.state = 'queued' then n.content_wrapped end,
        sent_at = case when e.state = 'sent' then e.ended_at end, ended_at = e.ended_at,
        next_try_at = coalesce(e.due_at, now() + make_interval(secs => e.retry_in_s))
      from e where n.id = any(array(select id from e)) and n.id = e.id and n.state = 'queued'
      returning n.id, n.kind, n.state, n.server_answer, n.sent_at, n.ended_at, n.may_have_left
    )
    update notices n set state = ended.state, server_answer = ended.server_answer, tries = n.tries + 1, content_wrapped = null,
      sent_at = ended.sent_at, ended_at = ended.ended_at, may_have_left = ended.may_have_left
    from ended
    where ended.kind = 'summary' and ended.state <> 'queued' and n.summary_id = ended.id and n.state = 'queued'`.execute(
    reader,
  );
}
