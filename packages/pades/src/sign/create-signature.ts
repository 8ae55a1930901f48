import { OID } from "../asn1/oids.ts";
import { attribute, createSignedData } from "../cms/signed-data.ts";
import type { Signer, TimestampAuthority } from "../ports.ts";
import { verifyTimestampToken } from "../tsp/timestamp-token.ts";
import { digest } from "../cms/digest.ts";

/**
 * Makes the CMS of a PAdES signature over a document digest: level B-B, or B-T with a time-stamp authority.
 * Errors: PadesError `timestamp_invalid`, or whatever the authority throws: never a weaker signature.
 * Source: EN 319 142-1 §5, §6.3; EN 319 122-1 §5.3 (signature time-stamp over the signature value).
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
    ...(tsa ? { unsignedAttributes: async (signature) => [await signatureTimestamp(signature, tsa)] } : {}),
  });
}

async function signatureTimestamp(signature: Uint8Array, tsa: TimestampAuthority): Promise<Uint8Array> {
  const imprint = await digest("SHA-256", signature);
  const token = await tsa.timestamp(imprint);
  await verifyTimestampToken(token, { imprint });
  return attribute(OID.signatureTimestamp, token);
}
