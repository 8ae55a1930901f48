import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { Outage } from "../error-code.ts";

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

export function hashOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

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
