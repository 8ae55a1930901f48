export { ownProofs } from "./prints/own-proofs.ts";
export type { PrintDeps } from "./prints/read-record.ts";
