import { toBase64 } from "@paraphe/kernel/bytes";
import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { PdfCalls } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StoredFile } from "./open-files.ts";
import { refusalOver } from "./receive-document.ts";

const SIDE_PX = 1_200;
const BOUNDS = { maximumBytes: 8 * 1_024 * 1_024 };

type Drawn = Result<Uint8Array, Problem>;
/**
 * Draws a stored file's first page as WebP.
 * Errors: `not_found` if it cannot be drawn; `service_unavailable` when too many wait.
 */
export type FirstPages = (file: StoredFile) => Promise<Drawn>;

/** Draws each file once and caches the picture in memory, within bounds; never on disk. */
export function createFirstPages(
  platform: Pick<Platform, "files" | "images" | "sandbox">,
  { maximumBytes } = BOUNDS,
): FirstPages {
  const cache = new Map<string, { readonly drawn: Promise<Drawn>; sizeBytes: number }>();
  return async (file) => {
    const key = toBase64(file.sha256);
    const entry = cache.get(key) ?? { drawn: draw(platform, file), sizeBytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    try {
      const drawn = await entry.drawn;
      if (drawn.ok) entry.sizeBytes = drawn.value.length;
      // A file that cannot be drawn stays cached; a busy sandbox may be asked again.
      else if (drawn.error.code !== "not_found") cache.delete(key);
      forgetOldest(cache, maximumBytes);
      return drawn;
    } catch (error) {
      cache.delete(key);
      throw error;
    }
  };
}

async function draw(
  { files, images, sandbox }: Pick<Platform, "files" | "images" | "sandbox">,
  file: StoredFile,
): Promise<Drawn> {
  // One at a time, so that signatures never wait for it.
  const png = await drawPng(
    sandbox.askedBy({ key: "first-page", haste: "patient" }),
    file.name,
    await files.get(file.sha256),
  );
  return png.ok ? images.reencode(png.value, { maximumSidePx: SIDE_PX }) : png;
}

async function drawPng(sandbox: PdfCalls, name: string, bytes: Uint8Array): Promise<Drawn> {
  try {
    const png = await sandbox.call("drawPage", bytes, 1);
    return png === null ? failure(problem("not_found")) : success(png);
  } catch (error) {
    const refusal = refusalOver(name, error);
    if (refusal === null) throw new Error("A first page could not be drawn", { cause: error });
    return failure(refusal.code === "pdf_too_complex" ? problem("not_found") : refusal);
  }
}

function forgetOldest(
  cache: Map<string, { readonly sizeBytes: number }>,
  maximumBytes: number,
): void {
  let total = [...cache.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [key, { sizeBytes }] of cache) {
    if (total <= maximumBytes) return;
    cache.delete(key);
    total -= sizeBytes;
  }
}
