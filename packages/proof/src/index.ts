export * from "./parts.ts";
export { isSealCertificate, readSealKeys } from "./proof-file/check-seal.ts";
export { readCertificates } from "./proof-file/check-facts.ts";
export { verifyProof } from "./proof-file/verify-proof.ts";
export {
  type BroughtReport,
  type BroughtThings,
  verifyBrought,
} from "./proof-file/verify-brought.ts";
export { type ReceivedThings, type Trust, verifyReceived } from "./proof-file/verify-received.ts";
export { CHECK_NAMES } from "./proof-file/check-names.ts";
