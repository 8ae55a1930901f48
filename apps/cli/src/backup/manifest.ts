import { instantSchema, sha256Schema } from "@paraphe/contracts";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import * as z from "zod/mini";
import type { FileStore } from "../../../server/src/platform/files/file-store.ts";
import { CommandFault } from "../outcome.ts";
import type { BackupTarget, Unwrapping, Wrapping } from "./backup-target.ts";

/** Small enough for one call to a store of objects, whatever the line. Units: bytes. */
const PART_BYTES = 8 * 1024 * 1024;

/** Stores what comes, part after part; gives the names of the parts (hex), in order. */
export async function writeParts(
  files: Pick<FileStore, "put">,
  { wrap }: Pick<Wrapping, "wrap">,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string[]> {
  const names: string[] = [];
  let [waiting, size]: [Uint8Array[], number] = [[], 0];
  const flush = async () => {
    names.push(toHex(await files.put(await wrap(new Uint8Array(Buffer.concat(waiting))))));
    [waiting, size] = [[], 0];
  };
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size >= PART_BYTES) await flush();
  }
  if (size > 0) await flush();
  return names;
}

/** Gives what was stored in parts, each held against its hash. Errors: those of `FileStore.get`. */
export async function* readParts(
  files: Pick<FileStore, "get">,
  unwrap: Unwrapping,
  names: readonly string[],
): AsyncGenerator<Uint8Array, void> {
  for (const name of names) yield await unwrap(await files.get(fromHex(name)));
}

/** Gives the lines of a text that comes in chunks. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** What one backup is made of. Written last: a backup without one was cut short. */
const manifestSchema = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  service: z.uuid(),
  /** The version that made it. */
  version: z.string(),
  started_at: instantSchema,
  /** What the database held then is in it, and nothing later is. */
  database_at: instantSchema,
  ended_at: instantSchema,
  /** `base`: the folder of the embedded PostgreSQL, tar and gzip; `dump`: of pg_dump, custom format. */
  database: z.strictObject({
    kind: z.enum(["base", "dump"]),
    server: z.int(),
    parts: z.array(sha256Schema),
  }),
  /** Lines `<SHA-256> <SHA-256 as stored>`, in order; never encrypted. */
  list: z.strictObject({ parts: z.array(sha256Schema), files: z.int(), bytes: z.int() }),
  /** Files that rows need and that the store had not, or had altered. */
  lost: z.array(sha256Schema),
  /** The public key that the database and the files are encrypted to; null: nothing is. */
  recipient: z.nullable(z.string()),
  /** The data key as `MASTER_KEY` wraps it: tells whether a master key fits, and opens nothing without it. */
  data_key: z.nullable(z.string()),
  migrations: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifestSchema>;

const DONE = ".json";
const BEGUN = ".begun";

/** Notes that a backup begins. */
export async function beginNote({ notes }: BackupTarget, id: string, at: Date): Promise<void> {
  await notes.write(`${id}${BEGUN}`, `${at.toISOString()}\n`);
}

/** Makes a backup whole. */
export async function writeManifest({ notes }: BackupTarget, manifest: Manifest): Promise<void> {
  await notes.write(
    `${manifest.id}${DONE}`,
    `${JSON.stringify(z.parse(manifestSchema, manifest), null, 2)}\n`,
  );
  await notes.remove(`${manifest.id}${BEGUN}`);
}

/** Forgets a backup, whole or not; what it is made of stays. */
export async function forgetBackup({ notes }: BackupTarget, id: string): Promise<void> {
  await notes.remove(`${id}${DONE}`);
  await notes.remove(`${id}${BEGUN}`);
}

/** The backups of a place, the oldest first: those that are whole, and those that were cut short. */
export async function listBackups({
  notes,
}: BackupTarget): Promise<{ readonly whole: readonly string[]; readonly cut: readonly string[] }> {
  const names = await notes.list();
  const ids = (end: string) =>
    names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
  const whole = ids(DONE);
  return { whole, cut: ids(BEGUN).filter((id) => !whole.includes(id)) };
}

/** Gives the manifest of a backup, or of the last whole one. Errors: `CommandFault`. */
export async function readManifest(target: BackupTarget, wanted: string | null): Promise<Manifest> {
  const { whole, cut } = await listBackups(target);
  const id = wanted ?? whole.at(-1);
  if (id === undefined)
    throw new CommandFault(
      `Aucune sauvegarde entière dans ${target.shown}${cut.length > 0 ? `\u00a0: ${cut.at(-1)} a été coupée avant sa fin` : ""}.`,
    );
  if (cut.includes(id))
    throw new CommandFault(
      `La sauvegarde ${id} a été coupée avant sa fin\u00a0: choisissez-en une autre.`,
    );
  const text = whole.includes(id) ? await target.notes.read(`${id}${DONE}`) : null;
  if (text === null) throw new CommandFault(`${target.shown} ne contient pas la sauvegarde ${id}.`);
  try {
    return z.parse(manifestSchema, JSON.parse(text));
  } catch (error) {
    throw new CommandFault(
      `Le manifeste de la sauvegarde ${id} est abîmé\u00a0: choisissez-en une autre.`,
      { cause: error },
    );
  }
}
