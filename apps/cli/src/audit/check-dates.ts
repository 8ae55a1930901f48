import { sql } from "kysely";
import { type AuditOutcome, auditOutcome, type AuditPlatform } from "./audit-fault.ts";

/** An event is due to the log as soon as it is committed, and each checkpoint takes all that is due. The rest is for clocks that differ, or are set. */
const MARGIN = sql`interval '2 hours'`;
const MOST_NAMED = 1_000;

/**
 * No event is older than a checkpoint that does not cover it: a journal written today with the dates of a past one, whatever its hashes, comes into the log after
 * checkpoints that had to have it. Nor is one older than the event before it.
 */
export function checkDates({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Dates des événements, face au journal de transparence", async ({ checked, fault }) => {
    const { rows: counted } = await sql<{ count: number }>`select count(*) as count from audit_events`.execute(db);
    checked(counted[0]?.count ?? 0);
    const { rows: late } = await sql<Found>`
      with marks as (
        select envelope_id, sequence, leaf_index from transparency_leaves
        union all select envelope_id, sequence, 9223372036854775807 from transparency_due
      ), spans as (
        -- the first leaf that stands for an event is the lowest of those at its number or after
        select envelope_id, sequence, coalesce(lag(sequence) over (partition by envelope_id order by sequence), 0) as before,
          min(leaf_index) over (partition by envelope_id order by sequence desc rows between unbounded preceding and current row) as leaf_index
        from marks
      )
      select e.envelope_id as "envelopeId", e.sequence
      from spans s cross join lateral (select at from transparency_checkpoints c where c.size <= s.leaf_index order by c.size desc limit 1) missed
      join audit_events e on e.envelope_id = s.envelope_id and e.sequence > s.before and e.sequence <= s.sequence and e.at < missed.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
    for (const event of late)
      fault(nameOf(event), "sa date est antérieure à un point de contrôle qui ne l’a pas\u202f: il a été écrit plus tard qu’il ne le dit");
    const { rows: backwards } = await sql<Found>`
      select e.envelope_id as "envelopeId", e.sequence from audit_events e
      join audit_events p on p.envelope_id = e.envelope_id and p.sequence = e.sequence - 1 and e.at < p.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
    for (const event of backwards) fault(nameOf(event), "sa date est antérieure à celle de l’événement qui le précède");
  });
}

type Found = { readonly envelopeId: string; readonly sequence: number };

function nameOf({ envelopeId, sequence }: Found): string {
  return `enveloppe ${envelopeId}, événement ${sequence}`;
}
