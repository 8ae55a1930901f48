/** Prints: addresses that prove a document for as long as the paper lives. */
export { type OwnProof, ownProofs } from "./own-proofs.ts";
export type { PrintDeps } from "./print-deps.ts";
export { printRoutes } from "./routes.ts";
export { signatureRoutes } from "./signature-routes.ts";
