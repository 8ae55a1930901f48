import {
  getDocument,
  GlobalWorkerOptions,
  type PDFDocumentProxy,
  PDFWorker,
  TextLayer,
  Util,
} from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import type { Box } from "./box.ts";
import type { PageSize } from "./page-layout.ts";
import { readPageText, type TextBlock, textBoxes } from "./text-blocks.ts";

GlobalWorkerOptions.workerSrc = workerUrl;

/** Character maps, standard fonts and image decoders, served by `build/plugins.ts`. */
const ASSETS = `${import.meta.env.BASE_URL}assets/pdfjs/`;

/** After `cancel`, `done` never rejects. */
type PageWork = { readonly done: Promise<void>; cancel(): void };
export type OpenedPdf = {
  readonly pageCount: number;
  /** CropBox, rotation applied. */
  pageSize(pageNumber: number): Promise<PageSize>;
  /** `scale`: canvas pixels a point. */
  drawPage(target: { pageNumber: number; canvas: HTMLCanvasElement; scale: number }): PageWork;
  /** Transparent words for search, copy and screen readers. */
  writeText(target: { pageNumber: number; container: HTMLElement }): PageWork;
  readText(pageNumber: number): Promise<readonly TextBlock[]>;
  /** Boxes of the words, in fractions of the displayed page. */
  textBoxes(pageNumber: number): Promise<readonly Box[]>;
  close(): void;
};

/** `shared`: starting an engine costs more than drawing a small document. */
export type OpenOptions = { readonly worker?: "shared" };

let shared: PDFWorker | null = null;

function sharedWorker(): PDFWorker {
  shared ??= PDFWorker.create({});
  return shared;
}

/**
 * Follows no script, XFA form or address of the document. Uses no WebAssembly, which the page's CSP
 * forbids.
 */
export async function openPdf(
  bytes: ArrayBuffer,
  { worker }: OpenOptions = {},
): Promise<OpenedPdf> {
  const task = getDocument({
    data: new Uint8Array(bytes),
    ...(worker === "shared" ? { worker: sharedWorker() } : {}),
    cMapUrl: `${ASSETS}cmaps/`,
    standardFontDataUrl: `${ASSETS}standard_fonts/`,
    wasmUrl: `${ASSETS}wasm/`,
    useWasm: false,
    enableXfa: false,
  });
  const pdf = await task.promise.catch((cause: unknown) => {
    void task.destroy();
    throw new Error("The PDF could not be opened", { cause });
  });
  return {
    pageCount: pdf.numPages,
    async pageSize(pageNumber) {
      const { width, height } = (await pdf.getPage(pageNumber)).getViewport({ scale: 1 });
      return { width, height };
    },
    drawPage: (target) => cancellable((signal) => drawPage(pdf, target, signal)),
    writeText: (target) => cancellable((signal) => writeText(pdf, target, signal)),
    readText: (pageNumber) => readText(pdf, pageNumber),
    textBoxes: (pageNumber) => findWords(pdf, pageNumber),
    close: () => void task.destroy(),
  };
}

async function drawPage(
  pdf: PDFDocumentProxy,
  target: { pageNumber: number; canvas: HTMLCanvasElement; scale: number },
  signal: AbortSignal,
): Promise<void> {
  const page = await pdf.getPage(target.pageNumber);
  if (signal.aborted) return;
  const viewport = page.getViewport({ scale: target.scale });
  target.canvas.width = Math.max(1, Math.floor(viewport.width));
  target.canvas.height = Math.max(1, Math.floor(viewport.height));
  const rendering = page.render({ canvas: target.canvas, viewport });
  signal.addEventListener("abort", () => rendering.cancel());
  await rendering.promise;
}

async function writeText(
  pdf: PDFDocumentProxy,
  target: { pageNumber: number; container: HTMLElement },
  signal: AbortSignal,
): Promise<void> {
  const page = await pdf.getPage(target.pageNumber);
  if (signal.aborted) return;
  target.container.replaceChildren();
  const layer = new TextLayer({
    textContentSource: page.streamTextContent(),
    container: target.container,
    viewport: page.getViewport({ scale: 1 }),
  });
  signal.addEventListener("abort", () => layer.cancel());
  await layer.render();
}

async function readText(pdf: PDFDocumentProxy, pageNumber: number): Promise<readonly TextBlock[]> {
  const page = await pdf.getPage(pageNumber);
  const viewport = page.getViewport({ scale: 1 });
  const [{ items }, tree] = await Promise.all([
    page.getTextContent({ includeMarkedContent: true }),
    page.getStructTree(),
  ]);
  // The page may be rotated or have a shifted origin.
  const displayed = (transform: readonly number[]) =>
    Util.transform(viewport.transform, [...transform]);
  return readPageText({ items, tree, pageHeight: viewport.height, displayed });
}

async function findWords(pdf: PDFDocumentProxy, pageNumber: number): Promise<readonly Box[]> {
  const page = await pdf.getPage(pageNumber);
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const { items } = await page.getTextContent();
  const runs = items.flatMap((item) => {
    if (!("str" in item)) return [];
    const [a = 0, b = 0, , , x = 0, y = 0] = Util.transform(transform, item.transform);
    return [
      {
        text: item.str,
        x,
        y,
        width: item.width,
        size: item.height || Math.hypot(a, b),
        angle: Math.atan2(b, a),
      },
    ];
  });
  return textBoxes({ runs, width, height });
}

/** A cancelled drawing rejects inside pdf.js; any other rejection is an error. */
function cancellable(work: (signal: AbortSignal) => Promise<void>): PageWork {
  const controller = new AbortController();
  const done = work(controller.signal).catch((cause: unknown) => {
    if (!controller.signal.aborted) throw new Error("The page could not be drawn", { cause });
  });
  return { done, cancel: () => controller.abort() };
}
