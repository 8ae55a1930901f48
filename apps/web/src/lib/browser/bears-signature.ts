const MARK = new TextEncoder().encode("/ByteRange");

/**
 * True when the PDF holds a `ByteRange` in plain letters (ISO 32000-2 §12.8.1); a copy to print has
 * none.
 */
export function bearsSignature(pdf: Uint8Array): boolean {
  const [first = 0] = MARK;
  for (let at = pdf.indexOf(first); at !== -1; at = pdf.indexOf(first, at + 1))
    if (MARK.every((byte, index) => pdf[at + index] === byte)) return true;
  return false;
}
