import type { FileStore } from "../../../server/src/platform/files/file-store.ts";
import type { Unwrapping, Wrapping } from "./envelope.ts";

/** Small enough for one call to a store of objects, whatever the line. Units: bytes. */
const PART_BYTES = 8 * 1024 * 1024;

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

/** Stores what comes, part after part; gives the names of the parts (hex), in order. */
export async function writeParts(
  files: Pick<FileStore, "put">,
  { wrap }: Pick<Wrapping, "wrap">,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string[]> {
  const names: string[] = [];
  let [waiting, size]: [Uint8Array[], number] = [[], 0];
  const flush = async () => {
    names.push(hexOf(await files.put(await wrap(new Uint8Array(Buffer.concat(waiting))))));
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

/** Gives what was stored in parts, each held against its hash. Errors: those of `FileStore.get`. */
export async function* readParts(
  files: Pick<FileStore, "get">,
  unwrap: Unwrapping,
  names: readonly string[],
): AsyncGenerator<Uint8Array, void> {
  for (const name of names) yield await unwrap(await files.get(bytesOf(name)));
}

/** Gives the lines of a text that comes in chunks. */
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
