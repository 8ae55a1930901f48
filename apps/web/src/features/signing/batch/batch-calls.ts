import type { BatchJob, BatchPlacement, BatchSummary, CorrectionAnswer, SignatureMark } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { upload } from "../../../lib/upload.ts";

const JOBS = "/api/signature/batch-jobs/";
/** Two gigabytes on an office's line. */
const SEND_TIMEOUT_MS = 3_600_000;

/** What is sent to be signed. */
export type BatchToSend = {
  readonly files: readonly File[];
  readonly placement: BatchPlacement;
  readonly overrides: readonly { readonly file_index: number; readonly placement: BatchPlacement }[];
  readonly mark: SignatureMark;
  readonly title: string | null;
  readonly ifFixable: "accept" | "refuse";
};
/** Without positions: all that failed or was stopped. `acceptsCopies`: the corrected copy of those that need one is signed. */
export type BatchRetry = { readonly items?: readonly number[]; readonly acceptsCopies?: boolean };
export type BatchList = { readonly count: number; readonly results: readonly BatchSummary[] };

/** The calls of batches. */
export const batchCalls = {
  list: () => api.get<BatchList>(`${JOBS}?page_size=5`),
  load: (id: string, signal?: AbortSignal) => api.get<BatchJob>(`${JOBS}${id}/`, { signal }),
  cancel: (id: string) => api.delete<BatchJob>(`${JOBS}${id}/`),
  retry: (id: string, { items, acceptsCopies = false }: BatchRetry) =>
    api.post<BatchJob>(`${JOBS}${id}/retry/`, {
      body: { ...(items === undefined ? {} : { items }), ...(acceptsCopies ? { accept_copies: true } : {}) },
    }),
  compare: (id: string, { position, from }: { readonly position: number; readonly from: number }, signal: AbortSignal) =>
    api.get<CorrectionAnswer>(`${JOBS}${id}/items/${position}/correction/?from=${from}`, { signal }),
  archiveAddress: (id: string) => `${JOBS}${id}/download/`,
  /** The key makes a second press harmless. */
  send: (batch: BatchToSend, options: { readonly key: string; readonly onProgress: (fraction: number) => void }) =>
    upload<{ readonly id: string }>(
      api,
      { method: "POST", path: "/api/signature/batch-sign/" },
      { body: formOf(batch), idempotencyKey: options.key, onProgress: options.onProgress, timeoutMs: SEND_TIMEOUT_MS },
    ),
};

/** What is short goes first: the service knows what is asked before the files come. */
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
