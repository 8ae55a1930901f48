import type { JournalFacts } from "@paraphe/proof";
import type { Platform } from "../../../platform/platform.ts";
import type { StoredDocument } from "../../documents/public.ts";
import { readStoredJournal } from "../../journal/public.ts";
import { isNamedFile } from "./hold-envelope.ts";
import { factsOf } from "./read-whole.ts";
import { loadRevisionSizes } from "./store.ts";

/** `isServed`: the file may be shown; `facts`: what the journal says, null where there is none. */
export type ServedFile = { readonly isServed: boolean; readonly facts: JournalFacts | null };

/**
 * Says whether a signed file may be shown: the one that the journal last names for its document and, where it was named anew after its envelope was completed,
 * grown from the one that was signed. Throws what the file store does.
 */
export async function readServed(
  platform: Pick<Platform, "db" | "files">,
  { envelopeId, document }: { readonly envelopeId: string; readonly document: StoredDocument },
): Promise<ServedFile> {
  const events = await Array.fromAsync(readStoredJournal(platform.db, envelopeId));
  // No journal at all is its own fault, not a file's.
  if (events.length === 0) return { isServed: true, facts: null };
  const facts = factsOf(events);
  const isRenewed = events.some(({ action }) => action === "archive_renewed");
  const ends = isRenewed ? await loadRevisionSizes(platform.db, document.id) : [];
  const bytes = isRenewed ? await platform.files.get(document.current.sha256) : new Uint8Array();
  const files = new Map(isRenewed ? facts.files : [[document.id, (facts.files.get(document.id) ?? []).slice(-1)]]);
  return { isServed: isNamedFile({ ...facts, files }, { document, bytes, ends }), facts };
}
