import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import { createHashSet, isStillNeeded, NAMED_FILES, namesOf } from "./named-files.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const DAY_MS = 86_400_000;

/** Orphans are handed to the sweep, which cannot find them in a restored database. */
export type OrphanRules = { readonly orphans: "list" | "sweep" };

/** Invariant 8: files without row are at most a day old. */
export async function checkOrphans(
  platform: StorePlatform,
  notes: StoreNotes,
  { orphans }: OrphanRules,
): Promise<void> {
  const now = platform.clock();
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const known = createHashSet();
  for (const named of NAMED_FILES)
    for await (const names of namesOf(platform.db, named, "all"))
      for (const sha256 of names) known.add(sha256);
  for await (const { sha256, writtenAt } of platform.files.list()) {
    notes.checked(8, 1);
    if (writtenAt >= dayAgo || known.has(sha256)) continue;
    // The sweep spares files stored, or orphaned, within a day.
    const recent = platform.db
      .selectFrom("loose_files")
      .select("at")
      .where("sha256", "=", sha256)
      .where("at", ">", dayAgo);
    if ((await recent.executeTakeFirst()) !== undefined) continue;
    notes.fault(8, {
      subject: toHex(sha256),
      what: "un fichier que rien ne désigne a plus d’un jour",
    });
    if (orphans === "sweep")
      await sql`insert into loose_files (sha256, at) values (${sha256}, ${now}) on conflict do nothing`.execute(
        platform.db,
      );
  }
}

const OTHERS = NAMED_FILES.filter(({ table }) => table !== "document_revisions");

/** Invariant 2 outside revisions: templates, avatars, waiting batch files. */
export async function checkOtherFiles(
  { db, files }: StorePlatform,
  notes: StoreNotes,
): Promise<void> {
  for (const named of OTHERS)
    for await (const names of namesOf(db, named, "needed"))
      for (const sha256 of names) {
        notes.checked(2, 1);
        const subject = toHex(sha256);
        try {
          const found = createHash("sha256")
            .update(await files.get(sha256))
            .digest("hex");
          if (found !== subject)
            notes.fault(2, { subject, what: `ce fichier a l’empreinte ${found}` });
        } catch (error) {
          const name = error instanceof Error ? error.name : "inconnu";
          if (await isStillNeeded(db, named, sha256))
            notes.fault(2, { subject, what: `ce fichier ne peut pas être lu (${name})` });
        }
      }
}
