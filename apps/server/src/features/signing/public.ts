/** Signing: guests by link and code, signed-in signers by session; the act of agreeing. */
export { createBatches } from "./batch/create-batches.ts";
export { listBatches, presentBatch, readBatch } from "./batch/read-batches.ts";
export { resumeBatches } from "./batch/register-jobs.ts";
export { eraseOwnedBatches } from "./batch/remove-batch.ts";
export { createSigning } from "./create-signing.ts";
export { documentAccess } from "./document-access.ts";
export { eraseSavedSignatures } from "./marks/erase-saved-signatures.ts";
export { listSignatures } from "./marks/list-signatures.ts";
export { pictureOf } from "./marks/present-signature.ts";
export { type ActFacts, selectActs } from "./seal/act-store.ts";
export { createSealing } from "./seal/create-sealing.ts";
export type { SealingDeps } from "./seal/deps.ts";
export { sweepUnsealedActs } from "./seal/jobs.ts";
export { readUnsealed } from "./seal/read-unsealed.ts";
export { enqueueRenewals, hastenRenewalsOf } from "./seal/renew-archive.ts";
export { sealFile } from "./seal/seal-file.ts";
