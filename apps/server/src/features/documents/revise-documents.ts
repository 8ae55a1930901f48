import {
  type CorrectionAnswer,
  type FormAnswer,
  MAX_FIELDS,
  type Problem,
  type Result,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import type { FoundField } from "@paraphe/pades";
import { toBase64 } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import { isStorageFull } from "../../platform/error-code.ts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { FoundInFile } from "../../platform/pdf-sandbox/tasks.ts";
import {
  type Write,
  writeTogether,
  type WriteStep,
} from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type ReceivedDocument,
  type RevisionKind,
  type StoredDocument,
  type StoredFinding,
  unreadDetail,
} from "./domain/document.ts";
import { displayedPages, fileRefusal, refusalOver } from "./receive-document.ts";
import {
  type DocumentName,
  type DocumentToInsert,
  deleteDocumentRows,
  insertDocumentRows,
  insertUploadRow,
  lockBlobs,
  moveToRevisions,
  replaceOriginal,
  selectPrepared,
  type UploadRow,
  updateNames,
  updatePositions,
} from "./store.ts";

/**
 * Restores what a purge removed, and blocks removal until the transaction ends. `bytes` is null
 * where no file had them before.
 */
async function lockBytes(
  trx: Transaction,
  platform: Pick<Platform, "files">,
  files: readonly { readonly bytes: Uint8Array | null; readonly sha256: Uint8Array }[],
): Promise<void> {
  await lockBlobs(
    trx,
    files.map((file) => file.sha256),
    "share",
  );
  await restoreBytes(platform, files);
}

async function restoreBytes(
  platform: Pick<Platform, "files">,
  files: readonly { readonly bytes: Uint8Array | null; readonly sha256: Uint8Array }[],
): Promise<void> {
  for (const { bytes, sha256 } of files) {
    if (bytes !== null && (await platform.files.size(sha256)) !== bytes.length)
      await platform.files.put(bytes);
  }
}

/** The account's; `bytes` are stored already. */
export async function insertUpload(
  trx: Transaction,
  platform: Pick<Platform, "files">,
  { bytes, ...upload }: UploadRow & { readonly bytes: Uint8Array },
): Promise<void> {
  await lockBytes(trx, platform, [{ bytes, sha256: upload.sha256 }]);
  await insertUploadRow(trx, upload);
}

/** Makes bytes durable before a transaction refers to them. Errors: `storage_full`. */
export async function storeBytes(
  platform: Pick<Platform, "files">,
  files: readonly Uint8Array[],
): Promise<Result<readonly Uint8Array[]>> {
  try {
    return success(await Promise.all(files.map((bytes) => platform.files.put(bytes))));
  } catch (error) {
    if (isStorageFull(error)) return failure(problem("storage_full"));
    throw new Error("Files could not be stored", { cause: error });
  }
}

const LARGE_BYTES = 1_024 * 1_024;

/** Now: large files hasten full collections. Nobody may read them again. */
export function freeBytes(...files: readonly Uint8Array[]): void {
  for (const { buffer, length } of files)
    if (length >= LARGE_BYTES && buffer instanceof ArrayBuffer && buffer.byteLength === length)
      buffer.transfer(0);
}

/** A corrected copy whose bytes are stored and whose row is not written yet. */
export type NormalisedCopy = {
  readonly documentId: string;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
} & Partial<Pick<ReceivedDocument, "pages" | "control">>;

type DocumentToNormalise = Pick<
  StoredDocument,
  "id" | "name" | "original" | "control" | "normalisedAccepted"
> & { readonly member: string };

/**
 * Makes the corrected copies that are missing.
 * Errors, at `member`: a `pdf_*` refusal when a file cannot be corrected; `storage_full`.
 * Source: security §2, 'Contrôle du document'.
 */
export async function normaliseDocuments(
  platform: Pick<Platform, "files"> & PdfAccess,
  documents: readonly DocumentToNormalise[],
): Promise<Result<readonly NormalisedCopy[]>> {
  const copies: Omit<NormalisedCopy, "sha256">[] = [];
  for (const document of documents.filter(
    (one) => one.control.result === "fixable" && !one.normalisedAccepted,
  )) {
    const bytes = await normalise(platform, document);
    if (!bytes.ok) return bytes;
    copies.push({ documentId: document.id, bytes: bytes.value });
  }
  const stored = await storeBytes(
    platform,
    copies.map((copy) => copy.bytes),
  );
  if (!stored.ok) return stored;
  return success(
    copies.map((copy, index) => ({ ...copy, sha256: stored.value[index] as Uint8Array })),
  );
}

