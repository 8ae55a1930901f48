import type { Proof } from "@paraphe/contracts";
import { isEndLogged } from "@paraphe/proof/parts";
import { wasLeftOut } from "../../journal/public.ts";
import type { PrintDeps } from "./print-deps.ts";
import { isLogSound } from "./prove-inclusion.ts";
import type { WholeEnvelope } from "./read-whole.ts";

/**
 * An envelope's journal as the public page shows it. `isLogSound`: what is told of the log was recomputed and holds; `isLate`: the log should hold the
 * completion by now, and does not, or has it from long after.
 */
export type ProvenJournal = Pick<Proof, "chain" | "inclusion" | "completion_logged"> & {
  readonly isLogSound: boolean;
  readonly isLate: boolean;
};

/** The log takes what is new every hour; as long again for an authority that is away. Units: milliseconds. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

type JournalOf = Pick<WholeEnvelope, "id" | "chain" | "inclusion" | "facts">;

/** Gives an envelope's journal as it was recomputed, and checks what the public log proves of it. */
export async function proveJournal(deps: PrintDeps, whole: JournalOf): Promise<ProvenJournal> {
  return {
    chain: whole.chain,
    inclusion: whole.inclusion,
    completion_logged: isEndLogged(whole, whole.facts),
    isLogSound: whole.inclusion === null || (await isLogSound(deps, whole.inclusion)),
    isLate: await isLate(deps, whole),
  };
}

/**
 * A checkpoint takes all that was written before it: one that was made long after the completion, and does not cover it, was made while that journal was not there. A log that stood
 * still made none.
 */
async function isLate({ platform }: PrintDeps, { id, facts, inclusion }: JournalOf): Promise<boolean> {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null) return false;
  const limit = new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS);
  if (platform.clock() <= limit) return false;
  if (!isEndLogged({ inclusion }, { completedSequence })) return true;
  return wasLeftOut(platform.db, { envelopeId: id, sequence: completedSequence, after: limit });
}
