/** Prints: addresses that prove a document for as long as the paper lives. */
export { type EnvelopeProof, proveEnvelope } from "./prove-envelope.ts";
export { type OwnProof, ownProofs } from "./own-proofs.ts";
export { type Judgement, judgeProof } from "./domain/judge-proof.ts";
export { type JournalFindings, withJournal } from "./domain/with-journal.ts";
export { holdEnvelope } from "./hold-envelope.ts";
export { readWholeOf, type WholeEnvelope } from "./read-whole.ts";
export type { PrintDeps } from "./print-deps.ts";
export { printRoutes } from "./routes.ts";
export { proofSchemaRoutes } from "./proof-schema-routes.ts";
export { type ValidatedDocument, validateEnvelope, validateWhole } from "./validate-envelope.ts";
export { signatureRoutes } from "./signature-routes.ts";
