import type { EventName, Instant } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { textsIn } from "@paraphe/proof/parts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Write } from "../../platform/database/in-transaction.ts";

type PersonalValue = {
  readonly name: string;
  readonly value: AuditValue;
  readonly salt: Uint8Array;
};
export type EventToInsert = {
  readonly hashed: HashedEvent;
  readonly canonical: Uint8Array;
  readonly personal: readonly PersonalValue[];
};

/** `personal`: values not erased. */
export type StoredEvent = {
  readonly sequence: number;
  readonly at: Date;
  /** A time finer than a millisecond, or beyond a date, was never hashed. */
  readonly isUneven: boolean;
  readonly actor: string;
  readonly action: string;
  readonly detail: Record<string, unknown>;
  readonly hash: Uint8Array;
  readonly previousHash: Uint8Array | null;
  readonly personal: Readonly<
    Record<string, { readonly value: AuditValue; readonly salt: string }>
  >;
};

function placesInChains(events: readonly EventToInsert[]): readonly number[] {
  const counts = new Map<string, number>();
  return events.map(({ hashed: { envelope_id } }) => {
    const place = (counts.get(envelope_id) ?? 0) + 1;
    counts.set(envelope_id, place);
    return place;
  });
}

/**
 * Inserts personal values too, in one statement that computes each hash from the previous one. Null
 * without events.
 */
export function insertEvents(events: readonly EventToInsert[]): Write | null {
  if (events.length === 0) return null;
  const places = placesInChains(events);
  const rows = events.map(({ hashed, canonical }, index) => ({
    envelope_id: hashed.envelope_id,
    place: places[index],
    at: hashed.at,
    actor: hashed.actor,
    action: hashed.action,
    detail: hashed.detail,
    canonical: toHex(canonical),
  }));
  const values = events.flatMap(({ hashed: { envelope_id }, personal }, index) =>
    personal.map(({ name, value, salt }) => ({
      envelope_id,
      place: places[index],
      name,
      value,
      salt: toHex(salt),
    })),
  );
  const event = sql`as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as event (envelope_id uuid, place int, at timestamptz, actor text, action text, detail jsonb, canonical text)
    )`;
  const chain = sql`(envelope_id, place, sequence, hash, previous_hash) as (
      select own.envelope_id, 0, coalesce(last.sequence, 0), last.hash, null::bytea
      from (select envelope_id from event where place = 1) own left join lateral
        (select sequence, hash from audit_events where envelope_id = own.envelope_id order by sequence desc limit 1) last on true
      union all
      select event.envelope_id, event.place, chain.sequence + 1, sha256(coalesce(chain.hash, ''::bytea) || decode(event.canonical, 'hex')),
        chain.hash
      from chain join event on event.envelope_id = chain.envelope_id and event.place = chain.place + 1
    )`;
  const added = sql`as (
      insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
      select envelope_id, chain.sequence, event.at, event.actor, event.action, event.detail, chain.hash, chain.previous_hash
      from chain join event using (envelope_id, place) order by envelope_id, place
    )`;
  const statement = sql`
    insert into audit_details (envelope_id, sequence, name, salt, value)
    select envelope_id, chain.sequence, item.name, decode(item.salt, 'hex'), item.value
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as item (envelope_id uuid, place int, name text, salt text, value jsonb)
      join chain using (envelope_id, place)
  `;
  const parts = [
    ["event", event],
    ["chain", chain],
    ["added", added],
  ] as const;
  return { into: ["audit_events", "audit_details"], with: parts, statement };
}

/** A time beyond `Date` is replaced, and `isUneven`. */
export const EVENT_TIME = sql`
  case when e.at between '0001-01-01' and '9999-12-31' then e.at else 'epoch' end as at,
  (e.at not between '0001-01-01' and '9999-12-31' or e.at <> date_trunc('milliseconds', e.at)) as "isUneven"`;

type EventsWindow = {
  readonly limit: number;
  readonly offset: number;
  readonly actions: readonly EventName[] | null;
  readonly upTo: number | null;
};

export async function selectEvents(
  reader: Reader,
  envelopeId: string,
  window: EventsWindow,
): Promise<{ count: number; events: StoredEvent[] }> {
  const actions =
    window.actions === null
      ? sql``
      : sql`and action = any(${sql.val([...window.actions])}::text[])`;
  const upTo = window.upTo === null ? sql`` : sql`and sequence <= ${window.upTo}`;
  const asked = sql`from audit_events e where envelope_id = ${envelopeId}::uuid ${actions} ${upTo}`;
  const { rows } = await sql<StoredEvent & { count: number }>`
    select sequence, ${EVENT_TIME}, actor, action, detail, hash, previous_hash as "previousHash", (select count(*) ${asked}) as count,
      coalesce((
        select jsonb_object_agg(d.name, jsonb_build_object('value', d.value, 'salt', encode(d.salt, 'hex')))
        from audit_details d where d.envelope_id = e.envelope_id and d.sequence = e.sequence
      ), '{}') as personal
    ${asked} order by sequence desc limit ${window.limit} offset ${window.offset}
  `.execute(reader);
  if (rows.length > 0 || window.offset === 0) return { count: rows[0]?.count ?? 0, events: rows };
  const all = await sql<{ count: number }>`select count(*) as count ${asked}`.execute(reader);
  return { count: all.rows[0]?.count ?? 0, events: [] };
}

