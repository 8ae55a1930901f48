import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A rendered page: red, green and blue of each pixel, row by row from the top. */
export type Picture = { readonly width: number; readonly height: number; readonly pixels: Uint8Array };

/** Says why what needs a renderer is skipped, or false. Under CI a missing one is a failure. */
export function missingRenderer(): string | false {
  if (spawnSync("pdftoppm", ["-v"]).error === undefined) return false;
  if (process.env["CI"]) throw new Error("pdftoppm is not installed, and CI is set");
  return "pdftoppm is not installed";
}

/** Renders a page as people see it, by poppler: another program than the one the service looks at pages with. */
export function renderPage(bytes: Uint8Array, pageNumber: number, dpi: number): Picture {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-render-"));
  try {
    const file = join(folder, "page.pdf");
    writeFileSync(file, bytes);
    const page = String(pageNumber);
    const { status, stderr } = spawnSync("pdftoppm", ["-r", String(dpi), "-cropbox", "-f", page, "-l", page, "-singlefile", file, file]);
    if (status !== 0) throw new Error(`pdftoppm: ${stderr}`);
    const ppm = readFileSync(`${file}.ppm`);
    const [, columns, rows] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.subarray(0, 40).toString("latin1")) ?? [];
    const [width, height] = [Number(columns), Number(rows)];
    return { width, height, pixels: new Uint8Array(ppm.subarray(ppm.length - width * height * 3)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
