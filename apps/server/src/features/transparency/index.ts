/** The transparency log: the heads of the journals in a Merkle tree, signed, time-stamped and public. */
export { CHECKPOINT_JOB, requestCheckpoint } from "./request-checkpoint.ts";
export { createTransparency, type Transparency } from "./create-transparency.ts";
export { registerTransparencyJobs } from "./jobs.ts";
export { type CopyProgress, readCopyProgress } from "./copy-progress.ts";
export { readLogHealth } from "./read-log-health.ts";
export { checkpointFileName } from "./folder-place.ts";
export { leafOf } from "./leaf-of.ts";
export { makeCheckpoint } from "./make-checkpoint.ts";
export { presentCheckpoint } from "./present-checkpoint.ts";
export { readInclusion, readLoggedHeads, wasLeftOut } from "./read-inclusion.ts";
export { transparencyRoutes } from "./routes.ts";
