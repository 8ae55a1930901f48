export * from "./parts.ts";
export {
  controlPdf,
  type RehearsalFailure,
  type RehearsalMeans,
  rehearse,
} from "./inspect/control-pdf.ts";
export { useLatinText } from "./pdf/byte-reader.ts";
export { inspectPdf, readAttachment } from "./inspect/inspect-pdf.ts";
export { findForm, takeForm } from "./inspect/take-form.ts";
export { normalisePdf } from "./inspect/control-pdf.ts";
export { prepareFields } from "./sign/prepare-fields.ts";
export { prepareSignature } from "./sign/prepare-signature.ts";
export { validate } from "./validate/validate.ts";
export { longTermNeeds } from "./sign/long-term.ts";
export {
  addSecurityStore,
  type DocumentTimestampOptions,
  prepareDocumentTimestamp,
} from "./sign/long-term.ts";
