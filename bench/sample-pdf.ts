import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePdfOfSize } from "../tests/support/make-contract.ts";

const CORPUS = join(import.meta.dirname, "../../shared/corpus/made/base50k.pdf");

/** The corpus's 50 KB document, or one of that size. */
export async function samplePdf(): Promise<Uint8Array> {
  return existsSync(CORPUS) ? new Uint8Array(await readFile(CORPUS)) : makePdfOfSize(50 * 1_024);
}
