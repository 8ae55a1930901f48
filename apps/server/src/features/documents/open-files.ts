import type { PassThrough, Readable } from "node:stream";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import yazl from "yazl";
import type { Platform } from "../../platform/platform.ts";
import {
  archiveNames,
  downloadName,
  type EnvelopeFacts,
  isSigned,
  type Revision,
  type StoredDocument,
} from "./domain/document.ts";
import { loadDocuments } from "./store.ts";

/** `original`: as uploaded; `signed`: with every signature so far; `current`: signed if any signature is there, as prepared otherwise. */
export type FileSelection = {
  readonly which: "original" | "signed" | "current";
  readonly documentId: string | null;
};

export type StoredFile = {
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};
/** What to send: one PDF, or an archive of several. */
type OpenedFiles =
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
  const chosen =
    selection.documentId === null
      ? all
      : all.filter((document) => document.id === selection.documentId);
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
  const names = archiveNames(
    shown.map((item) => ({ name: item.document.name, signed: item.signed })),
  );
  const files = shown.map((item, index) =>
    storedFile(names[index] ?? `${index}.pdf`, item.revision),
  );
  return success({
    kind: "archive",
    name: downloadName({ title: facts.title, signed, ending: "zip" }),
    files,
  });
}

function revisionOf(document: StoredDocument, which: FileSelection["which"]): Revision {
  return which === "original" ? document.original : document.current;
}

function storedFile(name: string, revision: Revision): StoredFile {
  return { name, sha256: revision.sha256, sizeBytes: revision.sizeBytes };
}

/** The same archive twice is the same bytes: its entries bear one fixed date, the first that the format can write. */
const ENTRY_DATE = new Date(1980, 0, 1);

/** A text put into an archive beside its files. */
type ArchivedText = { readonly name: string; readonly text: string };

/**
 * Streams one zip of stored files, one file read at a time; PDFs are compressed already, so they are stored as they are.
 * A file that is gone, cut short, or cannot be read ends the stream with its error: whoever reads sees a broken answer, never a short one that looks whole.
 */
export function archiveFiles(
  platform: Pick<Platform, "files">,
  files: readonly StoredFile[],
  texts: readonly ArchivedText[] = [],
): NodeJS.ReadableStream {
  const archive = new yazl.ZipFile();
  // yazl gives a PassThrough, which its types call a mere readable stream.
  const output = archive.outputStream as PassThrough;
  archive.on("error", (error: Error) => output.destroy(error));
  for (const file of files) {
    archive.addReadStreamLazy(
      file.name,
      {
        compress: false,
        size: file.sizeBytes,
        mtime: ENTRY_DATE,
        mode: 0o100644,
        forceDosTimestamp: true,
      },
      (give) => {
        platform.files.stream(file.sha256).then(
          (stream) => give(null, joinedTo(output, stream)),
          (error: unknown) => give(error, undefined as unknown as NodeJS.ReadableStream),
        );
      },
    );
  }
  for (const { name, text } of texts)
    archive.addBuffer(Buffer.from(text), name, {
      mtime: ENTRY_DATE,
      mode: 0o100644,
      forceDosTimestamp: true,
    });
  archive.end();
  return output;
}

/** yazl pipes, and pipes carry no error and no end of the reader: both are carried here, so that no file stays open. */
function joinedTo(output: PassThrough, stream: Readable): Readable {
  stream.once("error", (error: Error) => output.destroy(error));
  if (output.destroyed) {
    stream.destroy();
    return stream;
  }
  const end = () => stream.destroy();
  output.once("close", end);
  // A file that was read is let go of: an archive of a thousand would have a thousand listeners to the end of its reader.
  stream.once("close", () => output.off("close", end));
  return stream;
}
