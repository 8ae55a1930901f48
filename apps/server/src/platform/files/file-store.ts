import { createHash } from "node:crypto";
import type { Readable } from "node:stream";

/**
 * Content-addressed bytes, named by SHA-256: a crash leaves an orphan to sweep, never a wrong file.
 * Errors: all but `list` throw `StoreAwayError`; `put` throws `StorageFullError`; `get` and
 * `stream` throw `MissingFileError` and `AlteredFileError`.
 */
export type FileStore = {
  /**
   * Durable when it resolves (written, fsynced, renamed); gives the SHA-256 (32 bytes). Equal bytes
   * are one file; an altered file is written again.
   */
  put(bytes: Uint8Array): Promise<Uint8Array>;
  /** Gives the whole file, its hash verified. */
  get(sha256: Uint8Array): Promise<Uint8Array>;
  /** Streams `[start, end]` (inclusive, bytes), the whole hash verified before the first byte. */
  stream(sha256: Uint8Array, range?: { start: number; end: number }): Promise<Readable>;
  /** Bytes, or null when absent. */
  size(sha256: Uint8Array): Promise<number | null>;
  /** Absent is not an error. */
  remove(sha256: Uint8Array): Promise<void>;
  /** Gives every file with its time of writing. */
  list(): AsyncIterable<{ sha256: Uint8Array; writtenAt: Date }>;
  /**
   * Resolves when files can be stored. Errors: `StoreAwayError`, `StorageFullError`, the medium's.
   */
  check(): Promise<void>;
};

/** SHA-256, 32 bytes. */
export function hashOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

/** Nothing is stored under this name. */
export class MissingFileError extends Error {
  override readonly name = "MissingFileError";
}

/** The bytes under this name have another hash. */
export class AlteredFileError extends Error {
  override readonly name = "AlteredFileError";
}

/** The place is not the store: nothing may be written there. */
export class StoreAwayError extends Error {
  override readonly name = "StoreAwayError";
}

/** The medium has no room left. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}

const MOST_CHECKED = 2_000;

/** The state of files whose hash was verified, so that a reader of many parts pays for it once. */
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
