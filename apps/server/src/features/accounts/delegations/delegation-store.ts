import type { Delegation, StandingDelegation } from "@paraphe/contracts";
import { parisDay } from "@paraphe/kernel/paris-days";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { build, type Write } from "../../../platform/database/in-transaction.ts";

export type StandingJson = Omit<StandingDelegation, "overAt"> & { readonly overAt: string };

const NAME = sql`coalesce(nullif(trim(o.first_name || ' ' || o.last_name), ''), o.username)`;
/** Both are members; the delegate is no reader, and the delegator's address is confirmed. */
const PARTIES = sql`
  join users o on o.id = d.delegator_id and o.address_confirmed_at is not null and o.deactivated_at is null
  join organisation_members given on given.organisation_id = d.organisation_id and given.user_id = d.delegator_id
  join organisation_members taken on taken.organisation_id = d.organisation_id and taken.user_id = d.delegate_id and taken.role <> 'reader'`;
const STARTS = sql<Date>`d.starts_on::timestamp at time zone 'Europe/Paris'`;
const ENDS = sql<Date>`least(d.ended_at, (d.ends_on + 1)::timestamp at time zone 'Europe/Paris')`;

/** A page opened under a delegation says for a day that it is over. */
const SAID_FOR = sql`interval '1 day'`;

const STANDING = sql`jsonb_build_object('id', d.id, 'emailKey', o.email_key, 'name', ${NAME}, 'scope', d.scope,
  'circuitId', d.circuit->>'id', 'circuit', d.circuit->>'name',
  'startsOn', d.starts_on, 'endsOn', d.ends_on, 'overAt', ${ENDS})`;

/** Delegations this account signs under now, or did a moment ago. */
export function signingFor(
  userId: Expression<string>,
  now: Date,
): RawBuilder<readonly StandingJson[] | null> {
  return sql`(
    select jsonb_agg(${STANDING} order by d.ends_on, d.id)
    from delegations d ${PARTIES}
    where d.delegate_id = ${userId} and ${STARTS} <= ${now} and ${ENDS} > ${STARTS}
      and ${ENDS} > ${now}::timestamptz - ${SAID_FOR})`;
}

export function readSigningFor(
  rows: readonly StandingJson[] | null,
  now: Date,
): readonly StandingDelegation[] {
  return (rows ?? []).map((row) => {
    const overAt = new Date(row.overAt);
    return { ...row, overAt: overAt <= now ? overAt : null };
  });
}

/**
 * Who signs now for the accounts at these addresses, at a confirmed address of their own.
 * Shape: `delegate`: JSON of their account, `u`.
 */
export function signingAt<D>(
  emailKeys: RawBuilder<unknown>,
  { now, delegate }: { readonly now: Date; readonly delegate: RawBuilder<D> },
): RawBuilder<readonly { readonly delegate: D; readonly delegation: StandingJson }[] | null> {
  return sql`(
    select jsonb_agg(jsonb_build_object('delegate', ${delegate}, 'delegation', ${STANDING}) order by d.ends_on, d.id)
    from delegations d ${PARTIES}
    join users u on u.id = d.delegate_id and u.address_confirmed_at is not null and u.deactivated_at is null
    where o.email_key = any(${emailKeys}) and ${STARTS} <= ${now} and ${ENDS} > ${now})`;
}

/** Keeps the delegation from being stopped before the transaction ends. */
export async function lockStanding(
  trx: Transaction,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    select d.id from delegations d ${PARTIES}
    where d.id = ${id}::uuid and ${STARTS} <= ${now} and ${ENDS} > ${now} for update of d`.execute(
    trx,
  );
  return rows.length > 0;
}

/** Counts one more document signed, or one more visa, under the delegation. */
export function countDelegatedAct(id: string): Write {
  const statement = build
    .updateTable("delegations")
    .set((eb) => ({ signatures: eb("signatures", "+", 1) }))
    .where("id", "=", id);
  return { into: ["delegations"], statement };
}

export type DelegationRow = {
  readonly id: string;
  readonly delegatorId: string;
  readonly delegateId: string;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly scope: Delegation["scope"];
  readonly circuit: Delegation["circuit"];
  readonly signatures: number;
  readonly endedAt: Date | null;
};

const ROW = sql`d.id, d.delegator_id as "delegatorId", d.delegate_id as "delegateId", d.starts_on::text as "startsOn",
  d.ends_on::text as "endsOn", d.scope, d.circuit, d.signatures, d.ended_at as "endedAt"`;
const MOST = 200;

export async function selectDelegations(
  reader: Reader,
  userId: string,
): Promise<readonly DelegationRow[]> {
  const { rows } = await sql<DelegationRow>`
    select ${ROW} from delegations d join organisations h on h.id = d.organisation_id and h.is_host
    where d.delegator_id = ${userId}::uuid or d.delegate_id = ${userId}::uuid
    order by d.starts_on desc, d.id desc limit ${sql.lit(MOST)}`.execute(reader);
  return rows;
}

export async function lockDelegation(trx: Transaction, id: string): Promise<DelegationRow | null> {
  const { rows } = await sql<DelegationRow>`
    select ${ROW} from delegations d where d.id = ${id}::uuid for update`.execute(trx);
  return rows[0] ?? null;
}

type Period = Pick<DelegationRow, "delegateId" | "startsOn" | "endsOn" | "scope" | "circuit">;
const circuitOf = ({ circuit }: Period) => (circuit === null ? null : JSON.stringify(circuit));

export async function insertDelegation(
  trx: Transaction,
  given: Period & { readonly id: string; readonly delegatorId: string; readonly now: Date },
): Promise<void> {
  await sql`
    insert into delegations (id, organisation_id, delegator_id, delegate_id, starts_on, ends_on, scope, circuit, created_at)
    select ${given.id}::uuid, h.id, ${given.delegatorId}::uuid, ${given.delegateId}::uuid, ${given.startsOn}::date,
      ${given.endsOn}::date, ${given.scope}, ${circuitOf(given)}::jsonb, ${given.now} from organisations h where h.is_host`.execute(
    trx,
  );
}

export async function updateDelegation(
  trx: Transaction,
  changed: Period & { readonly id: string },
): Promise<void> {
  await sql`
    update delegations set delegate_id = ${changed.delegateId}::uuid, starts_on = ${changed.startsOn}::date,
      ends_on = ${changed.endsOn}::date, scope = ${changed.scope},
      circuit = ${circuitOf(changed)}::jsonb where id = ${changed.id}::uuid`.execute(trx);
}

export async function endDelegation(
  trx: Transaction,
  ended: { readonly id: string; readonly by: "delegator" | "delegate"; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("delegations")
    .set({ ended_at: ended.now, ended_by: ended.by })
    .where("id", "=", ended.id)
    .execute();
}

/** Ends those a leaver gave and received. */
export async function endDelegationsOf(
  trx: Transaction,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<readonly DelegationRow[]> {
  const { rows } = await sql<DelegationRow>`
    update delegations d set ended_at = ${now}, ended_by = 'departure'
    where (d.delegator_id = ${userId}::uuid or d.delegate_id = ${userId}::uuid) and d.ended_at is null
      and d.ends_on >= ${parisDay(now)}::date returning ${ROW}`.execute(trx);
  return rows;
}
