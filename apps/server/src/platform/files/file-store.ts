import { createHash } from "node:crypto";
import type { Readable } from "node:stream";

/**
 * Content-addressed bytes: a file's name is its SHA-256, so a crash leaves an orphan to sweep, never a wrong file.
 * Errors: all but `list` throw `StoreAwayError` when the medium is not there; `put` throws `StorageFullError` when it is full; `get` and `stream` throw
 * `MissingFileError` when nothing is stored under the name, `AlteredFileError` when the bytes under it are not those that were stored.
 */
export type FileStore = {
  /** Stores the bytes durably (written, fsynced, renamed) before it resolves; gives their SHA-256 (32 bytes). Storing the same bytes twice is one file; over a file that was altered, the bytes are written again. */
  put(bytes: Uint8Array): Promise<Uint8Array>;
  /** Gives the whole file, its hash checked. */
  get(sha256: Uint8Array): Promise<Uint8Array>;
  /** Streams `[start, end]` (inclusive, bytes) of the file, whose hash was checked before the first byte leaves. */
  stream(sha256: Uint8Array, range?: { start: number; end: number }): Promise<Readable>;
  /** Size in bytes, or null when absent. */
  size(sha256: Uint8Array): Promise<number | null>;
  /** Removes a file; absent is not an error. */
  remove(sha256: Uint8Array): Promise<void>;
  /** Every stored file's SHA-256 with the time it was written. */
  list(): AsyncIterable<{ sha256: Uint8Array; writtenAt: Date }>;
  /** Resolves when files can be stored. Errors: `StoreAwayError`, `StorageFullError`, what the medium says. */
  check(): Promise<void>;
};

/** Gives the name of a file: its SHA-256 (32 bytes). */
export function hashOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

/** Nothing is stored under this name. */
export class MissingFileError extends Error {
  override readonly name = "MissingFileError";
}

/** The bytes under this name no longer have their hash. */
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

/** What each file was when its hash was found right, the oldest forgotten first: a reader of many parts has it computed once. */
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
