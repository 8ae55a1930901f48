import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Decrypter, Encrypter } from "age-encryption";
import { hashOf } from "../../../server/src/platform/content-hash.ts";
import {
  type FileStore,
  NO_LEDGER,
  StorageFullError,
  StoreAwayError,
} from "../../../server/src/platform/files/file-store.ts";
import { syncFolder } from "../../../server/src/platform/files/folder-file-store.ts";
import { readText } from "../../../server/src/platform/files/s3-file-store.ts";
import { openMedium } from "../../../server/src/platform/files/open-store.ts";
import { openBucket } from "../../../server/src/platform/object-store/s3-bucket.ts";
import {
  type Environment,
  makeFolder,
  readStoragePlace,
} from "../../../server/src/platform/settings/read-variable.ts";
import type { BucketPlace, StoragePlace } from "../../../server/src/platform/settings/settings.ts";
import { CommandFault } from "../outcome.ts";
import { instantSchema, sha256Schema } from "@paraphe/contracts";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import * as z from "zod/mini";

export type Wrapping = {
  /** Public key (age, `age1…`); null: no encryption. */
  readonly recipient: string | null;
  wrap(bytes: Uint8Array): Promise<Uint8Array>;
};
export type Unwrapping = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Serves lists of files too, as the next backup reads them. */
export const NOTHING = {
  wrap: async (bytes: Uint8Array) => bytes,
  unwrap: async (bytes: Uint8Array) => bytes,
} as const;

/** Errors: `CommandFault` for an invalid key. Source: age-encryption.org/v1. */
export function createWrapping(recipient: string | null): Wrapping {
  if (recipient === null) return { recipient, wrap: NOTHING.wrap };
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new CommandFault(
      "--recipient n’est pas une clé publique age (age1…)\u00a0: «\u00a0age-keygen\u00a0» en fait une.",
      {
        cause: error,
      },
    );
  }
  return { recipient, wrap: (bytes) => encrypter.encrypt(bytes) };
}

/**
 * Null for an encrypted backup without a private key. Errors: `CommandFault` for a file
 * without private key.
 */
export async function readUnwrapping(
  recipient: string | null,
  identityFile: string | null,
): Promise<Unwrapping | null> {
  if (recipient === null) return NOTHING.unwrap;
  if (identityFile === null) return null;
  const text = await readFile(identityFile, "utf8").catch(() => "");
  const keys = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const decrypter = new Decrypter();
  try {
    if (keys.length === 0) throw new Error("Expected a key");
    for (const key of keys) decrypter.addIdentity(key);
  } catch (error) {
    throw new CommandFault(
      "--identity ne nomme pas un fichier de clé privée age (AGE-SECRET-KEY-…).",
      { cause: error },
    );
  }
  return async (bytes) => {
    try {
      return await decrypter.decrypt(bytes);
    } catch (error) {
      throw new CommandFault(
        `La clé privée de --identity n’ouvre pas cette sauvegarde, chiffrée pour ${recipient}.`,
        { cause: error },
      );
    }
  };
}

const VARIABLE = "SAUVEGARDE";
const FILES = "files";
const NOTES = "backups";
const NOTE_MS = 30_000;

/** Notes, one per backup; atomic and durable. */
type Notes = {
  read(name: string): Promise<string | null>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
};

/**
 * Stores files by SHA-256 for all backups, with a note for each. `service`: their owner.
 * Errors: `CommandFault` where the place is full or away.
 */
export type BackupTarget = {
  readonly shown: string;
  readonly service: string;
  readonly files: Omit<FileStore, "list">;
  readonly stored: FileStore["list"];
  readonly notes: Notes;
};

/**
 * Opens a folder or `s3://…`; where it has no backups, it becomes `service`'s.
 * Errors: `CommandFault`, `SettingsError`.
 */
