export { ownProofs } from "./prints/seal-proof.ts";
export type { PrintDeps } from "./prints/read-record.ts";
export { passPrints } from "./prints/store.ts";
