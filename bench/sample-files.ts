import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PDF } from "@libpdf/core";
import { makePdfOfSize } from "../tests/support/make-contract.ts";

const SAMPLE = join(import.meta.dirname, "../../shared/corpus/made/base50k.pdf");

export async function samplePdf(): Promise<Uint8Array> {
  return existsSync(SAMPLE) ? new Uint8Array(await readFile(SAMPLE)) : makePdfOfSize(50 * 1_024);
}

const REAL_CORPUS = join(import.meta.dirname, "../../shared/corpus");

type RealFile = { readonly name: string; readonly bytes: Uint8Array };

/** Real documents of about 50 KB, with fonts and many objects; none without the corpus. */
export async function realSmallFiles(): Promise<readonly RealFile[]> {
  const names = [
    "public/lp_text_proposal.pdf",
    "public/lp_text_variety_complex_ttf_font.pdf",
    "made/gs.pdf",
  ];
  return existsSync(REAL_CORPUS)
    ? Promise.all(names.map(async (name) => ({ name, bytes: await read(name) })))
    : [];
}

export async function realLargeFiles(): Promise<readonly RealFile[]> {
  if (!existsSync(REAL_CORPUS)) return [];
  const [scan, text] = await Promise.all([
    read("trials/scan-8-pages-300dpi-flate.pdf"),
    read("public/lp_text_proposal.pdf"),
  ]);
  const whole = await PDF.merge(Array.from({ length: 8 }, () => [scan, text]).flat());
  return [{ name: "scan and text", bytes: await whole.save() }];
}

async function read(name: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(REAL_CORPUS, name)));
}
