import { EVENTS, type ProgramHolder } from "@paraphe/contracts";
import {
  TEST_TYPE,
  type Webhook,
  type WebhookChange,
  type WebhookTry,
  type WebhookType,
} from "@paraphe/contracts/webhooks";
import { sql } from "kysely";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";
import { build, type Write } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  behindOf,
  holderColumns,
  holderOf,
  isManagedBy,
  nameOf,
  type selectManagers,
  type SessionUser,
} from "../../accounts/public.ts";
import type { NewAuditEvent } from "../../journal/public.ts";

type NewEvents = { readonly ownerId: string; readonly events: readonly NewAuditEvent[] };

export function queueWebhookEvents(
  { clock }: Pick<Platform, "clock">,
  { ownerId, events }: NewEvents,
): Write | null {
  const at = clock().toISOString();
  const rows = events.flatMap(({ action, envelopeId, actor, detail }, place) => {
    const type = EVENTS[action].webhook;
    if (type === undefined) return [];
    const acting = actor.kind === "recipient" ? actor.id : null;
    return [{ place, type, at, envelope: envelopeId, recipient: detail?.["recipient"] ?? acting }];
  });
  if (rows.length === 0) return null;
  const statement = build
    .insertInto("webhook_events")
    .columns(["webhook_id", "envelope_id", "recipient_id", "type", "at"])
    .expression(
      sql`(select w.id, e.envelope, e.recipient, e.type, e.at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as e (place int, type text, at timestamptz, envelope uuid, recipient uuid)
        left join envelopes v on v.id = e.envelope left join teams t on t.id = v.team_id
        join webhooks w on w.holder_id in (${ownerId}::uuid, t.id, t.organisation_id)
          and e.type = any(w.types)
        order by w.id, e.place)`,
    );
  return { into: ["webhook_events"], statement };
}

type Row = {
  readonly id: string;
  readonly holder: ProgramHolder;
  readonly by: string;
  readonly url: string;
  readonly types: string[];
  readonly created_at: Date;
  readonly paused: string | null;
  readonly paused_at: Date | null;
  readonly public_key: Uint8Array;
  readonly waiting: number;
  readonly failing: boolean;
};

type Command = { readonly user: SessionUser; readonly id: string };

export async function selectWebhooks(
  reader: Reader,
  { user, id }: Pick<Command, "user"> & Partial<Command>,
): Promise<readonly Webhook[]> {
  const { rows } = await sql<Row>`
    select w.id, ${holderOf("w")} as holder, ${nameOf(behindOf("w"))} as by, w.url, w.types, w.created_at, w.paused, w.paused_at, w.public_key,
      (select count(*)::int from webhook_events e where e.webhook_id = w.id and e.ended_at is null) as waiting,
      coalesce((select t.status is null or t.status not between 200 and 299 from webhook_tries t
        where t.webhook_id = w.id order by t.id desc limit 1), false) as failing
    from webhooks w where ${isManagedBy(user, "w")} ${id === undefined ? sql`` : sql`and w.id = ${id}::uuid`}
    order by w.id
  `.execute(reader);
  return rows.map((row) => ({
    id: row.id,
    holder: row.holder,
    by: row.by,
    url: row.url,
    types: row.types as WebhookType[],
    created_at: row.created_at.toISOString(),
    paused: row.paused as Webhook["paused"],
    paused_at: row.paused_at?.toISOString() ?? null,
    waiting: row.waiting,
    failing: row.failing,
    public_key: `whpk_${Buffer.from(row.public_key).toString("base64")}`,
  }));
}

type NewWebhook = {
  readonly id: string;
  readonly userId: string;
  readonly holder: ProgramHolder;
  readonly url: string;
  readonly types: readonly WebhookType[];
  readonly secretWrapped: Uint8Array;
  readonly seedWrapped: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly createdAt: Date;
};

