import { createHash } from "node:crypto";
import { sql } from "kysely";
import { createHashSet, isStillNeeded, NAMED_FILES, namesOf } from "./named-files.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const DAY_MS = 86_400_000;

/** Says whether files that nothing names are handed to the sweep, which starts from the database: it cannot know those that a restored one never heard of. */
export type OrphanRules = { readonly orphans: "list" | "sweep" };

/** Invariant 8: no file that no row names is older than a day. */
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
    // Stored again, or without its last row, since: the sweep leaves it alone for a day.
    const recent = platform.db
      .selectFrom("loose_files")
      .select("at")
      .where("sha256", "=", sha256)
      .where("at", ">", dayAgo);
    if ((await recent.executeTakeFirst()) !== undefined) continue;
    notes.fault(8, {
      subject: Buffer.from(sha256).toString("hex"),
      what: "un fichier que rien ne désigne a plus d’un jour",
    });
    if (orphans === "sweep")
      await sql`insert into loose_files (sha256, at) values (${sha256}, ${now}) on conflict do nothing`.execute(
        platform.db,
      );
  }
}

const OTHERS = NAMED_FILES.filter(({ table }) => table !== "document_revisions");

/** Invariant 2, of the files that are no revision of a document: templates, pictures of people, files that a batch has still to sign. */
export async function checkOtherFiles(
  { db, files }: StorePlatform,
  notes: StoreNotes,
): Promise<void> {
  for (const named of OTHERS)
    for await (const names of namesOf(db, named, "needed"))
      for (const sha256 of names) {
        notes.checked(2, 1);
        const subject = Buffer.from(sha256).toString("hex");
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