async function normalise(
  platform: Pick<Platform, "files"> & PdfAccess,
  document: DocumentToNormalise,
): Promise<Result<Uint8Array>> {
  try {
    const bytes = await platform.sandbox.call(
      "normalise",
      await platform.files.get(document.original.sha256),
    );
    // The copy passes the same checks as an upload.
    const { result } = await platform.sandbox.call("inspect", bytes);
    return result === "ok"
      ? success(bytes)
      : failure(fileRefusal(document.name, problem("pdf_damaged"), document.member));
  } catch (error) {
    const refusal = refusalOver(document.name, error, document.member);
    if (refusal === null) throw new Error("A document could not be normalised", { cause: error });
    return failure(refusal);
  }
}

type DocumentWithForm = {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly control: ReceivedDocument["control"];
  readonly accepted: boolean;
};
type FormRefusal = FormAnswer["documents"][number]["refused"];
export type FoundInDocument = {
  readonly refused: FormRefusal;
  readonly fields: readonly FoundField[];
  readonly findings: readonly { readonly code: string; readonly detail: string }[];
};

/**
 * The fields that a file's form and text tags would become.
 * Errors: a `pdf_*` refusal; `service_unavailable`.
 */
export async function findForm(
  platform: PdfAccess,
  document: DocumentWithForm,
): Promise<Result<FoundInDocument>> {
  if (isToAccept(document)) return success({ refused: "copy_to_accept", fields: [], findings: [] });
  return readingForm(document.name, async () => {
    const form = await platform.sandbox.call("findForm", document.bytes);
    const findings = unreadTags(form).map((one) => ({ code: one.code, detail: unreadDetail(one) }));
    return success({ refused: refusedForm(form), fields: form.fields, findings });
  });
}

export type TakenForm = {
  readonly copy: Omit<Required<NormalisedCopy>, "sha256">;
  readonly fields: readonly FoundField[];
};

/**
 * The same file without its form, and without its text tags if their sender consents.
 * Errors: `validation` when nothing can be used; a `pdf_*` refusal; `service_unavailable`.
 */
export async function takeForm(
  platform: Pick<Platform, "clock"> & PdfAccess,
  document: DocumentWithForm,
  { erasesTags, path }: { readonly erasesTags: boolean; readonly path: string },
): Promise<Result<TakenForm>> {
  const refuse = (...reasons: string[]) =>
    failure<Problem>(problem("validation", { errors: { [path]: reasons } }));
  if (isToAccept(document)) return refuse(FORM_REFUSALS.copy_to_accept);
  const read = async (): Promise<Result<TakenForm>> => {
    const options = { erasesTags, at: platform.clock() };
    const { form, ...taken } = await platform.sandbox.call("takeForm", document.bytes, options);
    const refused = refusedForm(form);
    if (refused !== null) return refuse(FORM_REFUSALS[refused]);
    const unread = unreadTags(form);
    if (form.fields.length === 0)
      return refuse("Ce document n’a pas de champ à utiliser", ...unread.map(unreadDetail));
    if (taken.inspection.result !== "ok")
      return failure(fileRefusal(document.name, problem("pdf_damaged"), path));
    const tags = erasesTags ? form.fields.filter(({ source }) => source === "tag").length : 0;
    const { result, findings } = controlWithoutForm(document.control, tags);
    const control = { result, findings: [...findings, ...unread] };
    const pages = displayedPages(taken.inspection);
    const copy = { documentId: document.id, bytes: taken.bytes, pages, control };
    return success({ copy, fields: form.fields });
  };
  return readingForm(document.name, read, path);
}

const isToAccept = ({ control, accepted }: DocumentWithForm): boolean =>
  control.result === "fixable" && !accepted;

const FORM_REFUSALS: Readonly<Record<NonNullable<FormRefusal>, string>> = {
  signed: "Ce document est déjà signé\u00a0: ses champs restent tels quels",
  copy_to_accept: "Acceptez d’abord la copie corrigée de ce document",
  too_many: `Ce document a plus de ${MAX_FIELDS} champs, le maximum d’une enveloppe`,
};

function unreadTags({ unread }: FoundInFile): readonly StoredFinding[] {
  return unread.count === 0 ? [] : [{ code: "tags_unread", ...unread }];
}

function refusedForm({ state, fields, isCut }: FoundInFile): FormRefusal {
  if (state === "signed") return "signed";
  return isCut || fields.length > MAX_FIELDS ? "too_many" : null;
}

