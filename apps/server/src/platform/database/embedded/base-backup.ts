import { Readable } from "node:stream";
import pg from "pg";

/** Source: PostgreSQL 18 §54.4, BASE_BACKUP. */
const ARCHIVE_DATA = 0x64;
const COMMAND = "BASE_BACKUP (LABEL 'paraphe', CHECKPOINT 'fast', WAL true, MANIFEST 'no')";

type Line = { readonly stream: { pause(): void; resume(): void }; query(text: string): void };
type CopyData = { readonly chunk: Uint8Array };

/**
 * Gives one tar with its log, page checksums verified: restored, it is the database at the end.
 * `url`: of a role that may replicate.
 * Errors: the stream's.
 */
export async function openBaseBackup(url: string): Promise<Readable> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe-backup",
    replication: "database",
    keepAlive: true,
  } as pg.ClientConfig);
  await client.connect();
  const query = createBackupQuery();
  client.on("error", (error) => query.stream.destroy(error));
  query.stream.once("close", () => void client.end().catch(() => {}));
  client.query(query as never);
  return query.stream;
}

function createBackupQuery() {
  let line: Line | null = null;
  const stream = new Readable({ read: () => line?.stream.resume(), highWaterMark: 1024 * 1024 });
  const ignore = () => {};
  return {
    stream,
    submit(connection: Line) {
      line = connection;
      connection.query(COMMAND);
    },
    handleCopyData({ chunk }: CopyData) {
      if (chunk[0] === ARCHIVE_DATA && !stream.push(Uint8Array.from(chunk.subarray(1))))
        line?.stream.pause();
    },
    handleReadyForQuery: () => void stream.push(null),
    handleError: (error: Error) => void stream.destroy(error),
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
    handleEmptyQuery: ignore,
    handlePortalSuspended: ignore,
  };
}
