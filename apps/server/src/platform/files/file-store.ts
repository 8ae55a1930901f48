import type { Readable } from "node:stream";
import type { Outage } from "../error-code.ts";
import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";

/**
 * Files are named by SHA-256: a crash leaves an orphan to sweep, never a wrong file.
 * Errors: all but `list` throw `StoreAwayError`; `put` throws `StorageFullError`; `get` and
 * `stream` throw `MissingFileError` and `AlteredFileError`.
 */
export type FileStore = {
  /**
   * Durable once resolved (written, fsynced, renamed); gives the SHA-256 (32 bytes). Equal bytes
   * are one file; an altered one is written again.
   */
  put(bytes: Uint8Array): Promise<Uint8Array>;
  get(sha256: Uint8Array): Promise<Uint8Array>;
  /** `[start, end]` is inclusive, in bytes; the whole hash is verified before the first byte. */
  stream(sha256: Uint8Array, range?: { start: number; end: number }): Promise<Readable>;
  size(sha256: Uint8Array): Promise<number | null>;
  remove(sha256: Uint8Array): Promise<void>;
  list(): AsyncIterable<{ sha256: Uint8Array; writtenAt: Date }>;
  /** Errors: `StoreAwayError`, `StorageFullError`, the medium's. */
  check(): Promise<void>;
};

export class MissingFileError extends Error {
  override readonly name = "MissingFileError";
  readonly outage = "stored_file_lost" satisfies Outage;
}

export class AlteredFileError extends Error {
  override readonly name = "AlteredFileError";
  readonly outage = "stored_file_lost" satisfies Outage;
}

/** The place is not the store: nothing may be written there. */
export class StoreAwayError extends Error {
  override readonly name = "StoreAwayError";
  readonly outage = "service_unavailable" satisfies Outage;
}

export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
  readonly outage = "storage_full" satisfies Outage;
}

const MOST_CHECKED = 2_000;

/** Remembers verified files, so that a reader of many parts pays once. */
export type CheckedFiles<T> = {
  get(name: string): T | undefined;
  set(name: string, state: T): void;
};

export function createCheckedFiles<T>(): CheckedFiles<T> {
  const checked = new Map<string, T>();
  return {
    get: (name) => checked.get(name),
    set(name, state) {
      checked.delete(name);
      const oldest = checked.size < MOST_CHECKED ? undefined : checked.keys().next().value;
      if (oldest !== undefined) checked.delete(oldest);
      checked.set(name, state);
    },
  };
}

export const STORE_ID = "store-id";

export type StoreLedger = {
  /**
   * Notes a file whose row may never come. Errors: `StoreAwayError` when the database left the
   * store.
   */
  admit(sha256: Uint8Array): Promise<void>;
  /** Errors: `StoreAwayError` when the database left the store. */
  assertOpen(): Promise<void>;
};

export const NO_LEDGER: StoreLedger = { admit: async () => {}, assertOpen: async () => {} };

/** A move of files waits longer before it takes the old store for silent. */
export const ADMITTED_MS = 30_000;

type Demand = { readonly sha256s: Uint8Array[]; readonly recorded: Promise<void> };

export function openLedger(
  db: Database,
  { id, clock }: { readonly id: string; readonly clock: () => Date },
): StoreLedger {
  const admitted = new Map<string, number>();
  let next: Demand | null = null;
  const admitAll = async (sha256s: readonly Uint8Array[]) => {
    const names = sha256s.map((sha256) => toHex(sha256));
    // Sorted, so that stores do not deadlock.
    const { rows } = await sql`
      insert into loose_files (sha256, at)
      select distinct decode(name, 'hex') as sha256, ${clock()}::timestamptz from unnest(${sql.val(names)}::text[]) as name
      where exists (select from store_identity where id = ${id} and closed_at is null) order by sha256
      on conflict (sha256) do update set at = greatest(loose_files.at, excluded.at) returning 1`.execute(
      db,
    );
    if (rows.length === 0) throw left();
    const now = performance.now();
    for (const [name, at] of admitted) if (now - at > ADMITTED_MS) admitted.delete(name);
    for (const name of names) admitted.set(name, now);
  };
  return {
    async admit(sha256) {
      const at = admitted.get(toHex(sha256));
      if (at !== undefined && performance.now() - at < ADMITTED_MS) return;
      if (next === null) {
        const sha256s: Uint8Array[] = [];
        const recorded = Promise.resolve().then(() => {
          next = null;
          return admitAll(sha256s);
        });
        next = { sha256s, recorded };
      }
      next.sha256s.push(sha256);
      await next.recorded;
    },
    async assertOpen() {
      const { rows } =
        await sql`select from store_identity where id = ${id} and closed_at is null`.execute(db);
      if (rows.length === 0) throw left();
    },
  };
}

function left(): StoreAwayError {
  return new StoreAwayError("The database has left this store: its files were moved");
}
