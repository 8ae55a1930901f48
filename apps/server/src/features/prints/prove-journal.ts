import type { Proof } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { eventFault, readStoredJournal } from "../audit/index.ts";
import { readInclusion } from "../transparency/index.ts";

/** An envelope's journal as the public page shows it. */
export type ProvenJournal = Pick<Proof, "chain" | "inclusion">;

/**
 * Recomputes an envelope's journal from its first event, and holds it against the public log: an event that was edited, taken out or moved breaks the
 * chain; a chain that was made anew has not the head that the log covers.
 */
export async function proveJournal(reader: Reader, envelopeId: string): Promise<ProvenJournal> {
  // Before the journal, which may grow meanwhile: whatever the log covers is then in it.
  const inclusion = await readInclusion(reader, envelopeId);
  let [count, previous, isLogged]: [number, Uint8Array | null, boolean] = [0, null, inclusion === null];
  for await (const event of readStoredJournal(reader, envelopeId)) {
    count += 1;
    if (eventFault(event, { envelopeId, sequence: count, previous }) !== null) return { chain: { intact: false, count }, inclusion };
    previous = event.hash;
    if (count === inclusion?.entry.sequence) isLogged = Buffer.from(event.hash).toString("hex") === inclusion.entry.head;
  }
  return { chain: { intact: count > 0 && isLogged, count }, inclusion };
}
