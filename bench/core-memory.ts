import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Fonts, prepareFields } from "../packages/pades/src/index.ts";
import { FIELDS, fillerPdf, MB, PREFIX } from "./core-stage.ts";
import type { BenchRow } from "./row.ts";

const SIZE = 10 * MB;

/** Peak memory of signing ten megabytes above that of a small file, in file sizes. */
export async function benchCoreMemory(fonts: Fonts): Promise<BenchRow> {
  const path = join(tmpdir(), `paraphe-bench-memory-${process.pid}.pdf`);
  await writeFile(
    path,
    await prepareFields(fillerPdf(SIZE), { namePrefix: PREFIX, fonts, fields: FIELDS }),
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "sign-large-file.ts"),
      path,
    ]);
    return {
      part: "core",
      what: "peak memory of signing 10 MB, in files",
      value: Number(stdout) / SIZE,
      unit: "×",
      goal: { atMost: 8 },
    };
  } finally {
    await rm(path);
  }
}
