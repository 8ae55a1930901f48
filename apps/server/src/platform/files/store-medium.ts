import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { openBucket, refusalOf, type S3Bucket } from "../object-store/s3-bucket.ts";
import { makeFolder } from "../settings/make-folder.ts";
import { BUCKET, FOLDER } from "../settings/read-storage-place.ts";
import { refuse } from "../settings/read-variable.ts";
import type { FolderPlace, StoragePlace } from "../settings/settings.ts";
import { type FileStore, hashOf, StorageFullError, StoreAwayError } from "./file-store.ts";
import { openFolderFileStore, syncFolder } from "./folder-file-store.ts";
import { openS3FileStore, readText } from "./s3-file-store.ts";
import { STORE_ID, type StoreLedger } from "./store-identity.ts";

const DRAFT = `${STORE_ID}.draft`;

/**
 * What a store's identity needs of its place. An id is a draft until the database knows it.
 * Errors: `SettingsError` where the place cannot be a store.
 */
export type StoreMedium = {
  readonly example: string;
  inspect(): Promise<void>;
  readId(): Promise<string | null>;
  readDraft(): Promise<string | null>;
  writeDraft(id: string): Promise<void>;
  nameDraft(): Promise<void>;
  open(id: string, ledger: StoreLedger): Promise<FileStore>;
};

export async function openMedium(place: StoragePlace, variable: string): Promise<StoreMedium> {
  return place.kind === "folder"
    ? folderMedium(place, variable)
    : bucketMedium(await openBucket(place), variable);
}

function folderMedium({ folder }: FolderPlace, variable: string): StoreMedium {
  const readDraft = () => readId(folder, DRAFT);
  return {
    example: FOLDER,
    inspect: async () => {},
    readId: () => readId(folder, STORE_ID),
    readDraft,
    async writeDraft(id) {
      await makeFolder({ variable, folder, example: FOLDER });
      const handle = await open(join(folder, DRAFT), "w", 0o600);
      try {
        await handle.writeFile(`${id}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await syncFolder(folder);
    },
    async nameDraft() {
      if ((await readDraft()) === null) return;
      await rename(join(folder, DRAFT), join(folder, STORE_ID));
      await syncFolder(folder);
    },
    open: (id, ledger) => openFolderFileStore(folder, id, ledger),
  };
}

async function readId(folder: string, name: string): Promise<string | null> {
  return readFile(join(folder, name), "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    },
  );
}

const START_MS = 15_000;

function bucketMedium(bucket: S3Bucket, variable: string): StoreMedium {
  const signal = () => AbortSignal.timeout(START_MS);
  const orRefuse = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => refuseBucket(error, variable));
  const write = async (name: string, id: string) => {
    const bytes = new TextEncoder().encode(`${id}\n`);
    await orRefuse(bucket.write({ name, bytes, sha256: hashOf(bytes), onlyNew: false }, signal()));
  };
  const readDraft = () => orRefuse(readText(bucket, DRAFT, signal()));
  return {
    example: BUCKET,
    // Without the right to list, a missing file looks like a forbidden one.
    async inspect() {
      try {
        await bucket.list(null, signal());
      } catch (error) {
        if (!isForbidden(error)) refuseBucket(error, variable);
        await orRefuse(readText(bucket, STORE_ID, signal()));
        refuse(
          variable,
          "mène à un seau dont la clé d’accès ne permet pas de lister les objets (s3:ListBucket)",
          BUCKET,
        );
      }
    },
    readId: () => orRefuse(readText(bucket, STORE_ID, signal())),
    readDraft,
    writeDraft: (id) => write(DRAFT, id),
    async nameDraft() {
      const id = await readDraft();
      if (id === null) return;
      await write(STORE_ID, id);
      await orRefuse(bucket.remove(DRAFT, signal()));
    },
    async open(id, ledger) {
      const store = openS3FileStore(bucket, id, ledger);
      await orRefuse(store.check()).catch((error: unknown) => {
        // A full store can still be read.
        if (!(error instanceof StorageFullError)) throw error;
      });
      return store;
    },
  };
}

const refusalBehind = (error: unknown) => refusalOf(error instanceof Error ? error.cause : null);
const isForbidden = (error: unknown) => refusalBehind(error).code === "AccessDenied";

function refuseBucket(error: unknown, variable: string): never {
  if (!(error instanceof StoreAwayError)) throw error;
  const { status, code } = refusalBehind(error);
  if (code === "NoSuchBucket") refuse(variable, "nomme un seau qui n’existe pas", BUCKET);
  if (code === "CredentialsProviderError")
    refuse(
      variable,
      "mène à un seau pour lequel aucune clé d’accès n’est donnée (AWS_ACCESS_KEY_ID, un profil ou un rôle)",
      BUCKET,
    );
  if (status === 301 || status === 307 || code === "AuthorizationHeaderMalformed")
    refuse(variable, "mène à un seau d’une autre région, ou d’une autre adresse", BUCKET);
  if (status === 401 || status === 403)
    refuse(
      variable,
      "mène à un seau dont la clé d’accès est refusée, ou ne permet pas de lire, d’écrire et de supprimer les objets",
      BUCKET,
    );
  throw error;
}
