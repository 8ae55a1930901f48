import type { Proof } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { eventFault, readStoredJournal } from "../audit/index.ts";
import { readInclusion, readLoggedHeads } from "../transparency/index.ts";

/** An envelope's journal as the public page shows it. */
export type ProvenJournal = Pick<Proof, "chain" | "inclusion">;

/**
 * Recomputes an envelope's journal from its first event, and holds it against the public log: an event that was edited, taken out or moved breaks the
 * chain; a chain that was made anew lacks a head that the log holds.
 */
export async function proveJournal(reader: Reader, envelopeId: string): Promise<ProvenJournal> {
  // Before the journal, which may grow meanwhile: whatever the log covers is then in it.
  const inclusion = await readInclusion(reader, envelopeId);
  const heads = await readLoggedHeads(reader, envelopeId);
  let [count, met, previous]: [number, number, Uint8Array | null] = [0, 0, null];
  for await (const event of readStoredJournal(reader, envelopeId)) {
    count += 1;
    const logged = heads.get(count);
    const isLogged = logged === undefined || logged === Buffer.from(event.hash).toString("hex");
    if (!isLogged || eventFault(event, { envelopeId, sequence: count, previous }) !== null)
      return { chain: { intact: false, count }, inclusion };
    previous = event.hash;
    if (logged !== undefined) met += 1;
  }
  return { chain: { intact: count > 0 && met === heads.size, count }, inclusion };
}