function controlWithoutForm(
  { result, findings }: ReceivedDocument["control"],
  tags: number,
): ReceivedDocument["control"] {
  const of = new Set(["existing_form", "static_xfa", "form_values"]);
  return {
    result,
    findings: [
      ...findings.filter(({ code }) => !of.has(code)),
      { code: "form_used" },
      ...(tags > 0 ? [{ code: "tags_covered", count: tags }] : []),
    ],
  };
}

async function readingForm<T>(
  name: string,
  read: () => Promise<Result<T>>,
  member?: string,
): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    const refusal = refusalOver(name, error, member);
    if (refusal === null) throw new Error("A form could not be read", { cause: error });
    return failure(refusal);
  }
}

type Placement = { readonly envelopeId: string; readonly firstPosition: number };

/** `copies` were accepted: each replaces its upload as the original. */
type NewDocuments = Placement & {
  readonly documents: readonly ReceivedDocument[];
  readonly ids?: readonly string[];
  readonly copies?: readonly NormalisedCopy[];
};

type DocumentInsertion = {
  readonly documents: readonly StoredDocument[];
  readonly writes: readonly (Write | null)[];
};

/** Inserts stored documents; their bytes stay until the transaction ends. */
export function insertDocuments(
  platform: Pick<Platform, "newId" | "clock" | "files">,
  request: NewDocuments,
): DocumentInsertion {
  const copies = new Map((request.copies ?? []).map((copy) => [copy.documentId, copy]));
  const rows = request.documents.map((document, index) => ({
    id: request.ids?.[index] ?? platform.newId(),
    envelopeId: request.envelopeId,
    position: request.firstPosition + index,
    name: document.name,
    pageCount: document.pageCount,
    pages: document.pages,
    control: document.control,
    sha256: document.sha256,
    sizeBytes: document.bytes.length,
    createdAt: platform.clock(),
  }));
  const inserted = rows.map((row) => {
    const copy = copies.get(row.id);
    return copy === undefined
      ? row
      : { ...row, copy: { sha256: copy.sha256, sizeBytes: copy.bytes.length } };
  });
  const files = [...request.documents, ...copies.values()];
  const writes = insertDocumentRows(inserted, locked(platform, files));
  return { documents: inserted.map(storedDocument), writes };
}

function locked(platform: Pick<Platform, "files">, files: Parameters<typeof restoreBytes>[1]) {
  return { files, read: () => restoreBytes(platform, files) };
}

function storedDocument({ sha256, sizeBytes, copy, ...row }: DocumentToInsert): StoredDocument {
  const original = { number: 0, kind: "original", ...(copy ?? { sha256, sizeBytes }) } as const;
  return {
    ...row,
    normalisedAccepted: copy !== undefined,
    uploadedSha256: sha256,
    uploadedSizeBytes: sizeBytes,
    original,
    current: original,
  };
}

type NewCompletedDocument = {
  readonly envelopeId: string;
  readonly id: string;
  readonly document: ReceivedDocument;
  readonly copy: NormalisedCopy | null;
  readonly completed: {
    readonly sha256: Uint8Array;
    readonly sizeBytes: number;
    readonly recipientId: string;
  };
};

export function insertCompletedDocuments(
  platform: Pick<Platform, "clock" | "files">,
  list: readonly NewCompletedDocument[],
): readonly WriteStep[] {
  const createdAt = platform.clock();
  const files = list.flatMap(({ document, copy, completed }) => [
    document,
    ...(copy === null ? [] : [copy]),
    { ...completed, bytes: null },
  ]);
  const rows = list.map(({ envelopeId, id, document, copy, completed }) => ({
    id,
    envelopeId,
    position: 1,
    name: document.name,
    pageCount: document.pageCount,
    pages: document.pages,
    control: document.control,
    sha256: document.sha256,
    sizeBytes: document.bytes.length,
    ...(copy === null ? {} : { copy: { sha256: copy.sha256, sizeBytes: copy.bytes.length } }),
    completed,
    createdAt,
  }));
  return insertDocumentRows(rows, locked(platform, files));
}

type NewRevision = {
  readonly documentId: string;
  readonly previousNumber: number;
  readonly kind: Exclude<RevisionKind, "original">;
  /** `bytes` restores what a sweep may have removed. */
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly bytes?: Uint8Array;
  readonly recipientId: string | null;
};

/** The bytes extend a revision no longer current: they are made again. */
export class StaleRevisionError extends Error {
  override readonly name = "StaleRevisionError";
}

