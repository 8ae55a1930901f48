import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePdfOfSize } from "../tests/support/make-contract.ts";

const CORPUS = join(import.meta.dirname, "../../shared/corpus/made/base50k.pdf");

/** Gives the 50 KB document on which speeds are measured: the corpus' own where it is, else one of the same size. */
export async function samplePdf(): Promise<Uint8Array> {
  return existsSync(CORPUS) ? new Uint8Array(await readFile(CORPUS)) : makePdfOfSize(50 * 1_024);
}
