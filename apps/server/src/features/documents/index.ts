/** The PDFs of envelopes: control at upload, revisions, files. */
export { type ArchivedText, archiveFiles } from "./archive-files.ts";
export { addRevision, type NewRevision, StaleRevisionError } from "./add-revision.ts";
export { dropBlobs } from "./drop-blobs.ts";
export { eraseDocuments } from "./erase-documents.ts";
export { documentsDigest } from "./documents-digest.ts";
export type { DocumentAccess, FileGrant, FileRequest } from "./domain/document-access.ts";
export {
  type DocumentControl,
  isSigned,
  type ReceivedDocument,
  type Revision,
  type RevisionKind,
  type StoredDocument,
} from "./domain/document.ts";
export { archiveNames, cleanFileName, type DownloadName, downloadName, renamedFile, slugify } from "./domain/file-name.ts";
export { insertCompletedDocuments } from "./insert-completed-documents.ts";
export { holdDocuments, insertDocuments, insertHeldDocuments } from "./insert-documents.ts";
export { registerDocumentJobs } from "./jobs.ts";
export type { StoredFile } from "./open-files.ts";
export { loadDocuments, loadDocumentsOf } from "./load-documents.ts";
export { compareCopy, requireAlikeCopy } from "./compare-copy.ts";
export { type NormalisedCopy, normaliseDocuments } from "./normalise-documents.ts";
export {
  type FieldToPrepare,
  pdfFieldName,
  pdfFieldPrefix,
  type PreparationRequest,
  type PreparedDocument,
  prepareRevision,
} from "./prepare-revision.ts";
export { coveredPagesOf, pageCovered, signatureState } from "./covered-pages.ts";
export { presentFindings } from "./domain/findings.ts";
export { type BytesToPrepare, ownFieldsToPrepare, prepareBytes } from "./prepare-bytes.ts";
export { refusalOver } from "./sandbox-refusal.ts";
export { presentDocument } from "./present-document.ts";
export { receiveDocument } from "./receive-document.ts";
export { type DocumentsRevision, reviseDocuments } from "./revise-documents.ts";
export { documentRoutes } from "./routes.ts";
export { type DocumentJson, documentsOf, lockBlobs, readDocument } from "./store.ts";
export { storeBytes } from "./store-bytes.ts";
export { sweepFiles } from "./sweep-files.ts";
