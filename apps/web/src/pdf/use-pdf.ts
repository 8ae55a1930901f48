import { useCallback, useEffect, useState } from "react";
import type { OpenedPdf } from "./open-pdf.ts";
import type { PageSize } from "./page-layout.ts";

/** Where a PDF comes from. `key` changes when the bytes do; `load` is called again after an error. */
export type PdfSource = { readonly key: string; load(signal: AbortSignal): Promise<ArrayBuffer> };
export type PdfState =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly retry: () => void }
  | { readonly status: "ready"; readonly pdf: OpenedPdf; readonly firstPage: PageSize };

/** Fetches and opens a PDF; the engine and its worker are loaded the first time one is shown. */
export function usePdf(source: PdfSource): PdfState {
  const [state, setState] = useState<PdfState>({ status: "loading" });
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const { key, load } = source;
  useEffect(() => {
    const controller = new AbortController();
    let opened: OpenedPdf | null = null;
    setState({ status: "loading" });
    const open = async () => {
      const [{ openPdf }, bytes] = await Promise.all([import("./open-pdf.ts"), load(controller.signal)]);
      opened = await openPdf(bytes);
      const firstPage = await opened.pageSize(1);
      if (controller.signal.aborted) opened.close();
      else setState({ status: "ready", pdf: opened, firstPage });
    };
    open().catch((error: unknown) => {
      if (controller.signal.aborted) return;
      console.error("pdf viewer:", error instanceof Error ? error.message : "failed");
      setState({ status: "failed", retry });
    });
    return () => {
      controller.abort();
      opened?.close();
    };
    // The source is made anew at each rendering: its key alone says that the document is another one; `attempt` asks for another try.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, attempt, retry]);
  return state;
}
