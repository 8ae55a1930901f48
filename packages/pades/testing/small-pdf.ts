import { latinBytes } from "../src/pdf/incremental-update.ts";

/** Objects by number, PDF syntax. */
export type Objects = Readonly<Record<number, string>>;

/** A stream with these entries, one character a byte. */
export const stream = (entries: string, data: string): string =>
  `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;

export type SmallPdfOptions = {
  readonly rotate?: number;
  readonly cropBox?: string;
  readonly userUnit?: number;
  readonly pageExtra?: string;
  readonly catalogExtra?: string;
  readonly trailerExtra?: string;
  /** Puts boxes and rotation on the page tree node. */
  readonly inherited?: boolean;
  readonly objects?: Objects;
};

/** A one-page file: catalog 1, pages 2, page 3, content 4, font 5, and these objects. */
export function smallPdf(options: SmallPdfOptions = {}): Uint8Array {
  const boxes = `/MediaBox[0 0 595 842]${options.cropBox ? `/CropBox[${options.cropBox}]` : ""}${options.rotate ? `/Rotate ${options.rotate}` : ""}`;
  const content = "BT /F1 24 Tf 72 700 Td (Contrat) Tj ET";
  const objects: Record<number, string> = {
    1: `<</Type/Catalog/Pages 2 0 R${options.catalogExtra ?? ""}>>`,
    2: `<</Type/Pages/Kids[3 0 R]/Count 1${options.inherited ? boxes : ""}>>`,
    3: `<</Type/Page/Parent 2 0 R${options.inherited ? "" : boxes}${options.userUnit ? `/UserUnit ${options.userUnit}` : ""}/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>${options.pageExtra ?? ""}>>`,
    4: `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...options.objects,
  };
  let text = "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n";
  const offsets: [number, number][] = [];
  for (const [number, syntax] of Object.entries(objects)) {
    offsets.push([Number(number), text.length]);
    text += `${number} 0 obj\n${syntax}\nendobj\n`;
  }
  const start = text.length;
  text += `xref\n0 1\n0000000000 65535 f\r\n${offsets.map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n\r\n`).join("")}`;
  const size = Math.max(...offsets.map(([number]) => number)) + 1;
  return latinBytes(
    `${text}trailer\n<</Size ${size}/Root 1 0 R${options.trailerExtra ?? ""}>>\nstartxref\n${start}\n%%EOF\n`,
  );
}

/** The same with a cross-reference stream of offsets of `offsetBytes`. */
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
