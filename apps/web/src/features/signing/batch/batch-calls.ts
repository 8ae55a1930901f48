import type {
  BatchJob,
  BatchPlacement,
  BatchSummary,
  CorrectionAnswer,
  SignatureMark,
} from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import { upload } from "../../../lib/api/upload.ts";
import { confirmedCall } from "../../accounts/confirmed-call.ts";

const JOBS = "/api/signature/batch-jobs/";
/** Time to send 2 GB over an office line. */
const SEND_TIMEOUT_MS = 3_600_000;

type BatchToSend = {
  readonly files: readonly File[];
  readonly placement: BatchPlacement;
  readonly overrides: readonly {
    readonly file_index: number;
    readonly placement: BatchPlacement;
  }[];
  readonly mark: SignatureMark;
  readonly title: string | null;
  readonly ifFixable: "accept" | "refuse";
};
/** Without `items`: every failed or stopped file. `acceptsCopies`: signs the corrected copies. */
export type BatchRetry = { readonly items?: readonly number[]; readonly acceptsCopies?: boolean };
type BatchList = { readonly count: number; readonly results: readonly BatchSummary[] };

export const batchCalls = {
  list: () => api.get<BatchList>(`${JOBS}?page_size=5`),
  load: (id: string, signal?: AbortSignal) => api.get<BatchJob>(`${JOBS}${id}/`, { signal }),
  cancel: (id: string) => api.delete<BatchJob>(`${JOBS}${id}/`),
  retry: (id: string, { items, acceptsCopies = false }: BatchRetry) =>
    api.post<BatchJob>(`${JOBS}${id}/retry/`, {
      body: {
        ...(items === undefined ? {} : { items }),
        ...(acceptsCopies ? { accept_copies: true } : {}),
      },
    }),
  compare: (
    id: string,
    { position, from }: { readonly position: number; readonly from: number },
    signal: AbortSignal,
  ) =>
    api.get<CorrectionAnswer>(`${JOBS}${id}/items/${position}/correction/?from=${from}`, {
      signal,
    }),
  archiveAddress: (id: string) => `${JOBS}${id}/download/`,
  send: (
    batch: BatchToSend,
    options: { readonly key: string; readonly onProgress: (fraction: number) => void },
  ) =>
    confirmedCall(() =>
      upload<{ readonly id: string }>(
        api,
        { method: "POST", path: "/api/signature/batch-sign/" },
        {
          body: formOf(batch),
          idempotencyKey: options.key,
          onProgress: options.onProgress,
          timeoutMs: SEND_TIMEOUT_MS,
        },
      ),
    ),
};

/** The settings precede the files, so that the service knows the request first. */
function formOf({ files, placement, overrides, mark, title, ifFixable }: BatchToSend): FormData {
  const form = new FormData();
  form.append("placement", JSON.stringify(placement));
  form.append("signature", JSON.stringify(mark));
  if (overrides.length > 0) form.append("overrides", JSON.stringify(overrides));
  if (title !== null) form.append("title", title);
  form.append("if_fixable", ifFixable);
  for (const file of files) form.append("files", file, file.name);
  return form;
}

type Item = BatchJob["items"][number];

type Retry = "again" | "corrected" | "compared";

/** Failures not caused by the file: another try may succeed. */
const PASSING: ReadonlySet<string> = new Set([
  "document_not_signed",
  "storage_full",
  "service_unavailable",
  "timestamp_unavailable",
  "internal",
]);

/** What can still be done; a failure without a code may be tried again. */
export function retryOf({ status, code }: Pick<Item, "status" | "code">): Retry | null {
  if (status === "cancelled") return "again";
  if (status !== "failed") return null;
  if (code === "copy_to_accept") return "corrected";
  if (code === "copy_differs") return "compared";
  return code === null || PASSING.has(code) ? "again" : null;
}

export function positionsFor(items: readonly Item[], what: Retry): readonly number[] {
  return items.flatMap((item, index) => (retryOf(item) === what ? [index] : []));
}

/** Progress of a batch at a time, in milliseconds. */
export type Moment = { readonly at: number; readonly ended: number };

/** « Environ 40 s restantes », or null while the pace is unknown. */
export function remainingTime(first: Moment | null, now: Moment, total: number): string | null {
  if (first === null || now.ended <= first.ended || now.at <= first.at) return null;
  const seconds = ((total - now.ended) * (now.at - first.at)) / (now.ended - first.ended) / 1_000;
  if (seconds < 1) return null;
  if (seconds < 90)
    return `Environ ${seconds < 10 ? Math.ceil(seconds) : Math.ceil(seconds / 10) * 10}\u00a0s restantes`;
  return `Environ ${Math.ceil(seconds / 60)}\u00a0min restantes`;
}
