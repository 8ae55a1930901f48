import { toBase64 } from "@paraphe/kernel/bytes";
import {
  MAX_FILE_SIZE_BYTES,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  type Result,
  failure,
  problem,
  problemSentence,
  success,
} from "@paraphe/contracts";
import type { PdfInspection } from "@paraphe/pades";
import { PadesError } from "@paraphe/pades/parts";
import { hashOf } from "../../platform/content-hash.ts";
import {
  type PdfAccess,
  SandboxAwayError,
  SandboxBusyError,
  SandboxLimitError,
} from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type DisplayedPage,
  type PagePlace,
  type ReceivedDocument,
  cleanFileName,
  hasPdfEnding,
  pdfFieldPrefix,
} from "./domain/document.ts";

/** `member`: of the request, which named the file. */
export function fileRefusal(name: string, refusal: Problem, member?: string): Problem {
  return {
    ...refusal,
    ...(member === undefined ? {} : { errors: { [member]: [problemSentence(refusal)] } }),
    extensions: { ...refusal.extensions, file_name: name },
  };
}

const WORDS: Readonly<Record<string, string>> = {
  FreeText: "zone de texte",
  Stamp: "tampon",
  Line: "ligne légendée",
  Redact: "marque de caviardage",
};

function describeAnnotations(
  annotations: readonly { readonly kind: string; readonly pageNumber: number }[],
): string {
  const named = annotations.map(
    ({ kind, pageNumber }) => `${WORDS[kind] ?? "annotation"}, page ${pageNumber}`,
  );
  return [...new Set(named)].join("\u202f; ");
}

/**
 * Broken limits give `pdf_too_complex`, the core's refusal its code, a busy or ended sandbox
 * `service_unavailable`. Null for a bug or an outage.
 */
export function refusalOver(name: string, error: unknown, member?: string): Problem | null {
  const refusal = sandboxRefusal(error);
  return refusal === null ? null : fileRefusal(name, refusal, member);
}

function sandboxRefusal(error: unknown): Problem | null {
  if (error instanceof SandboxLimitError) return problem("pdf_too_complex");
  if (error instanceof SandboxBusyError || error instanceof SandboxAwayError)
    return problem("service_unavailable");
  if (!(error instanceof PadesError) || !Object.hasOwn(PROBLEMS, error.code)) return null;
  const code = error.code as ProblemCode;
  return error.annotations
    ? problem(code, { params: { annotations: describeAnnotations(error.annotations) } })
    : problem(code);
}

const KEPT = 10_000;

/** SHA-256 of files, oldest first. In memory alone: a verdict is this version's. */
const rehearsed = new Set<string>();

function wasRehearsed(sha256: Uint8Array): boolean {
  return rehearsed.has(nameOf(sha256));
}

function noteRehearsed(sha256: Uint8Array): void {
  rehearsed.add(nameOf(sha256));
  const [oldest] = rehearsed;
  if (rehearsed.size > KEPT && oldest !== undefined) rehearsed.delete(oldest);
}

function nameOf(sha256: Uint8Array): string {
  return toBase64(sha256);
}

/** `by_signing`: the caller signs a sound file at once, and calls again when that fails. */
export type Rehearsal = "first" | "by_signing";
type Receiving = { readonly rehearsal?: Rehearsal; readonly envelopeId?: string };

/**
 * Stores nothing. Errors, each at `file`: `file_too_large`, `validation` when empty,
 * `not_a_pdf`, `pdf_*`, among them `pdf_of_this_envelope`.
 * Source: specification §5, 'Envelope creation'.
 */
