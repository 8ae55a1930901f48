import type { Reader } from "../../platform/database/database.ts";
import { readStoredJournal } from "../audit/index.ts";

/** Says whether a journal names this file for this document. */
export type NamedFiles = (documentId: string, sha256: Uint8Array) => boolean;

/** Events that say which file a document has become: `{document}:{SHA-256}`, in `documents` or `document`. */
const NAMING: ReadonlySet<string> = new Set(["recipient_signed", "envelope_completed", "archive_renewed"]);

/**
 * Gives the files that an envelope's journal names: a row that leads to another sound file, of another document of the same people too, is seen.
 * An earlier file of the same document is named as well; whose signatures it lacks is found by counting them.
 */
export async function namedFiles(reader: Reader, envelopeId: string): Promise<NamedFiles> {
  const named = new Set<unknown>();
  let isEmpty = true;
  for await (const { action, detail } of readStoredJournal(reader, envelopeId)) {
    isEmpty = false;
    if (NAMING.has(action)) for (const file of [detail["documents"], detail["document"]].flat()) named.add(file);
  }
  // No journal at all is its own fault, not a file's.
  if (isEmpty) return () => true;
  return (documentId, sha256) => named.has(`${documentId}:${Buffer.from(sha256).toString("hex")}`);
}
