import type { PassThrough, Readable } from "node:stream";
import yazl from "yazl";
import type { Platform } from "../../platform/platform.ts";
import type { StoredFile } from "./open-files.ts";

/** The same archive twice is the same bytes: its entries bear one fixed date, the first that the format can write. */
const ENTRY_DATE = new Date(1980, 0, 1);

/** A text put into an archive beside its files. */
export type ArchivedText = { readonly name: string; readonly text: string };

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
      { compress: false, size: file.sizeBytes, mtime: ENTRY_DATE, mode: 0o100644, forceDosTimestamp: true },
      (give) => {
        platform.files.stream(file.sha256).then(
          (stream) => give(null, joinedTo(output, stream)),
          (error: unknown) => give(error, undefined as unknown as NodeJS.ReadableStream),
        );
      },
    );
  }
  for (const { name, text } of texts)
    archive.addBuffer(Buffer.from(text), name, { mtime: ENTRY_DATE, mode: 0o100644, forceDosTimestamp: true });
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
