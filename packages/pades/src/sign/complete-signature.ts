import { PadesError } from "../pades-error.ts";
import type { PreparedSignature } from "../pdf/types.ts";

const HEX = "0123456789abcdef";

/**
 * Puts the CMS in its place: a patch of the prepared bytes themselves, which are given back (a copy of ten megabytes costs as much as their digest).
 * Errors: PadesError `signature_too_large` when the CMS does not fit the reserve.
 * Source: ISO 32000-2 §12.8.1 (`/Contents`, padded with zeros).
 */
export function completeSignature(prepared: PreparedSignature, cms: Uint8Array): Uint8Array {
  if (cms.length * 2 > prepared.contentsLength) {
    throw new PadesError("signature_too_large", `Expected a CMS of at most ${prepared.contentsLength / 2} bytes, met ${cms.length}`);
  }
  const { bytes } = prepared;
  let offset = prepared.contentsOffset;
  bytes.fill(0x30, offset, offset + prepared.contentsLength);
  for (const byte of cms) {
    bytes[offset] = HEX.charCodeAt(byte >> 4);
    bytes[offset + 1] = HEX.charCodeAt(byte & 15);
    offset += 2;
  }
  return bytes;
}
