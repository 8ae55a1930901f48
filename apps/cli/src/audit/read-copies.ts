import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpoint, checkpointSchema } from "@paraphe/contracts";

/** `checkpoint`: null when the file holds none. */
export type CheckpointCopy = { readonly name: string; readonly checkpoint: Checkpoint | null };

/** Gives the checkpoints of a folder, by the names that the service gives them in a folder, in a mail and in an object store. */
export async function readCopies(folder: string): Promise<readonly CheckpointCopy[]> {
  const names = (await readdir(folder)).filter((name) => /^checkpoint-\d+(-[0-9a-f]{16})?\.json$/.test(name)).toSorted();
  const copies: CheckpointCopy[] = [];
  for (const name of names) copies.push({ name, checkpoint: readCheckpoint(await readFile(join(folder, name), "utf8")) });
  return copies;
}

function readCheckpoint(text: string): Checkpoint | null {
  try {
    return checkpointSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // What is no JSON is no checkpoint: said as such.
    return null;
  }
}
