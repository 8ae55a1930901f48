import { kindOf, type TakenFile } from "./sort-files.ts";

/** What was given: the files that have a part in a check, and the names of the others, with those that could not be read. */
export type Taken = { readonly files: readonly TakenFile[]; readonly unknown: readonly string[]; readonly unread: readonly string[] };

/** Far above what the service signs: a browser's memory holds several. */
export const MAX_FILE_BYTES = 100_000_000;

/** Reads files that somebody gave, and says what each of them is. */
export async function takeFiles(list: readonly File[]): Promise<Taken> {
  const read = await Promise.all(list.map(async (file) => ({ name: file.name, bytes: await bytesOf(file) })));
  const kinds = read.map(({ name, bytes }) => ({ name, bytes, kind: bytes === null ? null : kindOf(bytes) }));
  return {
    files: kinds.flatMap(({ name, bytes, kind }) => (bytes === null || kind === null ? [] : [{ name, bytes, kind }])),
    unknown: kinds.flatMap(({ name, bytes, kind }) => (bytes !== null && kind === null ? [name] : [])),
    unread: kinds.flatMap(({ name, bytes }) => (bytes === null ? [name] : [])),
  };
}

async function bytesOf(file: File): Promise<Uint8Array | null> {
  if (file.size > MAX_FILE_BYTES) return null;
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    // Moved, deleted, or forbidden since it was chosen.
    console.warn("a file could not be read", error);
    return null;
  }
}
