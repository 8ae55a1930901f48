import type { TeamList } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader } from "../../platform/database/database.ts";
import { isPermitted, type Standing } from "../organisations/public.ts";

type TeamRow = Omit<TeamList["teams"][number], "can_change">;

/** Of the host, by name, with counts. */
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
