export * from "./parts.ts";
export { isSealCertificate, readSealKeys } from "./proof-file/check-seal.ts";
export { readCertificates } from "./proof-file/check-facts.ts";
export { verifyProof } from "./proof-file/verify-proof.ts";
export {
  type OfflineReport,
  type OfflineInput,
  verifyOffline,
} from "./proof-file/verify-offline.ts";
export {
  attachedProof,
  type ReceivedInput,
  type Trust,
  verifyReceived,
} from "./proof-file/verify-offline.ts";
export { CHECK_NAMES, PAGES_UNCHECKED } from "./proof-file/types.ts";