export async function openTarget(
  text: string,
  {
    environment,
    folder,
    service,
  }: {
    readonly environment: Environment;
    readonly folder: string;
    readonly service: string | null;
  },
): Promise<BackupTarget> {
  const place = readStoragePlace({ ...environment, [VARIABLE]: text }, VARIABLE, folder);
  if (place === null)
    throw new CommandFault("Donnez le dossier, ou l’adresse s3://…, des sauvegardes.");
  const shown = place.kind === "folder" ? place.folder : `s3://${place.bucket}/${place.prefix}`;
  if (place.kind === "folder" && service !== null)
    await makeFolder({ variable: VARIABLE, folder: place.folder, example: "/mnt/sauvegardes" });
  const named = faultNamer(shown);
  const medium = named(await openMedium(below(place, FILES), VARIABLE));
  await medium.inspect();
  if ((await medium.readId()) === null && service !== null) {
    if ((await medium.readDraft()) !== service) await medium.writeDraft(service);
    await medium.nameDraft();
  }
  const found = await medium.readId();
  if (found === null) throw new CommandFault(`Aucune sauvegarde de Paraphe dans ${shown}.`);
  if (service !== null && found !== service)
    throw new CommandFault(
      `${shown} contient les sauvegardes d’un autre service\u00a0: choisissez un autre dossier.`,
    );
  const notes =
    place.kind === "folder"
      ? folderNotes(join(place.folder, NOTES))
      : await bucketNotes(below(place, NOTES) as BucketPlace);
  const files = await medium.open(found, NO_LEDGER);
  return {
    shown,
    service: found,
    files: named(files),
    stored: () => files.list(),
    notes: named(notes),
  };
}

function below(place: StoragePlace, name: string): StoragePlace {
  return place.kind === "folder"
    ? { ...place, folder: join(place.folder, name) }
    : { ...place, prefix: `${place.prefix}${name}/` };
}

/** Names the backup's place in its faults: the service's store may be full too. */
function faultNamer(shown: string) {
  return <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...words: unknown[]) => {
          try {
            return await (value as (...given: unknown[]) => unknown).apply(target, words);
          } catch (error) {
            throw faultOf(error, shown);
          }
        };
      },
    });
}

function faultOf(error: unknown, shown: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof StorageFullError || code === "ENOSPC" || code === "EDQUOT")
    return new CommandFault(
      `${shown} est plein\u00a0: faites-y de la place, puis relancez la commande.`,
      { cause: error },
    );
  if (error instanceof StoreAwayError)
    return new CommandFault(
      `${shown} ne répond pas, ou refuse l’écriture\u00a0: vérifiez le disque, le réseau et les droits.`,
      {
        cause: error,
      },
    );
  return error;
}

function folderNotes(folder: string): Notes {
  return {
    read: (name) =>
      readFile(join(folder, name), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      }),
    async write(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `.${name}`);
      const handle = await open(draft, "w", 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, join(folder, name));
      await syncFolder(folder);
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    async list() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return [];
        throw error;
      });
      return names.filter((name) => !name.startsWith(".")).toSorted();
    },
  };
}

async function bucketNotes(place: BucketPlace): Promise<Notes> {
  const bucket = await openBucket(place);
  const signal = () => AbortSignal.timeout(NOTE_MS);
  return {
    read: (name) => readText(bucket, name, signal()),
    async write(name, text) {
      const bytes = new TextEncoder().encode(text);
      await bucket.write({ name, bytes, sha256: hashOf(bytes), onlyNew: false }, signal());
    },
    remove: (name) => bucket.remove(name, signal()),
    async list() {
      const names: string[] = [];
      for (let after: string | null = null; ; ) {
        const { objects, next }: Awaited<ReturnType<typeof bucket.list>> = await bucket.list(
          after,
          signal(),
        );
        names.push(...objects.map(({ name }) => name));
        if (next === null) return names.toSorted();
        after = next;
      }
    },
  };
}

type Options = Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
type Words = {
  readonly place: string;
  text(name: string): string | null;
  has(name: string): boolean;
};

export function readWords(words: readonly string[], options: Options): Words | null {
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { ...options },
    });
    const [place, ...more] = positionals;
    if (place === undefined || more.length > 0) return null;
    return {
      place,
      text: (name) => (typeof values[name] === "string" ? values[name] : null),
      has: (name) => values[name] === true,
    };
  } catch {
    return null;
  }
}

export const pathIn = (folder: string, path: string | null): string | null =>
  path === null ? null : resolve(folder, path);

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
