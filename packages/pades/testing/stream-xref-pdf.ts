import { latinBytes } from "../src/pdf/incremental-update.ts";

/** Makes a one-page file with a cross-reference stream: catalog 1, pages 2, page 3, content 4. `offsetBytes`: how wide its offsets are. */
export function streamXrefPdf(offsetBytes = 2): Uint8Array {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>",
    "<</Length 17>>\nstream\n1 0 0 rg 9 9 9 re\nendstream",
  ];
  let text = "%PDF-1.7\n";
  const offset = (value: number): number[] => [
    ...Array.from({ length: offsetBytes - 2 }, () => 0),
    value >> 8,
    value & 255,
  ];
  const rows = [[0, ...offset(0), 0]];
  for (const [index, syntax] of objects.entries()) {
    rows.push([1, ...offset(text.length), 0]);
    text += `${index + 1} 0 obj\n${syntax}\nendobj\n`;
  }
  const start = text.length;
  rows.push([1, ...offset(start), 0]);
  const table = String.fromCharCode(...rows.flat());
  text += `5 0 obj\n<</Type/XRef/W[1 ${offsetBytes} 1]/Size 6/Root 1 0 R/Length ${table.length}>>\nstream\n${table}\nendstream\nendobj\n`;
  return latinBytes(`${text}startxref\n${start}\n%%EOF\n`);
}
