import type { PassThrough, Readable } from "node:stream";
import { timingSafeEqual } from "node:crypto";
import {
  type Problem,
  type Result,
  failure,
  problem,
  success,
  DOWNLOAD_LINK_S,
  type ProblemCode,
  type StoredStatus,
} from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { parisOffsetHours } from "@paraphe/kernel/paris-time";
import yazl from "yazl";
import type { PdfCalls } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type EnvelopeFacts,
  type Revision,
  type StoredDocument,
  archiveNames,
  downloadName,
  isSigned,
  type DocumentAccess,
  type FileGrant,
  type FileRequest,
} from "./domain/document.ts";
import { refusalOver } from "./receive-document.ts";
import { loadDocuments, selectEnvelopeFacts } from "./store.ts";

/** `signed`: the latest signed revision; `current`: signed, else prepared. */
export type FileSelection = {
  readonly which: "original" | "signed" | "current";
  readonly documentId: string | null;
};

export type StoredFile = {
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};
type OpenedFiles =
  | { readonly kind: "pdf"; readonly file: StoredFile }
  | { readonly kind: "archive"; readonly name: string; readonly files: readonly StoredFile[] };

/** Errors: `not_found` for another envelope's, or `signed` before all are. */
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

/** A zip has no time zone: the clock of Paris gives the same bytes on any machine. */
function entryDate(at: Date): Date {
  const wall = new Date(at.getTime() + parisOffsetHours(at) * 3_600_000);
  return new Date(
    wall.getUTCFullYear(),
    wall.getUTCMonth(),
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
  );
}

type ArchivedText = { readonly name: string; readonly text: string };

/**
 * Streams a zip of stored files dated `at`, uncompressed, reading one file at a time.
 * A missing or unreadable file ends the stream with its error, never a short valid archive.
 */
export function archiveFiles(
  platform: Pick<Platform, "files">,
  files: readonly StoredFile[],
  { at, texts = [] }: { readonly at: Date; readonly texts?: readonly ArchivedText[] },
): NodeJS.ReadableStream {
  const archive = new yazl.ZipFile();
  const output = archive.outputStream as PassThrough;
  archive.on("error", (error: Error) => output.destroy(error));
  const dated = { mtime: entryDate(at), mode: 0o100644, forceDosTimestamp: true };
  for (const file of files) {
    archive.addReadStreamLazy(
      file.name,
      { compress: false, size: file.sizeBytes, ...dated },
      (give) => {
        platform.files.stream(file.sha256).then(
          (stream) => give(null, joinedTo(output, stream)),
          (error: unknown) => give(error, undefined as unknown as NodeJS.ReadableStream),
        );
      },
    );
  }
  for (const { name, text } of texts) archive.addBuffer(Buffer.from(text), name, dated);
  archive.end();
  return output;
}

/** Pipes carry neither errors nor the reader's end: files would stay open. */
function joinedTo(output: PassThrough, stream: Readable): Readable {
  stream.once("error", (error: Error) => output.destroy(error));
  if (output.destroyed) {
    stream.destroy();
    return stream;
  }
  const end = () => stream.destroy();
  output.once("close", end);
  // An archive of a thousand files would leave a thousand listeners.
  stream.once("close", () => output.off("close", end));
  return stream;
}

const SIDE_PX = 1_200;
const BOUNDS = { maximumBytes: 8 * 1_024 * 1_024 };

type Drawn = Result<Uint8Array, Problem>;
type FirstPages = (file: StoredFile) => Promise<Drawn>;

