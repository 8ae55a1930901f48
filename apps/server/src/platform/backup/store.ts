import type { Reader } from "../database/database.ts";

export type MadeBackup = {
  readonly id: string;
  readonly place: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly files: number;
  readonly bytes: number;
};

export async function insertBackup(
  reader: Reader,
  { id, place, startedAt, endedAt, files, bytes }: MadeBackup,
): Promise<void> {
  await reader
    .insertInto("backups")
    .values({ id, place, started_at: startedAt, ended_at: endedAt, files, bytes })
    .execute();
}

export async function selectLastBackup(
  reader: Reader,
): Promise<{ readonly place: string; readonly endedAt: Date } | null> {
  const row = await reader
    .selectFrom("backups")
    .select(["place", "ended_at"])
    .orderBy("ended_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { place: row.place, endedAt: row.ended_at };
}
