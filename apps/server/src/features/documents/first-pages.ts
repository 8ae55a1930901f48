import { toBase64 } from "@paraphe/kernel/bytes";
import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { PdfCalls } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StoredFile } from "./open-files.ts";
import { refusalOver } from "./receive-document.ts";

/** As wide as a phone's screen has pixels, or a desk's page at 100 %. Units: pixels. */
const SIDE_PX = 1_200;
/** Some hundred pages of text. */
const BOUNDS = { mostKeptBytes: 8 * 1_024 * 1_024 };

type Drawn = Result<Uint8Array, Problem>;
/** Draws the first page of a stored file, as WebP. Errors: `not_found` for one that cannot be drawn; `service_unavailable` when too many wait. */
export type FirstPages = (file: StoredFile) => Promise<Drawn>;

/**
 * Gives the first pages of files as pictures, to be seen before the viewer is there. A file is drawn once, whoever asks for it and however often, and
 * its picture kept in the memory of this process, within bounds: it is on no disk, and goes with the process.
 */
export function createFirstPages(
  platform: Pick<Platform, "files" | "images" | "sandbox">,
  { mostKeptBytes } = BOUNDS,
): FirstPages {
  const kept = new Map<string, { readonly drawn: Promise<Drawn>; sizeBytes: number }>();
  return async (file) => {
    const key = toBase64(file.sha256);
    const entry = kept.get(key) ?? { drawn: draw(platform, file), sizeBytes: 0 };
    // Asked for last, it is the last to go.
    kept.delete(key);
    kept.set(key, entry);
    try {
      const drawn = await entry.drawn;
      if (drawn.ok) entry.sizeBytes = drawn.value.length;
      // What cannot be drawn never will be; who met a crowd may ask again.
      else if (drawn.error.code !== "not_found") kept.delete(key);
      forgetOldest(kept, mostKeptBytes);
      return drawn;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };
}

async function draw(
  { files, images, sandbox }: Pick<Platform, "files" | "images" | "sandbox">,
  file: StoredFile,
): Promise<Drawn> {
  // One at a time of all files: it is never what holds a signature up.
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

function forgetOldest(kept: Map<string, { readonly sizeBytes: number }>, mostBytes: number): void {
  let total = [...kept.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [key, { sizeBytes }] of kept) {
    if (total <= mostBytes) return;
    kept.delete(key);
    total -= sizeBytes;
  }
}
