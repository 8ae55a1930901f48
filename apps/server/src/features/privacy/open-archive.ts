import { type PassThrough, Readable } from "node:stream";
import yazl from "yazl";

/** A zip that is written while it is read: each addition ends once its bytes have left, so that nothing piles up. */
export type Archive = {
  readonly output: Readable;
  /** Adds the text that these pieces make. */
  addText(name: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void>;
  /** Adds a file whose bytes are compressed already. */
  addFile(name: string, file: { readonly sizeBytes: number; open(): Promise<Readable> }): Promise<void>;
  /** Ends the archive, or breaks it off: a reader sees a broken answer, never a short one that looks whole. */
  end(error?: Error): void;
};

/** Opens an archive whose entries bear this date. Source: APPNOTE 6.3.10 (zip64 where the sizes ask for it). */
export function openArchive(now: Date): Archive {
  const zip = new yazl.ZipFile();
  // yazl gives a PassThrough, which its types call a mere readable stream.
  const output = zip.outputStream as PassThrough;
  zip.on("error", (error: Error) => output.destroy(error));
  // Whoever breaks it off is told by `end`; a reader that left is no outage.
  output.on("error", () => undefined);

  let current: { stream: Readable | null; reject: (error: Error) => void } | null = null;
  output.once("close", () => {
    current?.stream?.destroy();
    current?.reject(new ReaderGoneError("The reader left before the archive's end"));
  });

  async function add(
    name: string,
    open: () => Promise<Readable>,
    size: { readonly compress: boolean; readonly size?: number },
  ): Promise<void> {
    if (output.destroyed) throw new ReaderGoneError("The reader left before the archive's end");
    await new Promise<void>((resolve, reject) => {
      const entry: { stream: Readable | null; reject: (error: Error) => void } = { stream: null, reject };
      current = entry;
      const breakOff = (error: unknown) => {
        reject(error as Error);
        output.destroy(error as Error);
      };
      zip.addReadStreamLazy(name, { ...size, mtime: now, mode: 0o100644 }, (give) => {
        open().then((stream) => {
          entry.stream = stream;
          if (output.destroyed) stream.destroy();
          stream.once("end", resolve);
          stream.once("error", breakOff);
          give(null, stream);
        }, breakOff);
      });
    });
  }

  return {
    output,
    addText: (name, pieces) => add(name, async () => Readable.from(pieces, { objectMode: false }), { compress: true }),
    addFile: (name, file) => add(name, () => file.open(), { compress: false, size: file.sizeBytes }),
    end(error) {
      if (error === undefined) zip.end();
      else output.destroy(error);
    },
  };
}

/** Nobody reads the archive any more. */
export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}
