/** Signing: guests by link and code, signed-in signers by session; the consent. */
export { createBatches } from "./batch/create-batches.ts";
export { listBatches, presentBatch, readBatch } from "./batch/read-batches.ts";
export { resumeBatches } from "./batch/jobs.ts";
export { eraseOwnedBatches } from "./batch/change-batch.ts";
export { createSigning } from "./seal/create-sealing.ts";
export { documentAccess } from "./guest-access.ts";
export { eraseSavedSignatures, listSignatures, pictureOf } from "./marks/saved-signatures.ts";
export { createSealing, type SealingDeps } from "./seal/create-sealing.ts";
export { sweepUnsealedActs } from "./seal/jobs.ts";
export { readUnsealed } from "./seal/seal-act.ts";
export { hastenRenewalsOf } from "./seal/archive-revision.ts";
export { sealFile } from "./seal/sign-document.ts";