export async function selectLastAt(
  reader: Reader,
  of: { readonly envelopeId: string; readonly action: EventName },
): Promise<Date | null> {
  const row = await reader
    .selectFrom("audit_events")
    .select("at")
    .where("envelope_id", "=", of.envelopeId)
    .where("action", "=", of.action)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

export async function selectEventsAfter(
  reader: Reader,
  envelopeId: string,
  window: { afterSequence: number; limit: number },
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select sequence, ${EVENT_TIME}, actor, action, detail, hash, previous_hash as "previousHash",
      coalesce((
        select jsonb_object_agg(d.name, jsonb_build_object('value', d.value, 'salt', encode(d.salt, 'hex')))
        from audit_details d where d.envelope_id = e.envelope_id and d.sequence = e.sequence
      ), '{}') as personal
    from audit_events e where envelope_id = ${envelopeId}::uuid and sequence > ${window.afterSequence}
    order by sequence limit ${window.limit}
  `.execute(reader);
  return rows;
}

/**
 * Gives events by a recipient, or naming them or several people, oldest first, without personal
 * values.
 */
export async function selectEventsAbout(
  reader: Reader,
  about: EventsSubject,
): Promise<readonly EventAbout[]> {
  const { rows } = await rowsAbout(about).execute(reader);
  return rows;
}

type EventsSubject = { readonly envelopeId: string; readonly recipientId: string };
export type EventAbout = Pick<StoredEvent, "sequence" | "actor" | "action" | "detail"> & {
  readonly at: Date | string;
};

const rowsAbout = ({ envelopeId, recipientId }: EventsSubject) => sql<EventAbout>`
    select sequence, ${EVENT_TIME}, actor, action, detail from audit_events e
    where envelope_id = ${envelopeId}::uuid and (actor = ${`recipient:${recipientId}`}
      or detail ->> 'recipient' = ${recipientId} or detail -> 'recipients' @> ${JSON.stringify([recipientId])}::jsonb)
    order by sequence`;

const STEP_CHANGES = [
  "step_reassigned",
  "step_sent_back",
  "recipient_address_corrected",
  "envelope_passed",
  "envelope_sent",
] as const;

/** A step or envelope that changed hands; `from` gave it, `reason` stays until erased. */
export type StepChange = Renaming & {
  readonly action: (typeof STEP_CHANGES)[number];
  /** The rank a step was sent back to. */
  readonly order: number | null;
  readonly newAddress: boolean;
  readonly reset: readonly string[];
  /** Whose signature, and whose visa, a return annulled. */
  readonly annulled: readonly string[];
  readonly visas: readonly string[];
  readonly reason: string | null;
  readonly from: string | null;
  readonly delegate: string | null;
  readonly actor: string | null;
};

/** `former`: the recipient's name before, where it changed; the sender's without a recipient. */
export type Renaming = {
  readonly sequence: number;
  readonly at: Date;
  readonly recipient: string | null;
  readonly former: string | null;
};

/** The recipient's name at an event's number or at a time; undefined: the present one. */
export function formerName(
  renamings: readonly Renaming[],
  recipient: unknown,
  then: number | Date,
): string | undefined {
  const [next] = renamings
    .filter((one) => one.recipient === recipient && one.former !== null)
    .filter(({ sequence, at }) => (typeof then === "number" ? sequence > then : at > then))
    .toSorted((one, other) => one.sequence - other.sequence);
  return next?.former ?? undefined;
}

export type Naming = {
  readonly sequence: number;
  readonly at: Date;
  readonly recipient: unknown;
  readonly name: string;
};
type NamingEvent = Pick<StoredEvent, "sequence" | "at" | "detail" | "personal">;

export function namingsIn(events: readonly NamingEvent[]): readonly Naming[] {
  return events.flatMap(({ sequence, at, detail, personal }) =>
    [
      [detail["recipient"], personal["full_name"]?.value] as const,
      ...textsIn(personal["recipients"]?.value).map((text) => {
        const { id, full_name } = JSON.parse(text) as Record<string, unknown>;
        return [id, full_name] as const;
      }),
    ].flatMap(([recipient, name]) =>
      typeof name === "string" ? [{ sequence, at, recipient, name }] : [],
    ),
  );
}

export function nameThen(
  namings: readonly Naming[],
  recipient: unknown,
  then: number | Date,
): string | undefined {
  const own = namings.filter((one) => one.recipient === recipient);
  const known = own.findLast(({ sequence, at }) =>
    typeof then === "number" ? sequence <= then : at <= then,
  );
  return (known ?? own[0])?.name;
}

export async function selectNamings(
  reader: Reader,
  envelopeId: string,
): Promise<readonly Naming[]> {
  const { rows } = await sql<NamingEvent>`
    select e.sequence, ${EVENT_TIME}, e.detail, jsonb_object_agg(d.name, jsonb_build_object('value', d.value)) as personal
    from audit_events e join audit_details d using (envelope_id, sequence)
    where e.envelope_id = ${envelopeId}::uuid and d.name in ('full_name', 'recipients')
    group by e.envelope_id, e.sequence order by e.sequence`.execute(reader);
  return namingsIn(rows);
}

export async function selectStepChanges(
  reader: Reader,
  envelopeId: string,
): Promise<readonly StepChange[]> {
  const personal = (name: string) => sql<string | null>`(select d.value #>> '{}'
    from audit_details d where d.envelope_id = e.envelope_id and d.sequence = e.sequence
      and d.name = ${name})`;
  const { rows } = await sql<StepChange>`
    select action, sequence, at, detail->>'recipient' as recipient, ${personal("from_name")} as former, (detail->>'order')::int as "order",
      action = 'step_reassigned' or detail->>'email' = 'true' as "newAddress",
      coalesce(detail->'reset', '[]') as reset, coalesce(detail->'annulled', '[]') as annulled,
      coalesce(detail->'annulled_visas', '[]') as visas, ${personal("reason")} as reason,
      case when detail->>'departed' is null then ${personal("from_name")} end as "from",
      ${personal("delegate_name")} as delegate, ${personal("actor_name")} as actor
    from audit_events e where envelope_id = ${envelopeId}::uuid
      and action = any(${sql.val([...STEP_CHANGES])}::text[])
    order by sequence desc`.execute(reader);
  return rows;
}

export function eventsAbout(about: EventsSubject): RawBuilder<readonly EventAbout[]> {
  return sql`(select coalesce(json_agg(event), '[]') from (${rowsAbout(about)}) as event)`;
}

/** Adds events that the same transaction appends. */
export function followedBy(
  events: readonly EventAbout[],
  { action, actor, detail = {} }: NewAuditEvent,
  at: Date,
): readonly EventAbout[] {
  const sequence = (events.at(-1)?.sequence ?? 0) + 1;
  return [...events, { sequence, at, actor: actorKey(actor), action, detail }];
}

export async function erasePersonalValues(trx: Transaction, envelopeId: string): Promise<void> {
  await trx.deleteFrom("audit_details").where("envelope_id", "=", envelopeId).execute();
}

/** Erases one actor's, except in these actions; commitments stay. */
export async function eraseActorAddresses(
  trx: Transaction,
  erasure: { envelopeIds: readonly string[]; actor: AuditActor; except: readonly EventName[] },
): Promise<void> {
  if (erasure.envelopeIds.length === 0) return;
  await sql`
    delete from audit_details d using audit_events e
    where e.envelope_id = d.envelope_id and e.sequence = d.sequence and d.name in ('ip', 'user_agent')
      and e.envelope_id = any(${sql.val([...erasure.envelopeIds])}::uuid[])
      and e.actor = ${actorKey(erasure.actor)} and e.action <> all(${sql.val([...erasure.except])}::text[])
  `.execute(trx);
}

export type { EventName };

/** The id is permanent, null for `system`; name, address and browser can be erased. */
export type AuditActor = {
  readonly kind: "user" | "recipient" | "system";
  readonly id: string | null;
  readonly name?: string | null;
  /** The name of the key that a program called with. */
  readonly program?: string;
  readonly ip?: string | null;
  readonly userAgent?: string | null;
};

/** Jobs and sealing act as the system. */
export const SYSTEM_ACTOR: AuditActor = { kind: "system", id: null };

export type AuditValue = string | number | boolean | null | readonly string[];

export type NewAuditEvent = {
  readonly envelopeId: string;
  readonly action: EventName;
  readonly actor: AuditActor;
  /** Permanent values: ids, hashes, counts, states. */
  readonly detail?: Readonly<Record<string, AuditValue>>;
  /** Values that the chain only has salted commitments of. */
  readonly personal?: Readonly<Record<string, AuditValue>>;
};

export type HashedEvent = {
  readonly envelope_id: string;
  readonly at: Instant;
  readonly actor: string;
  readonly action: string;
  readonly detail: unknown;
};

export function actorKey(actor: AuditActor): string {
  return actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`;
}
