import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium";

let opened: Promise<WrappedPdfiumModule> | null = null;

/** Gives PDFium, compiled to WebAssembly: it reads nothing but the bytes it is given. Loaded once for the process, when it is first needed. */
export function openPdfium(): Promise<WrappedPdfiumModule> {
  opened ??= load();
  return opened;
}

async function load(): Promise<WrappedPdfiumModule> {
  const file = await readFile(createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm"));
  const wasmBinary = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
  const pdfium = await init({ wasmBinary });
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** Says whether PDFium trapped; it is then loaded anew when it is next needed, for nothing of its memory may be used again. */
export function isTrap(error: unknown): boolean {
  const trapped = error instanceof Error && error.name === "RuntimeError";
  if (trapped) opened = null;
  return trapped;
}
