import type { Proof } from "@paraphe/contracts";
import type { PrintDeps } from "./print-deps.ts";
import { isLogSound } from "./prove-inclusion.ts";
import type { WholeEnvelope } from "./read-whole.ts";

/**
 * An envelope's journal as the public page shows it. `isLogSound`: what is told of the log was recomputed and holds; `isLate`: the log should hold the
 * completion by now, and does not.
 */
export type ProvenJournal = Pick<Proof, "chain" | "inclusion"> & { readonly isLogSound: boolean; readonly isLate: boolean };

/** The log takes what is new every hour; as long again for an authority that is away. Units: milliseconds. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

type JournalOf = Pick<WholeEnvelope, "chain" | "inclusion" | "facts">;

/** Gives an envelope's journal as it was recomputed, and checks what the public log proves of it. */
export async function proveJournal(deps: PrintDeps, whole: JournalOf): Promise<ProvenJournal> {
  return {
    chain: whole.chain,
    inclusion: whole.inclusion,
    isLogSound: whole.inclusion === null || (await isLogSound(deps, whole.inclusion)),
    isLate: isLate(whole, deps.platform.clock()),
  };
}

function isLate({ facts, inclusion }: JournalOf, now: Date): boolean {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null || now.getTime() - Date.parse(completedAt) <= LOGGED_WITHIN_MS) return false;
  return inclusion === null || inclusion.entry.sequence < completedSequence;
}
