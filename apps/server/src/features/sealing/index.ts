/** From the act of agreeing to the signature in the document. */
export { type ActContent, type KeptMark, keptMarkSchema } from "./act-content.ts";
export { certifiedAccountEmail } from "./certified-email.ts";
export { UnsoundSignatureError } from "./check-revision.ts";
export { type ActFacts, selectActs } from "./act-store.ts";
export { createSealing } from "./create-sealing.ts";
export type { SealingDeps } from "./deps.ts";
export { type IssuedSigner, TimestampUnavailableError } from "../trust/index.ts";
export { registerSealingJobs, sweepUnsealedActs } from "./jobs.ts";
export { readUnsealed } from "./read-unsealed.ts";
export { recordAct } from "./record-act.ts";
export { enqueueRenewals, hastenRenewalsOf, renewArchive, type RenewalOutcome } from "./renew-archive.ts";
export { type OwnSealed, type OwnSealing, type OwnSealingRecord, recordOwnSealings, sealOwn } from "./seal-own.ts";
export { sealFile } from "./seal-file.ts";
export { sealAct, type SealOutcome, sealWaitingAct, type WaitingAct } from "./seal-act.ts";
export { type ActMethod, findAct, type NewAct } from "./store.ts";
