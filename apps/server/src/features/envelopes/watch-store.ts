import type { StoredStatus } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader } from "../../platform/database/database.ts";

/** What of an envelope tells whom its changes concern, and what they may be told. */
export type WatchedRow = {
  readonly id: string;
  readonly version: number;
  readonly status: StoredStatus;
  readonly ownerId: string;
  readonly isPurged: boolean;
  readonly recipients: readonly { readonly emailKey: string; readonly isInvited: boolean; readonly isAwaited: boolean }[];
};

/** Gives these envelopes, purged ones too, in one statement. */
export async function selectWatched(reader: Reader, ids: readonly string[]): Promise<readonly WatchedRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<WatchedRow>`
    select e.id, e.version, e.status, e.owner_id as "ownerId", e.purged_at is not null as "isPurged",
      coalesce((
        select jsonb_agg(jsonb_build_object('emailKey', r.email_key, 'isInvited', r.notified_at is not null, 'isAwaited', r.awaited))
        from recipients r where r.envelope_id = e.id
      ), '[]') as recipients
    from envelopes e where e.id = any(${sql.val([...ids])}::uuid[])
  `.execute(reader);
  return rows;
}
