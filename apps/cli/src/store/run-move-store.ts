import { toHex } from "@paraphe/kernel/bytes";
import { lockBlobs } from "../../../server/src/features/documents/public.ts";
import { inTransaction } from "../../../server/src/platform/database/in-transaction.ts";
import {
  ADMITTED_MS,
  AlteredFileError,
  type FileStore,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import {
  closeStore,
  type KnownStore,
  openKnownStore,
} from "../../../server/src/platform/files/open-store.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import {
  readStoragePlace,
  type Environment,
} from "../../../server/src/platform/settings/read-variable.ts";

/** 0 done, 1 files lost or damaged, 64 misused (sysexits.h: EX_USAGE). */
type MoveOutcome = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };
type MoveDeps = {
  readonly environment: Environment;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly progress: (line: string) => void;
};
type Move = {
  readonly platform: Pick<Platform, "db" | "clock">;
  readonly from: KnownStore;
  readonly to: KnownStore;
  readonly progress: MoveDeps["progress"];
};

/** The time an admission lasts, plus a call of nine seconds. */
const STILL_WRITTEN_MS = ADMITTED_MS + 15_000;
const AT_ONCE = 8;
const REPORT_EVERY = 10_000;
const NAMED = 50;

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe move-store DEPUIS VERS",
  "",
  "Copie chaque fichier d’un stockage à l’autre pendant que le service tourne, puis fait quitter l’ancien à la base.",
  "DEPUIS et VERS s’écrivent comme STORAGE_URL\u00a0: un dossier, ou s3://seau/dossier?endpoint=…&region=….",
  "Démarrez d’abord le service avec STORAGE_URL=VERS et STORAGE_FALLBACK_URL=DEPUIS. Interrompue, la commande se relance.",
  "",
  "Code de sortie\u00a0: 0 tout est déplacé, 1 des fichiers manquent ou sont abîmés, 64 mauvais usage, 78 réglage refusé.",
];

/**
 * Checks hashes on both sides, then closes the first store. May be interrupted and repeated;
 * removed files stay removed.
 * Errors: `SettingsError` where one is not this database's.
 */
export async function runMoveStore(
  platform: Move["platform"],
  words: readonly string[],
  { environment, wait, progress }: MoveDeps,
): Promise<MoveOutcome> {
  const [from, to, ...more] = words;
  if (from === undefined || to === undefined || more.length > 0 || from.startsWith("-"))
    return { code: 64, lines: USAGE };
  const open = (variable: "DEPUIS" | "VERS", text: string) => {
    const place = readStoragePlace({ ...environment, [variable]: text }, variable, process.cwd());
    return place === null ? null : openKnownStore(platform.db, place, variable);
  };
  const source = await open("DEPUIS", from);
  const target = await open("VERS", to);
  if (source === null || target === null || source.id === target.id)
    return { code: 64, lines: USAGE };
  const move = { platform, from: source, to: target, progress };
  const first = await copyAll(move, copyChecked);
  if (first.faults.length > 0) return faulty(first);
  const closedAt = await closeStore(platform, { id: source.id, successor: target.id });
  const left = closedAt.getTime() + STILL_WRITTEN_MS - platform.clock().getTime();
  if (left > 0) {
    progress(
      `L’ancien stockage est fermé. Dernier passage dans ${Math.ceil(left / 1_000)} s, pour ce qui s’y écrivait encore.`,
    );
    await wait(left);
  }
  const last = await copyAll(move, copyMissing);
  if (last.faults.length > 0) return faulty(last);
  return {
    code: 0,
    lines: [
      `Fichiers vérifiés\u00a0: ${first.looked}, dont ${first.copied + last.copied} copiés.`,
      "La base a quitté l’ancien stockage. Démarrez chaque processus sans STORAGE_FALLBACK_URL, puis effacez-le\u00a0: il contient des documents.",
    ],
  };
}

type Copied = { looked: number; copied: number; readonly faults: string[] };
type CopyOne = (move: Move, sha256: Uint8Array) => Promise<boolean>;

async function copyAll(move: Move, copyOne: CopyOne): Promise<Copied> {
  const done: Copied = { looked: 0, copied: 0, faults: [] };
  const files = move.from.files.list()[Symbol.asyncIterator]();
  const work = async () => {
    for (let next = await files.next(); next.done !== true; next = await files.next()) {
      const { sha256 } = next.value;
      try {
        if (await copyOne(move, sha256)) done.copied += 1;
      } catch (error) {
        if (!(error instanceof AlteredFileError)) throw error;
        done.faults.push(toHex(sha256));
      }
      done.looked += 1;
      if (done.looked % REPORT_EVERY === 0)
        move.progress(`${done.looked} fichiers vérifiés, dont ${done.copied} copiés.`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

/** Gives true when copied. Errors: `AlteredFileError` when both are damaged. */
async function copyChecked({ platform, from, to }: Move, sha256: Uint8Array): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    // A purge waits, then finds the file in both.
    await lockBlobs(trx, [sha256], "share");
    if (await isSound(to.files, sha256)) return false;
    const bytes = await from.files.get(sha256).catch(unlessMissing);
    if (bytes === null) return false;
    await to.files.put(bytes);
    await to.files.get(sha256);
    return true;
  });
}

async function copyMissing(move: Move, sha256: Uint8Array): Promise<boolean> {
  return (await move.to.files.size(sha256)) === null && copyChecked(move, sha256);
}

async function isSound(files: FileStore, sha256: Uint8Array): Promise<boolean> {
  try {
    return (await files.get(sha256).catch(unlessMissing)) !== null;
  } catch (error) {
    if (error instanceof AlteredFileError) return false;
    throw error;
  }
}

function unlessMissing(error: unknown): null {
  if (error instanceof MissingFileError) return null;
  throw error;
}

function faulty({ faults }: Copied): MoveOutcome {
  return {
    code: 1,
    lines: [
      `${faults.length} fichiers n’ont leur empreinte dans aucun des deux stockages\u00a0: rapportez-les d’une sauvegarde, puis relancez.`,
      ...faults.slice(0, NAMED),
    ],
  };
}
