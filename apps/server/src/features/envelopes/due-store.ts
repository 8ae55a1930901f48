import { sql } from "kysely";
import type { Reader } from "../../platform/database/database.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ids of open envelopes whose deadline has passed, and that no consent waits in. */
export async function selectOverdue(
  reader: Reader,
  window: { readonly now: Date; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes as e")
    .select("e.id")
    .where("e.status", "in", ["sent", "pending"])
    .where("e.deadline_at", "<=", window.now)
    .where("e.purged_at", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom("signing_acts as a").select("a.id").whereRef("a.envelope_id", "=", "e.id").where("a.sealed_at", "is", null),
        ),
      ),
    )
    .orderBy("e.deadline_at")
    .orderBy("e.id")
    .limit(window.limit)
    .offset(window.skip)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Ids of envelopes cancelled 10 whole days ago or more, by the clocks of Paris, the longest ago first; and of those whose days end within the
 * hour, because PostgreSQL takes an hour that the autumn repeats the second time. Whether one is due is the domain's to say.
 */
export async function selectToPurge(
  reader: Reader,
  window: { readonly now: Date; readonly days: number; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes")
    .select("id")
    .where("status", "=", "cancelled")
    .where("purged_at", "is", null)
    // What the index can be asked: it leaves out nothing of the next, and those that wait for their days are not read.
    .where("cancelled_at", "<=", new Date(window.now.getTime() - window.days * DAY_MS + 2 * HOUR_MS))
    .where(
      sql<Date>`(cancelled_at at time zone 'Europe/Paris' + make_interval(days => ${window.days})) at time zone 'Europe/Paris' - interval '1 hour'`,
      "<=",
      window.now,
    )
    .orderBy("cancelled_at")
    .orderBy("id")
    .limit(window.limit)
    .offset(window.skip)
    .execute();
  return rows.map((row) => row.id);
}
