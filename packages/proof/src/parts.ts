/** Verification of proofs and journals without PDF code, for pages that must stay small. */
export {
  consistencyRanges,
  createTree,
  hashOfRange,
  inclusionRanges,
  leafHash,
  type LeafRange,
  rootOf,
  type Subtree,
  subtreesOf,
  type TreeNode,
} from "./merkle/tree.ts";
export {
  verifyConsistency,
  verifyInclusion,
} from "./merkle/tree.ts";
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
  type EnvelopeState,
  fileOf,
  isBetween,
  isNear,
  type JournalConsent,
  type JournalDelegate,
  type JournalFacts,
  type JournalParty,
  type JournalSignature,
  type JournalVisa,
  lastFileOf,
  readJournal,
  signerInWords,
  visasOf,
} from "./journal.ts";
export {
  type Channel,
  confirmedContacts,
  type Contact,
  type FactEvent,
  type Reach,
  readReaches,
  textsIn,
  type Sent,
  type SessionReach,
  type VouchedReach,
} from "./reaches.ts";
export {
  isFileNamed,
  type MatchedFile,
  matchFile,
  type NamedSignature,
  serialNumber,
} from "./match-file.ts";
export type {
  GivenFile,
  CheckState,
  ProofCheck,
  ProofCheckName,
  ProofReport,
  ProofRequest,
  RootFacts,
} from "./proof-file/types.ts";
