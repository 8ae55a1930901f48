/**
 * The built-in PKI: one-time signer certificates, time-stamps, revocation, keys, print signatures.
 */
export {
  createTrust,
  type PublishedCrl,
  type SeenLists,
  type Trust,
  type TrustPlatform,
} from "./create-trust.ts";
export type { StoredRevocation } from "./gather-long-term.ts";
export type { IssuedSigner } from "./issue-signer.ts";
export {
  type KeyFacts,
  listKeys,
  checkAuthorityRows,
  warnOfForeignAuthorities,
} from "./rotate-authority.ts";
export type { MadePurpose } from "./make-authority.ts";
export { organisationSeal, PRINT_KEY_ID, signPrint, verifyPrintSignature } from "./service-seal.ts";
export {
  REVOCATION_REASONS,
  type RevocationFault,
  type RevocationWord,
  revokeIssued,
  rotateAuthority,
  timestampAuthoritiesUnder,
} from "./rotate-authority.ts";
export {
  exportRootKey,
  importRootKey,
  removeRootKey,
  type RootKeyFault,
} from "./rotate-authority.ts";
export { signJws } from "./service-seal.ts";
export {
  retireAnchor,
  RevocationUnaskableError,
  TimestampUnavailableError,
} from "./timestamp-authorities.ts";
export { loadIssuedCertificates, loadStatuses } from "./store.ts";
