import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { EnvelopeFacts } from "./domain/document-access.ts";
import { isSigned, type Revision, type StoredDocument } from "./domain/document.ts";
import { archiveNames, downloadName } from "./domain/file-name.ts";
import { loadDocuments } from "./load-documents.ts";

/** `original`: as uploaded; `signed`: with every signature so far; `current`: signed if any signature is there, as prepared otherwise. */
export type FileSelection = { readonly which: "original" | "signed" | "current"; readonly documentId: string | null };

export type StoredFile = { readonly name: string; readonly sha256: Uint8Array; readonly sizeBytes: number };
/** What to send: one PDF, or an archive of several. */
export type OpenedFiles =
  | { readonly kind: "pdf"; readonly file: StoredFile }
  | { readonly kind: "archive"; readonly name: string; readonly files: readonly StoredFile[] };

/**
 * Chooses the files that an address stands for: the one document asked for, or all of them.
 * Errors: `not_found` for a document of another envelope, or a signed file where nothing is signed yet.
 */
export async function openFiles(
  platform: Pick<Platform, "db">,
  facts: EnvelopeFacts,
  selection: FileSelection,
): Promise<Result<OpenedFiles>> {
  const all = await loadDocuments(platform.db, facts.id);
  const chosen = selection.documentId === null ? all : all.filter((document) => document.id === selection.documentId);
  if (chosen.length === 0) return failure(problem("not_found"));
  if (selection.which === "signed" && !chosen.every(isSigned)) return failure(problem("not_found"));
  const shown = chosen.map((document) => ({
    document,
    revision: revisionOf(document, selection.which),
    signed: selection.which !== "original" && isSigned(document),
  }));
  const [first] = shown;
  const signed = shown.every((item) => item.signed);
  if (first !== undefined && shown.length === 1) {
    const name =
      all.length === 1
        ? downloadName({ title: facts.title, signed, ending: "pdf" })
        : (archiveNames([{ name: first.document.name, signed }])[0] ?? "document.pdf");
    return success({ kind: "pdf", file: storedFile(name, first.revision) });
  }
  const names = archiveNames(shown.map((item) => ({ name: item.document.name, signed: item.signed })));
  const files = shown.map((item, index) => storedFile(names[index] ?? `${index}.pdf`, item.revision));
  return success({ kind: "archive", name: downloadName({ title: facts.title, signed, ending: "zip" }), files });
}

function revisionOf(document: StoredDocument, which: FileSelection["which"]): Revision {
  return which === "original" ? document.original : document.current;
}

function storedFile(name: string, revision: Revision): StoredFile {
  return { name, sha256: revision.sha256, sizeBytes: revision.sizeBytes };
}
