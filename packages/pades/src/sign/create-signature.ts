import { OID } from "../asn1/oids.ts";
import { attribute, createSignedData } from "../cms/signed-data.ts";
import { digest } from "../cryptography.ts";
import { PadesError } from "../pades-error.ts";
import type { PreparedSignature } from "../pdf/types.ts";
import type { Signer, TimestampAuthority } from "../ports.ts";
import { verifyTimestampToken } from "../tsp/timestamp.ts";

/**
 * Makes the CMS over a document digest: B-B, or B-T with a time-stamp authority.
 * Errors: `timestamp_invalid`, or what the authority throws: never a weaker signature.
 * Source: EN 319 142-1 §5, §6.3; EN 319 122-1 §5.3 (time-stamp over the signature value).
 */
export async function createSignature(request: {
  readonly signer: Signer;
  readonly tsa?: TimestampAuthority;
  readonly digestSha256: Uint8Array;
}): Promise<Uint8Array> {
  const { signer, tsa } = request;
  return createSignedData({
    signer,
    contentType: OID.data,
    contentDigestSha256: request.digestSha256,
    certificates: signer.certificates,
    ...(tsa
      ? { unsignedAttributes: async (signature) => [await signatureTimestamp(signature, tsa)] }
      : {}),
  });
}

async function signatureTimestamp(
  signature: Uint8Array,
  tsa: TimestampAuthority,
): Promise<Uint8Array> {
  const imprint = await digest("SHA-256", signature);
  const token = await tsa.timestamp(imprint);
  await verifyTimestampToken(token, { imprint });
  return attribute(OID.signatureTimestamp, token);
}

const HEX = "0123456789abcdef";

/**
 * Writes the CMS into the prepared bytes in place: a copy costs as much as their digest.
 * Errors: `signature_too_large` when the CMS exceeds the reserve.
 * Source: ISO 32000-2 §12.8.1 (`/Contents`, padded with zeros).
 */
export function completeSignature(prepared: PreparedSignature, cms: Uint8Array): Uint8Array {
  if (cms.length * 2 > prepared.contentsLength) {
    throw new PadesError(
      "signature_too_large",
      `Expected a CMS of at most ${prepared.contentsLength / 2} bytes, met ${cms.length}`,
    );
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
