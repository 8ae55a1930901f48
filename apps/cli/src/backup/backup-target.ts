import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileStore, hashOf, StorageFullError, StoreAwayError } from "../../../server/src/platform/files/file-store.ts";
import { syncFolder } from "../../../server/src/platform/files/folder-file-store.ts";
import { readText } from "../../../server/src/platform/files/s3-file-store.ts";
import { NO_LEDGER } from "../../../server/src/platform/files/store-identity.ts";
import { openMedium } from "../../../server/src/platform/files/store-medium.ts";
import { openBucket } from "../../../server/src/platform/object-store/s3-bucket.ts";
import { makeFolder } from "../../../server/src/platform/settings/make-folder.ts";
import { readStoragePlace } from "../../../server/src/platform/settings/read-storage-place.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import type { BucketPlace, StoragePlace } from "../../../server/src/platform/settings/settings.ts";
import { CommandFault } from "../command-fault.ts";

/** What the place of backups is called in messages. */
const VARIABLE = "SAUVEGARDE";
const FILES = "files";
const NOTES = "backups";
const NOTE_MS = 30_000;

/** Small named texts: one for each backup. Written whole, and lasting once it resolves. */
type Notes = {
  read(name: string): Promise<string | null>;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** In order. */
  list(): Promise<readonly string[]>;
};

/**
 * Where backups are kept: what they hold, by its SHA-256, shared by all of them, and a note for each. `service`: whose they are.
 * Errors: `CommandFault` where the place is full or does not answer.
 */
export type BackupTarget = { readonly shown: string; readonly service: string; readonly files: FileStore; readonly notes: Notes };

/**
 * Opens the place that a command names: a folder, or `s3://…`. With `service`, it is made for that service's backups where there are none yet.
 * Errors: `CommandFault`, `SettingsError`.
 */
export async function openTarget(
  text: string,
  { environment, folder, service }: { readonly environment: Environment; readonly folder: string; readonly service: string | null },
): Promise<BackupTarget> {
  const place = readStoragePlace({ ...environment, [VARIABLE]: text }, VARIABLE, folder);
  if (place === null) throw new CommandFault("Donnez le dossier, ou l’adresse s3://…, des sauvegardes.");
  const shown = place.kind === "folder" ? place.folder : `s3://${place.bucket}/${place.prefix}`;
  if (place.kind === "folder" && service !== null)
    await makeFolder({ variable: VARIABLE, folder: place.folder, example: "/mnt/sauvegardes" });
  const told = teller(shown);
  const medium = told(await openMedium(below(place, FILES), VARIABLE));
  await medium.inspect();
  if ((await medium.readId()) === null && service !== null) {
    if ((await medium.readDraft()) !== service) await medium.writeDraft(service);
    await medium.nameDraft();
  }
  const found = await medium.readId();
  if (found === null) throw new CommandFault(`Aucune sauvegarde de Paraphe dans ${shown}.`);
  if (service !== null && found !== service)
    throw new CommandFault(`${shown} contient les sauvegardes d’un autre service\u00a0: choisissez un autre dossier.`);
  const notes = place.kind === "folder" ? folderNotes(join(place.folder, NOTES)) : await bucketNotes(below(place, NOTES) as BucketPlace);
  return { shown, service: found, files: told(await medium.open(found, NO_LEDGER)), notes: told(notes) };
}

function below(place: StoragePlace, name: string): StoragePlace {
  return place.kind === "folder" ? { ...place, folder: join(place.folder, name) } : { ...place, prefix: `${place.prefix}${name}/` };
}

/** Says of which place it is that it is full or away: the store of the service may be so too. */
function teller(shown: string) {
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
    return new CommandFault(`${shown} est plein\u00a0: faites-y de la place, puis relancez la commande.`, { cause: error });
  if (error instanceof StoreAwayError)
    return new CommandFault(`${shown} ne répond pas, ou refuse l’écriture\u00a0: vérifiez le disque, le réseau et les droits.`, {
      cause: error,
    });
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
        const { objects, next }: Awaited<ReturnType<typeof bucket.list>> = await bucket.list(after, signal());
        names.push(...objects.map(({ name }) => name));
        if (next === null) return names.toSorted();
        after = next;
      }
    },
  };
}
