import { createHash } from "node:crypto";
import { toBase64 } from "@paraphe/kernel/bytes";
import {
  failure,
  MAX_FILE_SIZE_BYTES,
  type Problem,
  problem,
  type ProblemCode,
  PROBLEMS,
  problemSentence,
  type Result,
  success,
} from "@paraphe/contracts";
import type { PdfInspection } from "@paraphe/pades";
import { PadesError } from "@paraphe/pades/parts";
import {
  type PdfAccess,
  SandboxAwayError,
  SandboxBusyError,
  SandboxLimitError,
} from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import {
  cleanFileName,
  type DisplayedPage,
  hasPdfEnding,
  type PagePlace,
  type ReceivedDocument,
} from "./domain/document.ts";

/** Gives the refusal of one file among several: its sentence also stands under `files`, and `file_name` says which. */
export function fileRefusal(name: string, refusal: Problem): Problem {
  return {
    ...refusal,
    errors: { files: [problemSentence(refusal)] },
    extensions: { ...refusal.extensions, file_name: name },
  };
}

/** What people call an annotation of which a file says only how to draw it. */
const WORDS: Readonly<Record<string, string>> = {
  FreeText: "zone de texte",
  Stamp: "tampon",
  Line: "ligne légendée",
  Redact: "marque de caviardage",
};

/** Names annotations and their pages: « zone de texte, page 2\u202f; tampon, page 5 ». */
function annotationsInWords(
  annotations: readonly { readonly kind: string; readonly pageNumber: number }[],
): string {
  const named = annotations.map(
    ({ kind, pageNumber }) => `${WORDS[kind] ?? "annotation"}, page ${pageNumber}`,
  );
  return [...new Set(named)].join("\u202f; ");
}

/** Gives the refusal that an error of the sandbox over this file stands for: a file that breaks its limits is too complex, a refusal of the core keeps its word, a sandbox with too much to do, or that somebody else ended, is `service_unavailable`. Null for a bug or an outage. */
export function refusalOver(name: string, error: unknown): Problem | null {
  const refusal = sandboxRefusal(error);
  return refusal === null ? null : fileRefusal(name, refusal);
}

function sandboxRefusal(error: unknown): Problem | null {
  if (error instanceof SandboxLimitError) return problem("pdf_too_complex");
  if (error instanceof SandboxBusyError || error instanceof SandboxAwayError)
    return problem("service_unavailable");
  if (!(error instanceof PadesError) || !Object.hasOwn(PROBLEMS, error.code)) return null;
  const code = error.code as ProblemCode;
  return error.annotations
    ? problem(code, { params: { annotations: annotationsInWords(error.annotations) } })
    : problem(code);
}

/** Some weeks of an ordinary service, in a megabyte or two. */
const KEPT = 10_000;

/**
 * The uploads that were rehearsed and can be finished, by the SHA-256 of their bytes: a verdict on nothing but them, and of this version of the
 * code alone, so it is kept in memory and by each process for itself. The oldest is the first to go.
 */
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

/**
 * Controls one uploaded file; stores nothing.
 * Errors: `file_too_large`, `validation` ('Le fichier est vide'), `not_a_pdf` by its name or content, and the `pdf_*` refusals; each names the file.
 * Source: specification §5, 'Envelope creation'.
 */
export async function receiveDocument(
  platform: PdfAccess,
  file: { readonly name: string; readonly bytes: Uint8Array },
): Promise<Result<ReceivedDocument>> {
  const name = cleanFileName(file.name);
  if (file.bytes.length > MAX_FILE_SIZE_BYTES)
    return failure(fileRefusal(name, problem("file_too_large")));
  if (!hasPdfEnding(file.name)) return failure(fileRefusal(name, problem("not_a_pdf")));
  if (file.bytes.length === 0)
    return failure(
      problem("validation", {
        errors: { files: ["Le fichier est vide"] },
        extensions: { file_name: name },
      }),
    );
  const sha256 = new Uint8Array(createHash("sha256").update(file.bytes).digest());
  const inspected = await inspect(platform, { name, bytes: file.bytes, sha256 });
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

function displayedPages({
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

type Upload = { readonly name: string; readonly bytes: Uint8Array; readonly sha256: Uint8Array };

/** The same bytes are rehearsed once: a sender who comes back with them, or signs what was controlled before, waits for the inspection alone. */
async function inspect(
  { sandbox }: PdfAccess,
  { name, bytes, sha256 }: Upload,
): Promise<Result<PdfInspection>> {
  try {
    if (wasRehearsed(sha256)) return success(await sandbox.call("inspect", bytes));
    const inspection = await sandbox.call("control", bytes);
    noteRehearsed(sha256);
    return success(inspection);
  } catch (error) {
    const refusal = refusalOver(name, error);
    if (refusal === null) throw new Error("The document control failed", { cause: error });
    return failure(refusal);
  }
}
