import { useCallback, useEffect, useState } from "react";
import type { OpenedPdf } from "./open-pdf.ts";
import type { PageSize } from "./page-layout.ts";

/** `key` changes with the bytes. `firstPage`: the service's picture of page 1. */
export type PdfSource = {
  readonly key: string;
  load(signal: AbortSignal): Promise<ArrayBuffer>;
  firstPage?(signal: AbortSignal): Promise<Blob>;
};
/** `picture`: object URL of page 1. */
export type PdfState =
  | { readonly status: "loading"; readonly picture?: string }
  | { readonly status: "failed"; readonly retry: () => void }
  | {
      readonly status: "ready";
      readonly pdf: OpenedPdf;
      readonly firstPage: PageSize;
      readonly picture?: string;
    };

/** A later picture would hardly come before the document. */
export const PICTURE_MS = 4_000;

/** The first page's picture first; engine and worker load with the first document. */
export function usePdf(source: PdfSource): PdfState {
  const [state, setState] = useState<PdfState>({ status: "loading" });
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const { key, load, firstPage } = source;
  useEffect(() => {
    const controller = new AbortController();
    let opened: OpenedPdf | null = null;
    let shown: { readonly picture?: string } = {};
    setState({ status: "loading" });
    const open = async () => {
      // The engine weighs ten times as much and would slow the picture.
      const picture = await firstPage?.(
        AbortSignal.any([controller.signal, AbortSignal.timeout(PICTURE_MS)]),
      ).catch(() => null);
      if (controller.signal.aborted) return;
      if (picture)
        setState({ status: "loading", ...(shown = { picture: URL.createObjectURL(picture) }) });
      const [{ openPdf }, bytes] = await Promise.all([
        import("./open-pdf.ts"),
        load(controller.signal),
      ]);
      opened = await openPdf(bytes);
      const size = await opened.pageSize(1);
      if (controller.signal.aborted) opened.close();
      else setState({ status: "ready", pdf: opened, firstPage: size, ...shown });
    };
    open().catch((error: unknown) => {
      if (controller.signal.aborted) return;
      console.error("pdf viewer:", error instanceof Error ? error.message : "failed");
      setState({ status: "failed", retry });
    });
    return () => {
      controller.abort();
      opened?.close();
      if (shown.picture !== undefined) URL.revokeObjectURL(shown.picture);
    };
    // The source is made anew at each rendering: the key alone identifies the document.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, attempt, retry]);
  return state;
}
