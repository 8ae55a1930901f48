import { failure, MAX_FILE_SIZE_BYTES, problem, type Result, success } from "@paraphe/contracts";
import { createHash } from "node:crypto";
import type { PdfInspection } from "@paraphe/pades";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { DisplayedPage, PagePlace, ReceivedDocument } from "./domain/document.ts";
import { cleanFileName, hasPdfEnding } from "./domain/file-name.ts";
import { fileRefusal } from "./file-refusal.ts";
import { noteRehearsed, wasRehearsed } from "./rehearsed-files.ts";
import { refusalOver } from "./sandbox-refusal.ts";

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
  if (file.bytes.length > MAX_FILE_SIZE_BYTES) return failure(fileRefusal(name, problem("file_too_large")));
  if (!hasPdfEnding(file.name)) return failure(fileRefusal(name, problem("not_a_pdf")));
  if (file.bytes.length === 0)
    return failure(problem("validation", { errors: { files: ["Le fichier est vide"] }, extensions: { file_name: name } }));
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

function displayedPages({ pages, takenOnLastPage, formPlaces, covered }: PdfInspection): readonly DisplayedPage[] {
  const fields = Map.groupBy(formPlaces, ({ pageNumber }) => pageNumber);
  const covers = new Map(covered.map(({ pageNumber, added, filled }) => [pageNumber, { added, filled }]));
  return pages.map(({ width, height, rotation }, index) => ({
    width,
    height,
    rotation,
    ...(index === pages.length - 1 && takenOnLastPage.length > 0 ? { taken: takenOnLastPage } : {}),
    ...(fields.has(index + 1) ? { fields: fields.get(index + 1)?.map(placeOnPage) ?? [] } : {}),
    ...coveredPart(covers.get(index + 1)),
  }));
}

const coveredPart = (covered: DisplayedPage["covered"]): Pick<DisplayedPage, "covered"> => (covered ? { covered } : {});

function placeOnPage({ x, y, width, height }: PagePlace): PagePlace {
  return { x, y, width, height };
}

type Upload = { readonly name: string; readonly bytes: Uint8Array; readonly sha256: Uint8Array };

/** The same bytes are rehearsed once: a sender who comes back with them, or signs what was controlled before, waits for the inspection alone. */
async function inspect({ sandbox }: PdfAccess, { name, bytes, sha256 }: Upload): Promise<Result<PdfInspection>> {
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
