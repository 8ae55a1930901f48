import { sql } from "kysely";
import pg from "pg";
import type { Reader, Transaction } from "../database/database.ts";
import { PutOffError } from "../queue/create-queue.ts";

/** These session locks end with the backup's connection. */
const BACKUP = "hashtextextended('backup', 20260086)";
const REMOVAL = "hashtextextended('file removal', 20260086)";

export class RemovalBlockedError extends PutOffError {
  override readonly name = "RemovalBlockedError";
}

/**
 * Called before a transaction removes stored files. Errors: `RemovalBlockedError` during a backup.
 */
export async function assertRemovalAllowed(trx: Transaction): Promise<void> {
  const { rows } = await sql<{
    done: boolean;
  }>`select pg_try_advisory_xact_lock_shared(${sql.raw(REMOVAL)}) as done`.execute(trx);
  if (rows[0]?.done !== true)
    throw new RemovalBlockedError("A backup is being made: no file is removed until it has ended");
}

export type BlockedRemovals = {
  /** Errors: the session was cut, so files may have been removed. */
  assertBlocked(): Promise<void>;
  release(): Promise<void>;
};

/**
 * Blocks until `release`; null while another backup runs. `url`: direct, or through a pooler of
 * sessions.
 */
export async function blockRemovals(url: string): Promise<BlockedRemovals | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe-backup",
    keepAlive: true,
  });
  let cut: Error | null = null;
  client.on("error", (error) => (cut = error));
  await client.connect();
  const ask = async (text: string) => (await client.query<{ done: boolean }>(text)).rows[0]?.done;
  if ((await ask(`select pg_try_advisory_lock(${BACKUP}) as done`)) !== true) {
    await client.end();
    return null;
  }
  await client.query(`select pg_advisory_lock(${REMOVAL})`);
  return {
    async assertBlocked() {
      if (cut !== null)
        throw new Error("The session that kept files from being removed was cut", { cause: cut });
      await client.query("select 1");
    },
    release: () => client.end(),
  };
}

type MadeBackup = {
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
