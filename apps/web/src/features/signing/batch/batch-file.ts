import type { PageSize } from "../../../pdf/page-layout.ts";

/** A chosen file: read in the page before anything is sent. */
export type BatchFile = {
  readonly key: string;
  readonly file: File;
  readonly state:
    | { readonly kind: "reading" }
    | { readonly kind: "ready"; readonly pageCount: number; readonly first: PageSize; readonly last: PageSize }
    | { readonly kind: "refused"; readonly reason: string };
};
/** A file that can be signed. */
export type ReadyFile = BatchFile & { readonly state: Extract<BatchFile["state"], { kind: "ready" }> };

export function isReady(file: BatchFile): file is ReadyFile {
  return file.state.kind === "ready";
}
