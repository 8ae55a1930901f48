import { sql } from "kysely";
import type { Reader } from "../../../server/src/platform/database/database.ts";

/** A check that found nothing wrong. `leaves`: how many the transparency log had when it began. */
export type SoundCheck = { readonly at: Date; readonly leaves: number };

/** Gives the start of a check that begins now. */
export async function readCheckStart(reader: Reader, at: Date): Promise<SoundCheck> {
  const { rows } = await sql<{ leaves: number }>`select coalesce(max(leaf_index) + 1, 0) as leaves from transparency_leaves`.execute(
    reader,
  );
  return { at, leaves: rows[0]?.leaves ?? 0 };
}

/** Gives the last check that found nothing wrong, or null. */
export async function lastSoundCheck(reader: Reader): Promise<SoundCheck | null> {
  const { rows } = await sql<SoundCheck>`select at, leaves from store_checks order by number desc limit 1`.execute(reader);
  return rows[0] ?? null;
}

export async function noteSoundCheck(reader: Reader, { at, leaves }: SoundCheck): Promise<void> {
  await sql`insert into store_checks (at, leaves) values (${at}, ${leaves})`.execute(reader);
}
