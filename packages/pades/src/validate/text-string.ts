import { PdfString } from "@libpdf/core";

const UTF16 = new TextDecoder("utf-16be", { fatal: true, ignoreBOM: true });
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Codes that PDFDocEncoding gives to no character: readers leave them out, or make anything of them. Source: ISO 32000-2 annex D.3. */
const UNDEFINED = new Set([...Array.from({ length: 24 }, (_, code) => code).filter((code) => ![9, 10, 13].includes(code)), 127, 159, 173]);

/**
 * Gives the text of a text string, in whichever of its three encodings it is written; null for bytes that have no text in the one that they
 * claim. Source: ISO 32000-2 §7.9.2.2.
 */
export function textOfString({ bytes }: PdfString): string | null {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode(UTF16, bytes.subarray(2));
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decode(UTF8, bytes.subarray(3));
  return bytes.some((code) => UNDEFINED.has(code)) ? null : new PdfString(bytes).asString();
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // Half a character: it is compared as the bytes that it is.
    return null;
  }
}
