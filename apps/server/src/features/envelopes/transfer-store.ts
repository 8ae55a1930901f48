import { MAX_TEMPLATE_NAME_LENGTH, type TeamList } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { isPermitted, selectTeams, type Standing } from "../organisations/public.ts";
import { foldContacts, passContacts } from "./contacts/store.ts";
import { searchText } from "./domain/search-text.ts";
import { lockLayouts, lockTemplates } from "./templates/store.ts";

export type HeldCounts = {
  readonly openEnvelopes: number;
  readonly closedEnvelopes: number;
  readonly drafts: number;
  /** Drafts that were sent back for correction. */
  readonly returned: number;
  readonly templates: number;
  readonly layouts: number;
  readonly contacts: number;
  readonly openSteps: number;
  readonly toSign: number;
};

/** Counts what a successor would get; `toSign`: requests by others that pass to nobody. */
export async function countHoldings(
  reader: Reader,
  of: { readonly ownerId: string; readonly emailKey: string },
): Promise<HeldCounts> {
  const { rows } = await sql<HeldCounts>`
    select
      count(*) filter (where status in ('sent', 'pending')) as "openEnvelopes",
      count(*) filter (where status not in ('draft', 'sent', 'pending')) as "closedEnvelopes",
      count(*) filter (where status = 'draft') as drafts,
      count(*) filter (where status = 'draft' and sent_at is not null) as returned,
      (select count(*) from templates where owner_id = ${of.ownerId}::uuid) as templates,
      (select count(*) from layouts where owner_id = ${of.ownerId}::uuid) as layouts,
      (select count(*) from contacts where holder_id = ${of.ownerId}::uuid) as contacts,
      (select coalesce(sum(count), 0) from inbox_counts
        where email_key = ${of.emailKey} and list = 'action_required'
          and holder_id <> ${of.ownerId}::uuid)
        - (select count(distinct e.id) from recipients r join envelopes e on e.id = r.envelope_id
          where ${isOpenStepOf(of.emailKey)} and r.awaited
            and e.holder_id <> ${of.ownerId}::uuid) as "toSign",
      (select count(*) from recipients r join envelopes e on e.id = r.envelope_id
        where ${isOpenStepOf(of.emailKey)}) as "openSteps"
    from envelopes where owner_id = ${of.ownerId}::uuid and purged_at is null`.execute(reader);
  const counts = Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]);
  return Object.fromEntries(counts) as HeldCounts;
}

/** A circuit's step `r` of an open envelope `e`. */
const isOpenStepOf = (emailKey: string) => sql<boolean>`
  r.email_key = ${emailKey} and r.status not in ('signed', 'approved', 'declined')
    and e.status in ('sent', 'pending') and e.purged_at is null and exists (
      select from jsonb_array_elements(e.circuit->'steps') step
      where step->>'who' <> 'other_party' and step->>'role' = r.role
        and (step->>'order')::int = r.routing_order)`;

export async function selectOpenSteps(
  reader: Reader,
  emailKey: string,
): Promise<readonly { readonly envelopeId: string; readonly recipientId: string }[]> {
  const { rows } = await sql<{ envelopeId: string; recipientId: string }>`
    select e.id as "envelopeId", r.id as "recipientId"
    from recipients r join envelopes e on e.id = r.envelope_id
    where ${isOpenStepOf(emailKey)} order by e.id, r.position`.execute(reader);
  return rows;
}

export type AwaitingSender = { readonly ownerId: string; readonly count: number };

/** Gives senders who wait for a signature or visa of this address. */
export async function selectAwaitingSenders(
  reader: Reader,
  emailKey: string,
): Promise<readonly AwaitingSender[]> {
  const { rows } = await sql<AwaitingSender>`
    select e.owner_id as "ownerId", count(distinct e.id)::int as count
    from recipients r join envelopes e on e.id = r.envelope_id
    where r.email_key = ${emailKey} and r.role <> 'viewer' and e.purged_at is null
      and r.status not in ('signed', 'approved', 'declined') and e.status in ('sent', 'pending')
    group by e.owner_id order by e.owner_id`.execute(reader);
  return rows;
}

export async function selectOpenOf(
  trx: Transaction,
  { ownerId, teamId }: { readonly ownerId: string; readonly teamId?: string | undefined },
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from envelopes where owner_id = ${ownerId}::uuid and purged_at is null
      and ${teamId === undefined ? sql`true` : sql`team_id = ${teamId}::uuid`}
      and status in ('draft', 'sent', 'pending') order by id for update`.execute(trx);
  return rows.map(({ id }) => id);
}

/** `teamId`: what the leaver had alone goes to this team, with `to` as its owner. */
export type Passing = {
  readonly from: string;
  readonly to: string;
  readonly fromName: string;
  readonly teamId: string | null;
};

/**
 * Passes envelopes, templates and layouts with their bytes, and contacts. A team's stay. Journals and
 * signatures do not change.
 */
export async function passHoldings(trx: Transaction, passing: Passing): Promise<void> {
  const { to, teamId } = passing;
  await lockTemplates(trx, teamId ?? to);
  await lockLayouts(trx, teamId ?? to);
  await passEnvelopes(trx, passing, () => sql`true`);
  await passShared(trx, passing);
  await passNamed(trx, "templates", passing);
  await passNamed(trx, "layouts", passing);
  await passContacts(trx, passing);
}

export async function selectOwnedTeams(
  reader: Reader,
  ownerId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select team_id as id from (
      select owner_id, team_id from envelopes where purged_at is null
      union all select owner_id, team_id from templates
      union all select owner_id, team_id from layouts
      union all select owner_id, team_id from contacts) held
    where owner_id = ${ownerId}::uuid and team_id is not null
    group by team_id order by team_id`.execute(reader);
  return rows.map(({ id }) => id);
}

