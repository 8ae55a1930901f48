import type { Inclusion, Proof } from "@paraphe/contracts";
import { isEndLogged, verifyInclusion, verifyTrustedCheckpoint } from "@paraphe/proof/parts";
import { leafOf, wasLeftOut } from "../../journal/public.ts";
import type { PrintDeps } from "./print-deps.ts";
import { type EnvelopeRecord, presentChain } from "./read-record.ts";

/**
 * Says whether an inclusion proves what it says: its entry leads to the checkpoint's root, signed
 * by a seal of this service that was not revoked, at a time that a known authority vouches for.
 * Source: RFC 9162 §2.1.3.2.
 */
export async function isLogSound(
  deps: PrintDeps,
  { entry, leaf_index, size, path, checkpoint }: Inclusion,
): Promise<boolean> {
  const isIncluded =
    size === checkpoint.size &&
    verifyInclusion({
      leafHash: leafOf(entry),
      leafIndex: leaf_index,
      size,
      path: path.map(fromHex),
      root: fromHex(checkpoint.root),
    });
  return isIncluded && (await isCheckpointOurs(deps, checkpoint));
}

async function isCheckpointOurs(
  { platform, trust }: PrintDeps,
  checkpoint: Inclusion["checkpoint"],
): Promise<boolean> {
  const verdict = await verifyTrustedCheckpoint(checkpoint, {
    evidence: await trust.currentEvidence(),
    now: platform.clock(),
  });
  // The seal says whose log it is. The name in the checkpoint may be a former address of the service.
  if (!verdict.ok) return false;
  return (await trust.seals()).some((der) => Buffer.compare(der, verdict.facts.seal.der) === 0);
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}

/**
 * A journal as the public page shows it. `isLogSound`: what is told of the log was recomputed and
 * holds; `isLate`: the log lacks the completion, or has it from long after.
 */
type ProvenJournal = Pick<Proof, "chain" | "inclusion" | "completion_logged"> & {
  readonly isLogSound: boolean;
  readonly isLate: boolean;
};

/** The log takes what is new every hour; as long again for an authority that is away. Units: milliseconds. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

export async function proveJournal(
  deps: PrintDeps,
  record: EnvelopeRecord,
): Promise<ProvenJournal> {
  return {
    chain: presentChain(record.chain),
    inclusion: record.inclusion,
    completion_logged: isEndLogged(record, record.facts),
    isLogSound: record.inclusion === null || (await isLogSound(deps, record.inclusion)),
    isLate: await isLate(deps, record),
  };
}

/**
 * A checkpoint takes all that was written before it: one made long after the completion that does
 * not cover it was made while that journal was not there. A log that stood still made none.
 */
async function isLate(
  { platform }: PrintDeps,
  { id, facts, inclusion }: EnvelopeRecord,
): Promise<boolean> {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null) return false;
  const limit = new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS);
  if (platform.clock() <= limit) return false;
  if (!isEndLogged({ inclusion }, { completedSequence })) return true;
  return wasLeftOut(platform.db, { envelopeId: id, sequence: completedSequence, after: limit });
}
