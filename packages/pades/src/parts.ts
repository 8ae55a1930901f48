/** Certificates, revocation, time-stamps and CMS, without any PDF or PDF library. */
export { ecdsaDerToRaw, ecdsaRawToDer } from "./asn1/der-reader.ts";
export { type NamedAnnotation, PadesError, type PadesErrorCode } from "./pades-error.ts";
export type { Deflate, RevocationSource, Sha256, Signer, TimestampAuthority } from "./ports.ts";
export { completeSignature, createSignature } from "./sign/create-signature.ts";
export {
  answerTimestampRequest,
  createTimestampRequest,
  parseTimestampResponse,
} from "./tsp/timestamp.ts";
export {
  createTimestampToken,
  isStrictToken,
  type TimestampFacts,
  type TimestampRequest,
  type TimestampTokenOptions,
  verifyTimestampToken,
} from "./tsp/timestamp.ts";
export { type Crl, createCrl, parseCrl } from "./x509/ocsp.ts";
export {
  createRoot,
  issueCertificate,
  keyIdentifier,
  positiveSerialNumber,
} from "./x509/certificate.ts";
export {
  createOcspCertId,
  createOcspRefusal,
  createOcspRequest,
  createOcspResponse,
  type OcspResponse,
  parseOcspRequest,
  parseOcspResponse,
} from "./x509/ocsp.ts";
export { parseCertificate } from "./x509/certificate.ts";
export type {
  AlgorithmIdentifier,
  Certificate,
  CertificateProfile,
  CertificateRequest,
  CrlRequest,
  DistinguishedName,
  Issuer,
  IssuerAddresses,
  OcspAnswer,
  OcspCertId,
  OcspRequest,
  OcspStatus,
  RevocationReason,
  RevokedCertificate,
} from "./x509/types.ts";
export { webCryptoSigner } from "./x509/types.ts";
export {
  type OverfullPage,
  overfullPages,
  type PlannedFields,
  type SignatureState,
} from "./sign/plan-fields.ts";
export { signatureFieldName } from "./sign/plan-fields.ts";
export { type CertificateReport, validateCertificate } from "./validate/validate-certificate.ts";
export type {
  FieldPlacement,
  FieldType,
  Finding,
  FindingCode,
  Fonts,
  FoundField,
  FoundForm,
  HandName,
  Mark,
  OwnField,
  PageGeometry,
  PdfInspection,
  PreparedSignature,
  PrepareFieldsOptions,
  PrepareSignatureOptions,
  StrokePoint,
  TagCover,
} from "./pdf/types.ts";
export type {
  CertificateFacts,
  Check,
  CheckName,
  Evidence,
  FileProblem,
  Indication,
  LaterChanges,
  PadesLevel,
  RevocationFacts,
  SignatureReport,
  SignatureWarning,
  SubIndication,
  TimestampReport,
  TrustAnchors,
  ValidationPolicy,
  ValidationReport,
} from "./validate/types.ts";
export type { CoveredPage } from "./validate/types.ts";
export type { LongTermData } from "./sign/long-term.ts";
export type { LongTermNeeds } from "./sign/long-term.ts";
