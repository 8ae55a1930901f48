/** The PDFs of envelopes: control at upload, revisions, files. */
export {
  addRevision,
  type DocumentsRevision,
  holdDocuments,
  insertCompletedDocuments,
  insertDocuments,
  insertHeldDocuments,
  type NormalisedCopy,
  normaliseDocuments,
  reviseDocuments,
  StaleRevisionError,
  storeBytes,
} from "./revise-documents.ts";
export { archiveFiles, loadDocuments, loadDocumentsOf, type StoredFile } from "./open-files.ts";
export { compareCopy, requireAlikeCopy } from "./compare-copy.ts";
export {
  coveredPagesOf,
  type FieldToPrepare,
  ownFieldsToPrepare,
  pageCovered,
  pdfFieldName,
  pdfFieldPrefix,
  prepareBytes,
  type PreparedDocument,
  prepareRevision,
  signatureState,
} from "./prepare-revision.ts";
export { documentsDigest, presentDocument } from "./present-document.ts";
export {
  type DocumentAccess,
  isSigned,
  type ReceivedDocument,
  type Revision,
  type StoredDocument,
} from "./domain/document.ts";
export {
  archiveNames,
  cleanFileName,
  downloadName,
  renamedFile,
  slugify,
} from "./domain/file-name.ts";
export { presentFindings } from "./domain/findings.ts";
export { dropBlobs, eraseDocuments } from "./jobs.ts";
export { receiveDocument, refusalOver } from "./receive-document.ts";
export { type DocumentJson, documentsOf, lockBlobs, readDocument } from "./store.ts";
export { sweepFiles } from "./remove-files.ts";
