/** What proofs and journals are checked with, but for the files: reads no PDF, and loads no library that does. */
export {
  consistencyPath,
  consistencyRanges,
  createTree,
  HASH_BYTES,
  hashOfRange,
  inclusionPath,
  inclusionRanges,
  leafHash,
  type LeafRange,
  nodeHash,
  rootOf,
  type Subtree,
  subtreesOf,
  type Tree,
  type TreeNode,
} from "./merkle/tree.ts";
export {
  type ConsistencyClaim,
  type InclusionClaim,
  verifyConsistency,
  verifyInclusion,
} from "./merkle/verify-inclusion.ts";
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
export {
  logEvidence,
  type TrustedCheckpointVerdict,
  verifyTrustedCheckpoint,
} from "./checkpoint/verify-trusted-checkpoint.ts";
export { isEndLogged } from "./proof-file/check-facts.ts";
export {
  type Channel,
  CLOCK_MARGIN_MS,
  type Contact,
  type FactEvent,
  isNamed,
  isNear,
  type JournalFacts,
  type JournalSignature,
  lastFileOf,
  type Reach,
  type Sent,
  signaturesOf,
} from "./journal/journal-facts.ts";
export { confirmedContacts, readReaches } from "./journal/read-reaches.ts";
export { readJournalFacts } from "./journal/read-journal-facts.ts";
export {
  type ClaimedPrint,
  type EnvelopeClaims,
  type HeldFile,
  holdFile,
  holdPrint,
  holdRows,
  isFileNamed,
  type NamedSignature,
} from "./journal/hold-rows.ts";
export type {
  BroughtFile,
  CheckState,
  ProofCheck,
  ProofCheckName,
  ProofReport,
  ProofRequest,
  RootFacts,
} from "./proof-file/types.ts";
