import { createHashSet } from "./hash-set.ts";
import { NAMED_FILES, namesOf } from "./named-files.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const DAY_MS = 86_400_000;

/** Invariant 8: no file that no row names is older than a day. */
export async function checkOrphans(platform: StorePlatform, notes: StoreNotes): Promise<void> {
  const known = createHashSet();
  for (const named of NAMED_FILES)
    for await (const names of namesOf(platform.db, named, "all")) for (const sha256 of names) known.add(sha256);
  for await (const { sha256, writtenAt } of platform.files.list()) {
    notes.checked(8, 1);
    const isOld = platform.clock().getTime() - writtenAt.getTime() > DAY_MS;
    if (isOld && !known.has(sha256))
      notes.fault(8, { subject: Buffer.from(sha256).toString("hex"), what: "un fichier que rien ne désigne a plus d’un jour" });
  }
}
