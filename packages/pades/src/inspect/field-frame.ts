import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import type { Size } from "../appearance/form-x-object.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { arrayAt, dictAt, follow, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { placeOf } from "../sign/prepare-signature.ts";

/** By how many components a colour has. Source: ISO 32000-2 §12.5.6.19, table 192. */
const FILLS: Readonly<Record<number, string>> = { 1: "g", 3: "rg", 4: "k" };

/** Gives the background and border that readers draw for a field, in a box of this size; nothing for a field without either. */
export function frameContent(open: OpenPdf, widget: PdfDict, { width, height }: Size): string {
  const characteristics = dictAt(open, widget, "MK");
  const [ground, line] = ["BG", "BC"].map((key) => (characteristics ? colourOf(open, characteristics, key) : null));
  const style = dictAt(open, widget, "BS");
  const thick = Math.max(0, Math.min((style && numberAt(open, style, "W")) ?? 1, width / 4, height / 4));
  const inner = [thick / 2, thick / 2, width - thick, height - thick].map((value) => writeNumber(value, 3)).join(" ");
  const filled = ground ? `${ground} 0 0 ${writeNumber(width, 3)} ${writeNumber(height, 3)} re f ` : "";
  const lined = line && thick > 0 ? `${line.toUpperCase()} ${writeNumber(thick, 3)} w ${inner} re S ` : "";
  return filled + lined === "" ? "" : `q ${filled}${lined}Q\n`;
}

/** Gives a look of nothing but the frame. Source: ISO 32000-2 §12.5.5. */
export function frameLook(open: OpenPdf, widget: PdfDict): PdfDict {
  const [left, bottom, right, top] = placeOf(open, widget).rectangle;
  const size = { width: right - left, height: top - bottom };
  const box = new PdfArray([0, 0, size.width, size.height].map((value) => PdfNumber.of(value)));
  const form = new PdfStream(
    [
      ["Type", PdfName.of("XObject")],
      ["Subtype", PdfName.of("Form")],
      ["BBox", box],
    ],
    latinBytes(frameContent(open, widget, size)),
  );
  return new PdfDict([["N", open.pdf.context.register(form)]]);
}

function colourOf(open: OpenPdf, characteristics: PdfDict, key: string): string | null {
  const components = (arrayAt(open, characteristics, key)?.toArray() ?? []).map((item) => {
    const value = follow(open, item);
    return value instanceof PdfNumber ? writeNumber(Math.min(1, Math.max(0, value.value)), 3) : "0";
  });
  const operator = FILLS[components.length];
  return operator === undefined ? null : `${components.join(" ")} ${operator}`;
}
