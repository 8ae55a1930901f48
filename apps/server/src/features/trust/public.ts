/** The built-in PKI: one-time signer certificates, time-stamps, revocation, keys, print signatures. */
export { createTrust, type PublishedCrl, type Trust, type TrustPlatform } from "./create-trust.ts";
export type { KeptRevocation } from "./gather-long-term.ts";
export type { IssuedSigner } from "./issue-signer.ts";
export { replaceEndingAuthorities } from "./jobs.ts";
export { type KeyFacts, listKeys } from "./list-keys.ts";
export type { MadePurpose } from "./make-authority.ts";
export { PRINT_KEY_ID, signPrint, verifyPrintSignature } from "./print-signature.ts";
export {
  REVOCATION_REASONS,
  type RevocationFault,
  type RevocationWord,
  revokeIssued,
  timestampAuthoritiesUnder,
} from "./revoke-certificate.ts";
export { exportRootKey, importRootKey, removeRootKey, type RootKeyFault } from "./root-key-file.ts";
export { rotateAuthority } from "./rotate-authority.ts";
export { organisationSeal } from "./service-seal.ts";
export { signJws } from "./sign-jws.ts";
export { strangeAuthorities, warnOfStrangers } from "./strange-authorities.ts";
export { RevocationUnaskableError, TimestampUnavailableError } from "./timestamp-unavailable-error.ts";
export { retireAnchor } from "./tsa-anchors.ts";
