import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectPdf } from "@paraphe/pades";
import { compareLooks } from "../src/platform/pdf-ink/compare-looks.ts";

/** RGB, row by row from the top. */
export type Picture = {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
};

/** Units: pixels. */
export type Part = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Why rendering tests are skipped, or false. An error under CI. */
export function missingRenderer(): string | false {
  if (spawnSync("pdftoppm", ["-v"]).error === undefined) return false;
  if (process.env["CI"]) throw new Error("pdftoppm is not installed, and CI is set");
  return "pdftoppm is not installed";
}

/**
 * Renders by poppler, independent of the service's own renderer; of a part only what lies on the
 * page.
 */
export function renderPage(
  bytes: Uint8Array,
  pageNumber: number,
  dpi: number,
  part?: Part,
): Picture {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-render-"));
  try {
    const file = join(folder, "page.pdf");
    writeFileSync(file, bytes);
    const page = String(pageNumber);
    const cut = part
      ? ["-x", part.x, "-y", part.y, "-W", part.width, "-H", part.height].map(String)
      : [];
    const words = [
      "-r",
      String(dpi),
      "-cropbox",
      ...cut,
      "-f",
      page,
      "-l",
      page,
      "-singlefile",
      file,
      file,
    ];
    const { status, stderr } = spawnSync("pdftoppm", words);
    if (status !== 0) throw new Error(`pdftoppm: ${stderr}`);
    const ppm = readFileSync(`${file}.ppm`);
    const [, columns, rows] =
      /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.subarray(0, 40).toString("latin1")) ?? [];
    const [width, height] = [Number(columns), Number(rows)];
    return { width, height, pixels: new Uint8Array(ppm.subarray(ppm.length - width * height * 3)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reports the pages of a copy that look different or cannot be drawn. */
export async function looksComplaints(
  original: Uint8Array,
  copy: Uint8Array,
): Promise<readonly string[]> {
  const { pageCount } = await inspectPdf(copy);
  const found: string[] = [];
  for (let from = 1; from <= pageCount; ) {
    const { through, unread, difference } = await compareLooks(
      { original, copy, pageCount, from },
      () => false,
    );
    found.push(...unread.map((page) => `page ${page} cannot be drawn`));
    if (difference) found.push(`page ${difference.pageNumber} looks otherwise`);
    from = through + 1;
  }
  return found;
}
