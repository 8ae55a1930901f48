/** Signing: guests by link and code, signed-in signers by session; the act of agreeing. */
export { createSigning, type SigningDeps } from "./create-signing.ts";
export { documentAccess } from "./document-access.ts";
export { registerSigningJobs } from "./jobs.ts";
export type { OwnPlacement } from "./domain/own-places.ts";
export { commitCompletedOwn, type CompletedDocument, completeOwnDocument, type OwnCompletion } from "./complete-own-document.ts";
export { noteMarkUse } from "./note-mark-use.ts";
export { type OwnDocument, type PlacedDocument, placeOwnDocument } from "./prepare-own-document.ts";
export { type MarkEvidence, type ReadMark, readMark } from "./read-mark.ts";
export { checkMark, signOwnDocument } from "./sign-own-document.ts";
export { signingRoutes } from "./routes.ts";
