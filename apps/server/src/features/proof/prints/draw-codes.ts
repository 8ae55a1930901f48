import type { PdfCalls } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";

/**
 * Gives the QR codes of these texts, in their order.
 * Shape: rows of modules from the top, without a border, `true` for dark; level Q. Those of equally long texts are equally large.
 */
export async function drawCodes(sandbox: PdfCalls, texts: readonly string[]): Promise<readonly boolean[][][]> {
  const codes: boolean[][][] = [];
  while (codes.length < texts.length) codes.push(...(await sandbox.call("drawCodes", texts.slice(codes.length))));
  return codes;
}
