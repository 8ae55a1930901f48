import { kindOf, type TakenFile } from "./sort-files.ts";

/**
 * What was given: the files that have a part in a check, and the names of the others; of those that could not be read; of photographs without a code that
 * can be read. `code`: what the last photograph's code says.
 */
export type Taken = {
  readonly files: readonly TakenFile[];
  readonly unknown: readonly string[];
  readonly unread: readonly string[];
  readonly blurred: readonly string[];
  readonly code: string | null;
};

/** Far above what the service signs: a browser's memory holds several. */
export const MAX_FILE_BYTES = 100_000_000;

type ReadCode = (photo: Uint8Array) => Promise<string | null>;

/** Reads files that somebody gave, and says what each of them is. */
export async function takeFiles(list: readonly File[], readCode: ReadCode): Promise<Taken> {
  const taken = { files: [] as TakenFile[], unknown: [] as string[], unread: [] as string[], blurred: [] as string[] };
  let code: string | null = null;
  for (const { name, bytes } of await Promise.all(list.map(async (file) => ({ name: file.name, bytes: await bytesOf(file) })))) {
    const kind = bytes === null ? null : kindOf(bytes);
    const read = bytes !== null && kind === "photo" ? await readCode(bytes) : null;
    if (bytes === null) taken.unread.push(name);
    else if (kind === null) taken.unknown.push(name);
    else if (kind === "photo" && read === null) taken.blurred.push(name);
    else taken.files.push({ name, bytes, kind });
    code = read ?? code;
  }
  return { ...taken, code };
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
