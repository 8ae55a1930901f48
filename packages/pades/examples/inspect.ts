import { readFile, writeFile } from "node:fs/promises";
import { inspectPdf, normalisePdf, PadesError } from "@paraphe/pades";
import { readDemoFonts } from "./demo.ts";

/**
 * `node examples/inspect.ts upload.pdf copy.pdf` prints findings and writes a copy that can be
 * signed.
 */
const [path, copyPath] = process.argv.slice(2);
if (!path || !copyPath) {
  console.error("usage: node examples/inspect.ts upload.pdf copy.pdf");
  process.exit(64);
}
const bytes = new Uint8Array(await readFile(path));
try {
  const { result, pageCount, findings } = await inspectPdf(bytes);
  console.log(`${result}, pages: ${pageCount}`);
  for (const { code, count } of findings)
    console.log(count === undefined ? code : `${code} | ${count}`);
  await writeFile(copyPath, await normalisePdf(bytes, { fonts: await readDemoFonts() }));
} catch (error) {
  if (!(error instanceof PadesError)) throw error;
  console.log(`refused: ${error.code}`);
  process.exitCode = 1;
}
