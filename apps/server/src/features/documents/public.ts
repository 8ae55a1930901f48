/** The PDFs of envelopes: control at upload, revisions, files. */
export {
  addRevisions,
  findForm,
  type FoundInDocument,
  takeForm,
  type TakenForm,
  type DocumentsRevision,
  insertCompletedDocuments,
  insertDocuments,
  type NormalisedCopy,
  normaliseDocuments,
  returnToPrepared,
  reviseDocuments,
  StaleRevisionError,
  freeBytes,
  insertUpload,
  storeBytes,
} from "./revise-documents.ts";
export { archiveFiles, type StoredFile } from "./open-files.ts";
export {
  deleteUploads,
  type DocumentJson,
  documentsOf,
  loadDocumentsOf,
  lockBlobs,
  readDocument,
  returnToOriginal,
  selectUploads,
} from "./store.ts";
export { compareCopy, requireAlikeCopy } from "./revise-documents.ts";
export {
  type FieldToPrepare,
  ownFieldsToPrepare,
  prepareBytes,
  type PreparedDocument,
  prepareRevision,
} from "./prepare-revision.ts";
export { pdfFieldName } from "./domain/document.ts";
export { pdfFieldPrefix } from "./domain/document.ts";
export {
  coveredPagesOf,
  documentsDigest,
  pageCovered,
  presentDocument,
  presentFindings,
  signatureState,
} from "./present-document.ts";
export {
  archiveNames,
  cleanFileName,
  type DocumentAccess,
  downloadName,
  isSigned,
  type ReceivedDocument,
  renamedFile,
  type Revision,
  slugify,
  type StoredDocument,
} from "./domain/document.ts";
export { dropBlobs, eraseDocuments } from "./jobs.ts";
export {
  pdfAccess,
  receiveDocument,
  type Rehearsal,
  receiveFiles,
  refusalOver,
  type UploadedFile,
} from "./receive-document.ts";