/** What a team has remains the team's, under another owner. Gives the envelopes' ids. */
export async function passTeamHoldings(
  trx: Transaction,
  passing: Pick<Passing, "from" | "to"> & { readonly teamId: string },
): Promise<readonly string[]> {
  const { teamId } = passing;
  const passed = await passEnvelopes(
    trx,
    passing,
    (row) => sql`${sql.ref(`${row}.team_id`)} = ${teamId}::uuid`,
  );
  await passShared(trx, passing, teamId);
  return passed;
}

/** Else what a deleted team leaves its owners would be nobody's. */
async function passShared(
  trx: Transaction,
  { from, to }: Pick<Passing, "from" | "to">,
  teamId?: string,
): Promise<void> {
  for (const table of ["templates", "layouts", "contacts"] as const)
    await trx
      .updateTable(table)
      .set({ owner_id: to })
      .where("owner_id", "=", from)
      .where((eb) =>
        teamId === undefined ? eb("team_id", "is not", null) : eb("team_id", "=", teamId),
      )
      .execute();
}

/** Also the bytes of templates. `which`: of the rows that `from` owns. */
async function passEnvelopes(
  trx: Transaction,
  { from, to, teamId }: Pick<Passing, "from" | "to" | "teamId">,
  which: (row: string) => RawBuilder<unknown>,
): Promise<readonly string[]> {
  await sql`
    select note_storage(${from}::uuid, -bytes), note_storage(${to}::uuid, bytes)
    from (
      select coalesce(sum(document_bytes(d.id)), 0)::bigint + (
        select coalesce(sum(t.size), 0)::bigint from template_documents t
        join templates m on m.id = t.template_id
        where m.owner_id = ${from}::uuid and ${which("m")}) as bytes
      from documents d join envelopes e on e.id = d.envelope_id
      where e.owner_id = ${from}::uuid and e.purged_at is null and ${which("e")}) passed`.execute(
    trx,
  );
  // The order is that of every writer of several envelopes, against deadlocks.
  const { rows } = await sql<{ id: string }>`
    update envelopes set owner_id = ${to}::uuid, team_id = coalesce(team_id, ${teamId}::uuid),
      version = version + 1
    where id in (
      select id from envelopes e where owner_id = ${from}::uuid and purged_at is null and ${which("e")}
      order by id for update)
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Before a team is deleted: its owners may have the same names and addresses. */
export async function releaseTeam(trx: Transaction, teamId: string): Promise<void> {
  const team = (await selectTeams(trx)).find(({ id }) => id === teamId);
  if (team === undefined) return;
  for (const table of ["templates", "layouts"] as const) {
    const owners = await trx
      .selectFrom(table)
      .select("owner_id")
      .distinct()
      .where("holder_id", "=", teamId)
      .orderBy("owner_id")
      .execute();
    for (const { owner_id: to } of owners) {
      await (table === "templates" ? lockTemplates : lockLayouts)(trx, to);
      await passNamed(trx, table, { from: teamId, to, fromName: team.name, teamId: null });
    }
  }
  await foldContacts(trx, { from: teamId });
}

/** Where a name is taken, that of the leaver or team is added. */
async function passNamed(
  trx: Transaction,
  table: "templates" | "layouts",
  { from, to, fromName, teamId }: Passing,
): Promise<void> {
  const heir = teamId ?? to;
  const rows = await trx
    .selectFrom(table)
    .select(["id", "owner_id", "holder_id", "name", "name_key"])
    .where("holder_id", "in", [from, heir])
    .orderBy("id")
    .execute();
  const taken = new Set(rows.filter((row) => row.holder_id === heir).map((row) => row.name_key));
  const passed = rows.filter((row) => row.holder_id === from && [from, to].includes(row.owner_id));
  for (const row of passed) {
    const name = freeName(row.name, { taken, fromName });
    taken.add(searchText(name));
    await trx
      .updateTable(table)
      .set({ owner_id: to, team_id: teamId, name, name_key: searchText(name) })
      .where("id", "=", row.id)
      .execute();
  }
  // Rows left are a team's and keep their name.
  await trx.updateTable(table).set({ owner_id: to }).where("owner_id", "=", from).execute();
}

function freeName(
  name: string,
  { taken, fromName }: { readonly taken: ReadonlySet<string>; readonly fromName: string },
): string {
  for (let copy = 0; ; copy++) {
    const end = copy === 0 ? "" : ` (${fromName}${copy === 1 ? "" : ` ${copy}`})`;
    const tried = `${name.slice(0, MAX_TEMPLATE_NAME_LENGTH - end.length).trimEnd()}${end}`;
    if (!taken.has(searchText(tried))) return tried;
  }
}

type TeamRow = Omit<TeamList["teams"][number], "can_change">;

export async function listTeams(
  reader: Reader,
  { role, teams }: Pick<Standing, "role" | "teams">,
): Promise<TeamList> {
  const { rows } = await sql<TeamRow>`
    select t.id, t.name,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', u.id, 'name',
            coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username),
            'is_administrator', m.is_administrator) order by lower(u.last_name), u.id)
        from team_members m join users u on u.id = m.member_id
        where m.team_id = t.id and u.deactivated_at is null), '[]') as members,
      (select count(*)::int from templates where holder_id = t.id) as templates,
      (select coalesce(sum(count), 0)::int from envelope_counts
        where holder_id = t.id and status in ('sent', 'pending')) as open_envelopes
    from teams t join organisations o on o.id = t.organisation_id and o.is_host
    order by lower(t.name)`.execute(reader);
  return {
    teams: rows.map((row) => {
      const place = teams.find(({ id }) => id === row.id) ?? null;
      return { ...row, can_change: isPermitted(role, "change_team", place) };
    }),
  };
}
