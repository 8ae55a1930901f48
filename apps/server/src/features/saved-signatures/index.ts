/** Saved signatures: the marks that an account keeps, and the reading of those made for this once. */
export { eraseSavedSignatures } from "./erase-saved-signatures.ts";
export { listSignatures } from "./list-signatures.ts";
export { pictureOf, presentSignature } from "./present-signature.ts";
export { readNewMark } from "./read-new-mark.ts";
export { savedSignatureRoutes } from "./routes.ts";
export { findSavedSignature, noteSignatureUse } from "./use-signature.ts";