export async function receiveDocument(
  platform: PdfAccess,
  file: { readonly name: string; readonly bytes: Uint8Array },
  { rehearsal = "first", envelopeId }: Receiving = {},
): Promise<Result<ReceivedDocument>> {
  const name = cleanFileName(file.name);
  if (file.bytes.length > MAX_FILE_SIZE_BYTES)
    return failure(fileRefusal(name, problem("file_too_large"), "file"));
  if (!hasPdfEnding(file.name)) return failure(fileRefusal(name, problem("not_a_pdf"), "file"));
  if (file.bytes.length === 0)
    return failure(
      problem("validation", {
        errors: { file: ["Le fichier est vide"] },
        extensions: { file_name: name },
      }),
    );
  const sha256 = hashOf(file.bytes);
  const namePrefix = envelopeId === undefined ? undefined : pdfFieldPrefix(envelopeId);
  const upload = { name, bytes: file.bytes, sha256, namePrefix };
  const inspected = await inspect(platform, upload, rehearsal);
  if (!inspected.ok) return inspected;
  const { pageCount, result, findings } = inspected.value;
  return success({
    name,
    bytes: file.bytes,
    sha256,
    pageCount,
    pages: displayedPages(inspected.value),
    control: { result, findings },
  });
}

export function displayedPages({
  pages,
  takenOnLastPage,
  formPlaces,
  covered,
}: PdfInspection): readonly DisplayedPage[] {
  const fields = Map.groupBy(formPlaces, ({ pageNumber }) => pageNumber);
  const covers = new Map(
    covered.map(({ pageNumber, added, filled }) => [pageNumber, { added, filled }]),
  );
  return pages.map(({ width, height, rotation }, index) => ({
    width,
    height,
    rotation,
    ...(index === pages.length - 1 && takenOnLastPage.length > 0 ? { taken: takenOnLastPage } : {}),
    ...(fields.has(index + 1) ? { fields: fields.get(index + 1)?.map(placeOnPage) ?? [] } : {}),
    ...coveredPart(covers.get(index + 1)),
  }));
}

const coveredPart = (covered: DisplayedPage["covered"]): Pick<DisplayedPage, "covered"> =>
  covered ? { covered } : {};

function placeOnPage({ x, y, width, height }: PagePlace): PagePlace {
  return { x, y, width, height };
}

type Upload = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
  readonly namePrefix: string | undefined;
};

async function inspect(
  { sandbox }: PdfAccess,
  { name, bytes, sha256, namePrefix }: Upload,
  rehearsal: Rehearsal,
): Promise<Result<PdfInspection>> {
  try {
    const isRehearsed = wasRehearsed(sha256);
    if (isRehearsed || rehearsal === "by_signing") {
      const inspection = await sandbox.call("inspect", bytes, namePrefix);
      // A file that cannot be finished gets no copy.
      if (isRehearsed || inspection.result === "ok") return success(inspection);
    }
    const inspection = await sandbox.call("control", bytes, namePrefix);
    noteRehearsed(sha256);
    return success(inspection);
  } catch (error) {
    const refusal = refusalOver(name, error, "file");
    if (refusal === null) throw new Error("The document control failed", { cause: error });
    return failure(refusal);
  }
}

type PersonsFiles = {
  readonly actor: { readonly user: { readonly id: string }; readonly gone?: AbortSignal };
  readonly haste: "urgent" | "patient";
};

/** Gives a person's share of the sandbox: one task at a time, dropped when they leave. */
export function pdfAccess<P extends Pick<Platform, "sandbox">>(
  platform: P,
  { actor, haste }: PersonsFiles,
): Omit<P, "sandbox"> & PdfAccess {
  const caller = {
    key: `user:${actor.user.id}`,
    haste,
    ...(actor.gone === undefined ? {} : { signal: actor.gone }),
  };
  return { ...platform, sandbox: platform.sandbox.askedBy(caller) };
}

export type UploadedFile = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** It was sent ahead, and is stored. */
  readonly uploadId?: string;
};

/**
 * Stops at the first refusal; stores none.
 * Errors: that refusal, with `file_index` (from 0).
 */
export async function receiveFiles(
  platform: PdfAccess,
  files: readonly UploadedFile[],
  receiving: Receiving = {},
): Promise<Result<readonly ReceivedDocument[]>> {
  const received: ReceivedDocument[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await receiveDocument(platform, file, receiving);
    if (!outcome.ok)
      return failure({
        ...outcome.error,
        errors: { [`files.${index}`]: Object.values(outcome.error.errors ?? {}).flat() },
        extensions: { ...outcome.error.extensions, file_index: index },
      });
    received.push(outcome.value);
  }
  return success(received);
}
