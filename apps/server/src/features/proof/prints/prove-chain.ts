import type { Inclusion, Proof } from "@paraphe/contracts";
import { eventFault, type StoredEvent } from "../../journal/public.ts";

export type StoredChain = {
  readonly id: string;
  readonly events: readonly StoredEvent[];
  readonly inclusion: Inclusion | null;
  /** Heads that the log holds (hex), by the number of their event. */
  readonly heads: ReadonlyMap<number, string>;
};

/**
 * Recomputes an envelope's journal from its first event, and holds it against the public log: an event that was edited, taken out or moved breaks the
 * chain; a chain that was made anew lacks a head that the log holds.
 */
export function proveChain({ id, events, inclusion, heads }: StoredChain): Proof["chain"] {
  let [met, previous]: [number, Uint8Array | null] = [0, null];
  for (const [index, event] of events.entries()) {
    const sequence = index + 1;
    const logged = heads.get(sequence);
    const head = Buffer.from(event.hash).toString("hex");
    const isLogged = (logged ?? head) === head && (inclusion?.entry.sequence !== sequence || inclusion.entry.head === head);
    if (!isLogged || eventFault(event, { envelopeId: id, sequence, previous }) !== null) return { intact: false, count: sequence };
    previous = event.hash;
    if (logged !== undefined) met += 1;
  }
  return { intact: events.length > 0 && met === heads.size, count: events.length };
}
