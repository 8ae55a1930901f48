const MARK = new TextEncoder().encode("/ByteRange");

/** Tells whether a PDF has the place of a signature at all: its `ByteRange` stands in plain letters (ISO 32000-2 §12.8.1). A copy to print has none. */
export function bearsSignature(pdf: Uint8Array): boolean {
  const [first = 0] = MARK;
  for (let at = pdf.indexOf(first); at !== -1; at = pdf.indexOf(first, at + 1))
    if (MARK.every((byte, index) => pdf[at + index] === byte)) return true;
  return false;
}
