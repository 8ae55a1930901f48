import { PdfArray, PdfName, PdfNumber, type PdfStream } from "@libpdf/core";

/** Makes of an XObject a form that shows nothing. Source: ISO 32000-2 §8.10.2. */
export function emptyForm(stream: PdfStream): void {
  for (const key of Array.from(stream.keys())) if (key.value !== "Length") stream.delete(key.value);
  stream.set("Type", PdfName.of("XObject"));
  stream.set("Subtype", PdfName.of("Form"));
  stream.set("BBox", new PdfArray([0, 0, 0, 0].map((value) => PdfNumber.of(value))));
  stream.setData(new Uint8Array());
}
