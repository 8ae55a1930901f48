import type { BatchJob } from "@paraphe/contracts";

type Item = BatchJob["items"][number];

type Retry = "again" | "corrected" | "compared";

/** What does not come from the file: the same one may pass another time. */
const PASSING: ReadonlySet<string> = new Set([
  "document_not_signed",
  "storage_full",
  "service_unavailable",
  "timestamp_unavailable",
  "internal",
]);

/**
 * Says what may still be done for a file of a batch that has ended: another try, its corrected copy, the same once it was compared, or nothing but
 * another file.
 * What failed without a code, before there were any, may be tried.
 */
export function retryOf({ status, code }: Pick<Item, "status" | "code">): Retry | null {
  if (status === "cancelled") return "again";
  if (status !== "failed") return null;
  if (code === "copy_to_accept") return "corrected";
  if (code === "copy_differs") return "compared";
  return code === null || PASSING.has(code) ? "again" : null;
}

/** The positions of the files for which this may be done. */
export function positionsFor(items: readonly Item[], what: Retry): readonly number[] {
  return items.flatMap((item, index) => (retryOf(item) === what ? [index] : []));
}
