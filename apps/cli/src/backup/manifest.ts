import { instantSchema, sha256Schema } from "@paraphe/contracts";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import * as z from "zod/mini";
import type { FileStore } from "../../../server/src/platform/files/file-store.ts";
import { CommandFault } from "../outcome.ts";
import type { BackupTarget, Unwrapping, Wrapping } from "./backup-target.ts";

/** Bytes: as much as one call to an object store takes. */
const PART_BYTES = 8 * 1024 * 1024;

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

/** Compares each with its hash. Errors: those of `FileStore.get`. */
export async function* readParts(
  files: Pick<FileStore, "get">,
  unwrap: Unwrapping,
  names: readonly string[],
): AsyncGenerator<Uint8Array, void> {
  for (const name of names) yield await unwrap(await files.get(fromHex(name)));
}

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

/** Written last: without it a backup is incomplete. */
const manifestSchema = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  service: z.uuid(),
  version: z.string(),
  started_at: instantSchema,
  database_at: instantSchema,
  ended_at: instantSchema,
  /** `base`: folder of the embedded PostgreSQL, tar and gzip; `dump`: pg_dump, custom format. */
  database: z.strictObject({
    kind: z.enum(["base", "dump"]),
    server: z.int(),
    parts: z.array(sha256Schema),
  }),
  /** Lines `<SHA-256> <SHA-256 as stored>`, in order; never encrypted. */
  list: z.strictObject({ parts: z.array(sha256Schema), files: z.int(), bytes: z.int() }),
  /** Files missing or altered, though rows need them. */
  lost: z.array(sha256Schema),
  /** The key for database and files; null: none. */
  recipient: z.nullable(z.string()),
  /** Wrapped by `MASTER_KEY`, it shows whether a key fits. */
  data_key: z.nullable(z.string()),
  migrations: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifestSchema>;

const DONE = ".json";
const BEGUN = ".begun";

export async function beginNote({ notes }: BackupTarget, id: string, at: Date): Promise<void> {
  await notes.write(`${id}${BEGUN}`, `${at.toISOString()}\n`);
}

export async function writeManifest({ notes }: BackupTarget, manifest: Manifest): Promise<void> {
  await notes.write(
    `${manifest.id}${DONE}`,
    `${JSON.stringify(z.parse(manifestSchema, manifest), null, 2)}\n`,
  );
  await notes.remove(`${manifest.id}${BEGUN}`);
}

export async function forgetBackup({ notes }: BackupTarget, id: string): Promise<void> {
  await notes.remove(`${id}${DONE}`);
  await notes.remove(`${id}${BEGUN}`);
}

export async function listBackups({
  notes,
}: BackupTarget): Promise<{ readonly whole: readonly string[]; readonly cut: readonly string[] }> {
  const names = await notes.list();
  const ids = (end: string) =>
    names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
  const whole = ids(DONE);
  return { whole, cut: ids(BEGUN).filter((id) => !whole.includes(id)) };
}

/** Takes the named one or the last complete one. Errors: `CommandFault`. */
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
