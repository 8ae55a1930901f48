/** What proofs and journals are checked with, but for the files: reads no PDF, and loads no library that does. */
export { HASH_BYTES, leafHash, nodeHash } from "./merkle/hashes.ts";
export { consistencyPath, consistencyRanges } from "./merkle/consistency-path.ts";
export { inclusionPath, inclusionRanges } from "./merkle/inclusion-path.ts";
export { createTree, type Tree, type TreeNode } from "./merkle/tree.ts";
export { hashOfRange, type LeafRange, type Subtree, subtreesOf } from "./merkle/subtrees.ts";
export { rootOf } from "./merkle/root-of.ts";
export { type ConsistencyClaim, verifyConsistency } from "./merkle/verify-consistency.ts";
export { type InclusionClaim, verifyInclusion } from "./merkle/verify-inclusion.ts";
export {
  HASH_PREFIX_BYTES,
  readStatement,
  type SignedStatement,
  signStatement,
  type Statement,
  type StatementKey,
  verifyStatement,
} from "./statement/statement.ts";
export {
  type CheckpointFacts,
  type CheckpointFault,
  type CheckpointVerdict,
  verifyCheckpoint,
} from "./checkpoint/verify-checkpoint.ts";
export { logEvidence, type TrustedCheckpointVerdict, verifyTrustedCheckpoint } from "./checkpoint/verify-trusted-checkpoint.ts";
export { canonicalJson } from "./canonical-json.ts";
export { isEndLogged } from "./proof-file/check-facts.ts";
export {
  type Channel,
  type Contact,
  type FactEvent,
  type JournalFacts,
  type JournalSignature,
  lastFileOf,
  type Reach,
  type Sent,
  signaturesOf,
} from "./journal/journal-facts.ts";
export { confirmedContacts, readReaches } from "./journal/read-reaches.ts";
export { readJournalFacts } from "./journal/read-journal-facts.ts";
export { type HeldFile, holdFile, isFileNamed, type NamedSignature } from "./journal/hold-file.ts";
export { type ClaimedPrint, holdPrint } from "./journal/hold-print.ts";
export { type EnvelopeClaims, holdRows } from "./journal/hold-rows.ts";
export { CLOCK_MARGIN_MS, isNear } from "./journal/is-near.ts";
export { isNamed } from "./journal/is-named.ts";
export type { BroughtFile, CheckState, ProofCheck, ProofCheckName, ProofReport, ProofRequest, RootFacts } from "./proof-file/types.ts";
