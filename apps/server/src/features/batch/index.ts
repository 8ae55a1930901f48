/** Signing many documents of one's own at once. */
export { batchRoutes } from "./routes.ts";
export { type BatchDeps, createBatches } from "./create-batches.ts";
export { registerBatchJobs, resumeBatches } from "./register-jobs.ts";
export { eraseOwnedBatches } from "./remove-batch.ts";
export { listBatches, presentBatch, readBatch } from "./read-batches.ts";