/**
 * Adds stored bytes; several of one document come in order.
 * Errors: the write throws `StaleRevisionError` when another came in between.
 */
export function addRevisions(
  platform: Pick<Platform, "clock" | "files">,
  revisions: readonly NewRevision[],
): Write {
  const createdAt = platform.clock();
  const rows = revisions.map(({ documentId, previousNumber, kind, sha256, ...revision }) => ({
    documentId,
    number: previousNumber + 1,
    kind,
    sha256,
    sizeBytes: revision.sizeBytes,
    recipientId: revision.recipientId,
    createdAt,
  }));
  const files = revisions.map(({ bytes = null, sha256 }) => ({ bytes, sha256 }));
  const read = async (moved: readonly unknown[]) => {
    if (moved.length !== rows.length)
      throw new StaleRevisionError("A document is not at its previous revision any more");
    await restoreBytes(platform, files);
  };
  return { ...moveToRevisions(rows), read };
}

/** Gives the files as they were sent; null where each is current. */
export async function returnToPrepared(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "files">,
  documents: readonly StoredDocument[],
): Promise<Write | null> {
  const prepared = await selectPrepared(
    trx,
    documents.map(({ id }) => id),
  );
  const revisions = documents.flatMap(({ id, current }) => {
    const file = prepared.get(id);
    const isThere = file === undefined || Buffer.compare(file.sha256, current.sha256) === 0;
    return isThere
      ? []
      : [
          {
            documentId: id,
            previousNumber: current.number,
            kind: "prepared" as const,
            ...file,
            recipientId: null,
          },
        ];
  });
  return revisions.length > 0 ? addRevisions(platform, revisions) : null;
}

export type DocumentsRevision = {
  readonly envelopeId: string;
  readonly remove: readonly string[];
  readonly order: readonly string[];
  readonly rename: readonly DocumentName[];
  readonly accept: readonly NormalisedCopy[];
  readonly add: readonly ReceivedDocument[];
};

/** Under the envelope's lock: removals, accepted copies, names, additions, order. */
export async function reviseDocuments(
  trx: Transaction,
  platform: Platform,
  revision: DocumentsRevision,
): Promise<void> {
  await deleteDocumentRows(trx, revision.remove);
  await lockBytes(trx, platform, revision.accept);
  for (const { bytes, ...copy } of revision.accept)
    await replaceOriginal(trx, { ...copy, sizeBytes: bytes.length });
  const { documents, writes } = insertDocuments(platform, {
    envelopeId: revision.envelopeId,
    firstPosition: revision.order.length + 1,
    documents: revision.add,
  });
  await writeTogether(trx, writes);
  await updateNames(trx, revision.rename);
  await updatePositions(trx, [...revision.order, ...documents.map(({ id }) => id)]);
}

type CopyToCompare = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly pageCount: number;
  readonly from: number;
  readonly member?: string;
};

/**
 * Compares displayed pages up to the first that differs.
 * Errors: a `pdf_*` refusal when the file cannot be corrected.
 */
export async function compareCopy(
  platform: PdfAccess,
  { name, bytes, pageCount, from, member }: CopyToCompare,
): Promise<Result<CorrectionAnswer>> {
  try {
    const { through, unread, difference } = await platform.sandbox.call("compareWithCopy", bytes, {
      pageCount,
      from,
    });
    return success({
      page_count: pageCount,
      next: through < pageCount ? through + 1 : null,
      unread: [...unread],
      difference: difference && {
        page: difference.pageNumber,
        place: difference.place,
        original: toBase64(difference.original),
        corrected: toBase64(difference.copy),
      },
    });
  } catch (error) {
    const refusal = refusalOver(name, error, member);
    if (refusal === null)
      throw new Error("A corrected copy could not be compared", { cause: error });
    return failure(refusal);
  }
}

/**
 * Compares every page.
 * Errors: `copy_differs` for a page that differs or cannot be drawn; those of `compareCopy`.
 */
export async function requireAlikeCopy(
  platform: PdfAccess,
  document: Omit<CopyToCompare, "from">,
): Promise<Result<null>> {
  for (let from: number | null = 1; from !== null; ) {
    const compared = await compareCopy(platform, { ...document, from });
    if (!compared.ok) return compared;
    const { next, unread, difference } = compared.value;
    const page = Math.min(...unread, difference?.page ?? Infinity);
    if (page !== Infinity)
      return failure(fileRefusal(document.name, problem("copy_differs", { params: { page } })));
    from = next;
  }
  return success(null);
}
