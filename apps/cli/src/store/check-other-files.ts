import { createHash } from "node:crypto";
import { isStillNeeded, NAMED_FILES, namesOf } from "./named-files.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const OTHERS = NAMED_FILES.filter(({ table }) => table !== "document_revisions");

/** Invariant 2, of the files that are no revision of a document: templates, pictures of people, files that a batch has still to sign. */
export async function checkOtherFiles({ db, files }: StorePlatform, notes: StoreNotes): Promise<void> {
  for (const named of OTHERS)
    for await (const names of namesOf(db, named, "needed"))
      for (const sha256 of names) {
        notes.checked(2, 1);
        const subject = Buffer.from(sha256).toString("hex");
        try {
          const found = createHash("sha256")
            .update(await files.get(sha256))
            .digest("hex");
          if (found !== subject) notes.fault(2, { subject, what: `ce fichier a l’empreinte ${found}` });
        } catch (error) {
          const name = error instanceof Error ? error.name : "inconnu";
          if (await isStillNeeded(db, named, sha256)) notes.fault(2, { subject, what: `ce fichier ne peut pas être lu (${name})` });
        }
      }
}