export async function insertWebhook(trx: Transaction, webhook: NewWebhook): Promise<void> {
  await trx
    .insertInto("webhooks")
    .values({
      id: webhook.id,
      user_id: webhook.userId,
      ...holderColumns(webhook.holder),
      url: webhook.url,
      types: [...webhook.types],
      secret_wrapped: webhook.secretWrapped,
      seed_wrapped: webhook.seedWrapped,
      public_key: webhook.publicKey,
      created_at: webhook.createdAt,
    })
    .execute();
}

export async function countWebhooks(reader: Reader, holderId: string): Promise<number> {
  const row = await reader
    .selectFrom("webhooks")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("holder_id", "=", holderId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function deleteWebhook(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** A team's or the organisation's go on. */
export async function deleteWebhooksOf(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom("webhooks").where("holder_id", "=", userId).execute();
}

export async function updateWebhook(
  trx: Transaction,
  { id, ...change }: Pick<WebhookChange, "url" | "types"> & { readonly id: string },
): Promise<void> {
  await trx.updateTable("webhooks").set(change).where("id", "=", id).execute();
  if (change.url !== undefined) await retryAtOnce(trx, id);
}

const MAX_OLD_SECRETS = sql.raw("9");

export async function replaceSecret(
  trx: Transaction,
  change: Pick<Command, "id"> & { readonly secretWrapped: Uint8Array; readonly overlapUntil: Date },
): Promise<void> {
  await trx
    .updateTable("webhooks")
    .set({
      secret_wrapped: change.secretWrapped,
      old_secrets_wrapped: sql`(array_prepend(secret_wrapped, old_secrets_wrapped))[:${MAX_OLD_SECRETS}]`,
      old_secrets_until: sql`(array_prepend(${change.overlapUntil}::timestamptz, old_secrets_until))[:${MAX_OLD_SECRETS}]`,
    })
    .where("id", "=", change.id)
    .execute();
}

type PausedWebhook = { readonly url: string } & Parameters<typeof selectManagers>[1];

export async function pauseWebhook(
  trx: Transaction,
  pause: { readonly id: string; readonly why: NonNullable<Webhook["paused"]>; readonly at: Date },
): Promise<PausedWebhook | null> {
  const row = await trx
    .updateTable("webhooks")
    .set({ paused: pause.why, paused_at: pause.at })
    .where("id", "=", pause.id)
    .where("paused", "is", null)
    .returning(["url", "user_id", "team_id", "organisation_id"])
    .executeTakeFirst();
  return row ?? null;
}

export async function resumeWebhook(trx: Transaction, id: string): Promise<void> {
  await trx
    .updateTable("webhooks")
    .set({ paused: null, paused_at: null })
    .where("id", "=", id)
    .execute();
  await retryAtOnce(trx, id);
}

/** Waiting events have three days again. */
async function retryAtOnce(trx: Transaction, id: string): Promise<void> {
  await trx
    .updateTable("webhooks")
    .set({ failures: 0, rests_until: sql`'-infinity'` })
    .where("id", "=", id)
    .execute();
  await trx
    .updateTable("webhook_events")
    .set({ first_try_at: null, due_at: sql`now()` })
    .where("webhook_id", "=", id)
    .where("ended_at", "is", null)
    .execute();
  await wake(trx);
}

const wake = (reader: Reader) => sql`select tell_channel('webhooks', '')`.execute(reader);

/** Queues a test; its id is the event's. */
export async function insertTest(
  trx: Transaction,
  test: { readonly webhookId: string; readonly type: string; readonly at: Date },
): Promise<void> {
  await trx
    .insertInto("webhook_events")
    .values({ webhook_id: test.webhookId, type: test.type, at: test.at, asked: true })
    .execute();
}

/** Queues it under the same id. Gives whether it waits for an earlier event; null: no such try. */
export async function requeueEvent(
  trx: Transaction,
  { id, tryId }: Pick<Command, "id"> & { readonly tryId: string },
): Promise<boolean | null> {
  const { rows } = await sql<{ waits: boolean }>`
    update webhook_events e set ended_at = null, first_try_at = null, due_at = now(), asked = true
    from webhook_tries t where t.id = ${tryId}::bigint and t.webhook_id = ${id}::uuid and e.id = t.event_id
    returning ${hasEarlier} as waits
  `.execute(trx);
  if (rows.length > 0) await wake(trx);
  return rows[0]?.waits ?? null;
}

const hasEarlier = sql<boolean>`exists (select from webhook_events earlier
  where earlier.webhook_id = e.webhook_id and earlier.ended_at is null
    and earlier.envelope_id = e.envelope_id and earlier.id < e.id)`;

export const TRIES_A_PAGE = 50;

export async function selectTries(
  reader: Reader,
  { id, before }: Pick<Command, "id"> & { readonly before: string | null },
): Promise<readonly WebhookTry[]> {
  const { rows } = await sql<
    Omit<WebhookTry, "at" | "next_try_at"> & {
      readonly at: Date;
      readonly next_try_at: Date | null;
    }
  >`
    select t.id::text, e.type, t.at, t.path, t.status, t.duration_ms, t.headers, e.body as request, t.answer,
      case when e.ended_at is null and w.paused is null
        and not exists (select from webhook_tries later where later.event_id = e.id and later.id > t.id)
        then greatest(e.due_at, case when not e.asked and isfinite(w.rests_until) then w.rests_until end) end as next_try_at
    from webhook_tries t join webhook_events e on e.id = t.event_id join webhooks w on w.id = t.webhook_id
    where t.webhook_id = ${id}::uuid
      ${before === null ? sql`` : sql`and t.id < ${before}::bigint`}
    order by t.id desc limit ${TRIES_A_PAGE}
  `.execute(reader);
  return rows.map((row) => ({
    ...row,
    at: row.at.toISOString(),
    next_try_at: row.next_try_at?.toISOString() ?? null,
  }));
}

export type ClaimedEvent = {
  readonly id: string;
  readonly messageId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly type: string;
  readonly at: Date;
  readonly body: string | null;
  /** The envelope as its owner sees it now; null for a test, or once it is gone. */
  readonly envelope: object | null;
  readonly envelopeId: string | null;
  readonly recipient: object | null;
  readonly tries: number;
  readonly firstTryAt: Date | null;
  readonly secretWrapped: Uint8Array;
  readonly oldSecretsWrapped: readonly Uint8Array[];
  readonly seedWrapped: Uint8Array;
};

/** Seconds until an event is due again, as its process may have died. */
const LEASE_S = 20;
const AT_ONCE = 8;
/** After this many failures, events go one at a time. */
const RESTS_FROM = 3;

/**
 * Claims at most eight events of each webhook, and of each envelope only the first that waits.
 * `all` also takes what is due later.
 */
export async function claimWebhookEvents(
  db: Database,
  { now, most, all = false }: { readonly now: Date; readonly most: number; readonly all?: boolean },
): Promise<readonly ClaimedEvent[]> {
  const due = all ? sql`true` : sql`e.due_at <= now()`;
  const resting = all ? sql`false` : sql`(w.rests_until > now())`;
  const { rows } = await sql<ClaimedEvent>`
    with first as (
      select waiting.id from webhooks w
      join users u on u.id = w.user_id and (u.deactivated_at is null or w.holder_id <> w.user_id)
      cross join lateral (
        select e.id, e.due_at from webhook_events e
        where e.webhook_id = w.id and e.ended_at is null and ${due}
          and (w.paused is null or e.type = ${TEST_TYPE}) and e.asked >= ${resting}
          and not ${hasEarlier}
        order by e.asked desc, e.id limit case when w.failures >= ${RESTS_FROM} then 1 else ${AT_ONCE} end
        for update skip locked
      ) waiting
      order by waiting.due_at limit ${most}
    ), claimed as (
      update webhook_events e set due_at = now() + make_interval(secs => ${LEASE_S}), tries = e.tries + 1,
        first_try_at = coalesce(e.first_try_at, ${now})
      from first where e.id = first.id returning e.*
    )
    select c.id::text, c.message_id as "messageId", c.webhook_id as "webhookId", w.url, c.type, c.at, c.body,
      c.tries, c.first_try_at as "firstTryAt", w.secret_wrapped as "secretWrapped",
      array(select old.secret from unnest(w.old_secrets_wrapped, w.old_secrets_until) as old (secret, until)
        where old.until > ${now}) as "oldSecretsWrapped",
      w.seed_wrapped as "seedWrapped", c.envelope_id as "envelopeId",
      (select json_build_object('id', v.id, 'title', v.title, 'status', v.status,
          'recipients', (select count(*) from recipients where envelope_id = v.id))
        from envelopes v where v.id = c.envelope_id and v.purged_at is null) as envelope,
      (select json_build_object('id', r.id, 'full_name', r.full_name, 'email', r.email, 'role', r.role, 'status', r.status)
        from recipients r join envelopes v on v.id = r.envelope_id and v.purged_at is null
        where r.id = c.recipient_id) as recipient
    from claimed c join webhooks w on w.id = c.webhook_id order by c.id
  `.execute(db);
  return rows;
}

export type EventEnding = {
  readonly id: string;
  readonly webhookId: string;
  readonly body: string;
  readonly at: Date;
  readonly path: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: string;
  readonly isTaken: boolean;
  /** Null: it was taken, or is a test. */
  readonly retryInS: number | null;
};

/** An envelope purged meanwhile has its event's body dropped. */
export async function finishWebhookEvents(
  db: Database,
  endings: readonly EventEnding[],
  restInS: number,
): Promise<void> {
  const rows = endings.map((one) => ({ ...one, at: one.at.toISOString() }));
  await sql`
    with done as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as done (id bigint, "webhookId" uuid, body text,
        at timestamptz, path text, status int, "durationMs" int, headers jsonb, answer text, "isTaken" bool, "retryInS" float)
    ), ended as (
      update webhook_events e set ended_at = case when done."retryInS" is null then done.at end, asked = false,
        due_at = now() + make_interval(secs => coalesce(done."retryInS", 0)),
        body = case when e.envelope_id is null or exists (
          select from envelopes v where v.id = e.envelope_id and v.purged_at is null) then nullif(done.body, '') end
      from done where e.id = done.id returning e.id
    ), logged as (
      insert into webhook_tries (event_id, webhook_id, at, path, status, duration_ms, headers, answer)
      select done.id, done."webhookId", done.at, done.path, done.status, done."durationMs", done.headers, done.answer
      from done join ended on ended.id = done.id order by done.at
    ), counts as (
      select "webhookId" as id, bool_or("isTaken") as taken, count("retryInS")::int as failed from done group by 1
    )
    update webhooks w set failures = case when counts.taken then 0 else w.failures + counts.failed end,
      rests_until = case when not counts.taken and counts.failed = 0 then w.rests_until when not counts.taken and w.failures + counts.failed >= ${RESTS_FROM}
        then now() + make_interval(secs => least(${restInS} * power(2, least(w.failures, 16)), 900)) else '-infinity' end
    from counts where w.id = counts.id
  `.execute(db);
}

export async function eraseWebhookBodies(trx: Transaction, envelopeId: string): Promise<void> {
  await sql`
    with erased as (update webhook_events set body = null where envelope_id = ${envelopeId}::uuid returning id)
    update webhook_tries t set answer = '' from erased where t.event_id = erased.id
  `.execute(trx);
}

export async function deleteOldEvents(db: Database, before: Date): Promise<void> {
  await db.deleteFrom("webhook_events").where("at", "<", before).execute();
}