/** Draws once for each file, in bounded memory; never on disk. */
export function createFirstPages(
  platform: Pick<Platform, "files" | "images" | "sandbox">,
  { maximumBytes } = BOUNDS,
): FirstPages {
  const cache = new Map<string, { readonly drawn: Promise<Drawn>; sizeBytes: number }>();
  return async (file) => {
    const key = toBase64(file.sha256);
    const entry = cache.get(key) ?? { drawn: draw(platform, file), sizeBytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    try {
      const drawn = await entry.drawn;
      if (drawn.ok) entry.sizeBytes = drawn.value.length;
      // An undrawable file stays cached; a busy sandbox is asked again.
      else if (drawn.error.code !== "not_found") cache.delete(key);
      forgetOldest(cache, maximumBytes);
      return drawn;
    } catch (error) {
      cache.delete(key);
      throw error;
    }
  };
}

async function draw(
  { files, images, sandbox }: Pick<Platform, "files" | "images" | "sandbox">,
  file: StoredFile,
): Promise<Drawn> {
  // One runs at a time, so that signatures never wait for it.
  const png = await drawPng(
    sandbox.askedBy({ key: "first-page", haste: "patient" }),
    file.name,
    await files.get(file.sha256),
  );
  return png.ok ? images.reencode(png.value, { maximumSidePx: SIDE_PX }) : png;
}

async function drawPng(sandbox: PdfCalls, name: string, bytes: Uint8Array): Promise<Drawn> {
  try {
    const png = await sandbox.call("drawPage", bytes, 1);
    return png === null ? failure(problem("not_found")) : success(png);
  } catch (error) {
    const refusal = refusalOver(name, error);
    if (refusal === null) throw new Error("A first page could not be drawn", { cause: error });
    return failure(refusal.code === "pdf_too_complex" ? problem("not_found") : refusal);
  }
}

function forgetOldest(
  cache: Map<string, { readonly sizeBytes: number }>,
  maximumBytes: number,
): void {
  let total = [...cache.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [key, { sizeBytes }] of cache) {
    if (total <= maximumBytes) return;
    cache.delete(key);
    total -= sizeBytes;
  }
}

type Reader = FileGrant["reader"];
const PREFIX = "dl";
const FORM = /^dl\.(owner|recipient|guest)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * The token opens one envelope's files without a session. Its dots distinguish it from a guest's
 * token.
 */
export function mintDownloadToken(
  platform: Pick<Platform, "secrets" | "clock">,
  link: { readonly envelopeId: string; readonly reader: Reader },
): string {
  const expires = Math.floor(platform.clock().getTime() / 1000) + DOWNLOAD_LINK_S;
  return `${PREFIX}.${link.reader}.${expires}.${seal(platform, { ...link, expires })}`;
}

/** Null for another envelope's, an expired or a forged one. */
function readDownloadToken(
  platform: Pick<Platform, "secrets" | "clock">,
  envelopeId: string,
  token: string,
): Reader | null {
  const match = FORM.exec(token);
  if (!match) return null;
  const [, reader, expires, mac] = match as unknown as [string, Reader, string, string];
  const expected = seal(platform, { envelopeId, reader, expires: Number(expires) });
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
  return Number(expires) * 1000 > platform.clock().getTime() ? reader : null;
}

function seal(
  platform: Pick<Platform, "secrets">,
  link: { readonly envelopeId: string; readonly reader: Reader; readonly expires: number },
): string {
  return Buffer.from(
    platform.secrets.hmac(
      "document-download",
      Buffer.from(`${link.envelopeId}\n${link.reader}\n${link.expires}`),
    ),
  ).toString("base64url");
}

const CLOSED: Readonly<Partial<Record<StoredStatus, ProblemCode>>> = {
  cancelled: "envelope_cancelled",
  declined: "envelope_declined",
  expired: "envelope_expired",
};

export type RecognisedReader = { readonly grant: FileGrant; readonly facts: EnvelopeFacts };

export async function recogniseReader(
  platform: Pick<Platform, "db" | "secrets" | "clock">,
  access: DocumentAccess,
  request: FileRequest,
): Promise<Result<RecognisedReader>> {
  if (request.token === null && request.user === null) return failure(problem("session_expired"));
  const facts = await selectEnvelopeFacts(platform.db, request.envelopeId);
  if (facts === null) return failure(problem("not_found"));
  const linked =
    request.token === null ? null : readDownloadToken(platform, facts.id, request.token);
  if (linked === null) {
    const grant = await access(request);
    return grant.ok ? success({ grant: grant.value, facts }) : grant;
  }
  const closed = CLOSED[facts.status];
  if (linked !== "owner" && closed !== undefined) return failure(problem(closed));
  return success({ grant: { reader: linked, recipientId: null }, facts });
}
