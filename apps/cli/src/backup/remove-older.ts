import { createHashSet } from "../store/hash-set.ts";
import type { BackupTarget } from "./backup-target.ts";
import { NOTHING } from "./envelope.ts";
import { forgetBackup, listBackups, readManifest } from "./manifest.ts";
import { bytesOf, linesOf, readParts } from "./parts.ts";

/**
 * Leaves the last backups of a place, so many, and removes the others, those that were cut short before them too, with every file that none of those left names.
 * Called by whoever holds the service's backups alone. Cut in the middle, it leaves files too many. Gives how many backups it removed.
 */
export async function removeOlder(target: BackupTarget, left: number): Promise<number> {
  const { whole, cut } = await listBackups(target);
  const kept = whole.slice(-left);
  const named = createHashSet();
  for (const id of kept) {
    const { database, list } = await readManifest(target, id);
    for (const part of [...database.parts, ...list.parts]) named.add(bytesOf(part));
    for await (const line of linesOf(readParts(target.files, NOTHING.unwrap, list.parts))) named.add(bytesOf(line.slice(65)));
  }
  const removed = [...whole, ...cut].filter((id) => !kept.includes(id));
  // The manifests first: a backup without a file would be worse than a file without a backup.
  for (const id of removed) await forgetBackup(target, id);
  for await (const { sha256 } of target.stored()) if (!named.has(sha256)) await target.files.remove(sha256);
  return removed.length;
}
