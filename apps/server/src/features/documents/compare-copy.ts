import { type CorrectionAnswer, failure, problem, type Result, success } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { fileRefusal, refusalOver } from "./receive-document.ts";

export type CopyToCompare = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly pageCount: number;
  readonly from: number;
};

/**
 * Compares the corrected copy with the file as displayed, up to the first page that differs.
 * Errors: a `pdf_*` refusal when the file cannot be corrected.
 */
export async function compareCopy(
  platform: PdfAccess,
  { name, bytes, pageCount, from }: CopyToCompare,
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
    const refusal = refusalOver(name, error);
    if (refusal === null)
      throw new Error("A corrected copy could not be compared", { cause: error });
    return failure(refusal);
  }
}

/**
 * Compares every page of the corrected copy.
 * Errors: `copy_differs` on the first page that differs or cannot be drawn; those of `compareCopy`.
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
