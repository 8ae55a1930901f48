import { sql } from "kysely";
import type { Database, Transaction } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { sqlState } from "../error-code.ts";

/**
 * The role owns no table, so it cannot alter insert-only tables or their triggers. Migrations and
 * the queue's upkeep run as the owner. A connection takes this role as the owner, or logs in as it.
 */
export const SERVICE_ROLE = "paraphe_service";
const GRANT_LOCK = 7_372_060;
/** insufficient_privilege; invalid_grant_operation for a membership. */
const REFUSED = new Set(["42501", "0LP01"]);

/** The embedded server gives it the owner's password. */
export function serviceUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = SERVICE_ROLE;
  return url.href;
}

export type ServiceRoleRules = { readonly login: string | null };

/**
 * Grants present and future tables: all rows, or what `refuse_change` permits. Runs as the owner,
 * after the migrations. False where the owner may neither create the role nor act as it: triggers
 * alone protect.
 */
export async function prepareServiceRole(
  owner: Database,
  { login }: ServiceRoleRules,
): Promise<boolean> {
  if (await isReady(owner, login !== null)) return true;
  try {
    await inTransaction(owner, async (trx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(GRANT_LOCK)})`.execute(trx);
      await makeRole(trx);
      if (login !== null) await letLogIn(trx, new URL(login).password);
      await grant(trx);
    });
  } catch (error) {
    if (REFUSED.has(sqlState(error))) return false;
    throw error;
  }
  return true;
}

/**
 * `refuse_change` forbids these. `tgtype`: 8 delete, 16 update (PostgreSQL 18,
 * catalog/pg_trigger.h).
 */
const KEPT = sql`
  select t.tgrelid as id, bool_or(t.tgtype & 16 > 0) as from_update, bool_or(t.tgtype & 8 > 0) as from_delete
  from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'refuse_change' group by t.tgrelid`;

/** Before PostgreSQL 16 every member may act as the role. */
const MAY_ACT = sql`case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end`;

/** Where false, the service works as the owner. */
export async function mayActAsServiceRole(owner: Database): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select case when to_regrole(${SERVICE_ROLE}) is null then false else pg_has_role(current_user, ${SERVICE_ROLE}::name, ${MAY_ACT}) end as may`.execute(
    owner,
  );
  return rows[0]?.may ?? false;
}

async function isReady(owner: Database, login: boolean): Promise<boolean> {
  const { rows } = await sql<{ ready: boolean }>`
    select case when to_regrole(${SERVICE_ROLE}) is null then false else
      pg_has_role(current_user, ${SERVICE_ROLE}::name, ${MAY_ACT})
      and (not ${login}::boolean or (select rolcanlogin from pg_roles where rolname = ${SERVICE_ROLE}))
      and exists (select from pg_default_acl where defaclrole = current_user::regrole and defaclobjtype = 'r' and defaclacl::text like ${`%${SERVICE_ROLE}=%`})
      and not exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace left join (${KEPT}) kept on kept.id = c.oid
        where n.nspname in ('public', 'jobs') and c.relkind in ('r', 'p') and c.relowner = current_user::regrole and case
          when c.relispartition and n.nspname = 'public' then has_table_privilege(${SERVICE_ROLE}::name, c.oid, 'insert, update, delete')
          else not has_table_privilege(${SERVICE_ROLE}::name, c.oid, 'insert')
          or has_table_privilege(${SERVICE_ROLE}::name, c.oid, 'update') = coalesce(kept.from_update, false)
          or has_table_privilege(${SERVICE_ROLE}::name, c.oid, 'delete') = coalesce(kept.from_delete, false) end)
    end as ready
  `.execute(owner);
  return rows[0]?.ready ?? false;
}

/** Roles are the whole server's: another service may create it. */
async function makeRole(trx: Transaction): Promise<void> {
  await sql`
    do $$
    begin
      if to_regrole('paraphe_service') is null then
        begin
          create role paraphe_service nologin;
        exception when duplicate_object or unique_violation then null;
        end;
      end if;
      if not pg_has_role(current_user, 'paraphe_service', ${MAY_ACT}) then
        execute format('grant paraphe_service to %I', current_user);
      end if;
    end $$`.execute(trx);
}

/** Passed as a setting, since servers log statements. */
async function letLogIn(trx: Transaction, password: string): Promise<void> {
  await sql`select set_config('paraphe.password', ${decodeURIComponent(password)}, true)`.execute(
    trx,
  );
  await sql`
    do $$
    begin
      if not (select rolcanlogin from pg_roles where rolname = 'paraphe_service') then
        execute format('alter role paraphe_service login password %L', nullif(current_setting('paraphe.password'), ''));
      end if;
    -- "tuple concurrently updated": another service, or another test, of this server has just said so
    exception when internal_error then null;
    end $$`.execute(trx);
}

async function grant(trx: Transaction): Promise<void> {
  await sql`
    do $$
    declare
      part text;
      kept record;
      piece regclass;
    begin
      foreach part in array array['public', 'jobs'] loop
        continue when to_regnamespace(part) is null;
        execute format('grant usage on schema %I to paraphe_service', part);
        execute format('grant select, insert, update, delete on all tables in schema %I to paraphe_service', part);
        execute format('grant usage, select on all sequences in schema %I to paraphe_service', part);
      end loop;
      alter default privileges grant usage on schemas to paraphe_service;
      alter default privileges grant select, insert, update, delete on tables to paraphe_service;
      alter default privileges grant usage, select on sequences to paraphe_service;
      for kept in ${KEPT} loop
        if kept.from_update then execute format('revoke update on %s from paraphe_service', kept.id::regclass); end if;
        if kept.from_delete then execute format('revoke delete on %s from paraphe_service', kept.id::regclass); end if;
      end loop;
      -- a year is written to through the whole table, which alone has the triggers of statements
      for piece in select oid from pg_class where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('revoke all on %s from paraphe_service', piece);
      end loop;
    end $$`.execute(trx);
}
