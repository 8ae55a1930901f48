import { parseCertificate } from "@paraphe/pades/parts";
import { organisationSeal } from "../../trust/public.ts";
import { archiveBytes } from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import { signPrepared } from "./sign-document.ts";

/** Whose field it is: the service's, and nobody's of an envelope. */
const FIELD = { namePrefix: "paraphe", ownerKey: "cachet" } as const;
/** Room for the seal's certificates and signature, beside the time-stamp; a token may hold an RSA key. */
const SIGNATURE_BYTES = 6_144;

/**
 * Seals a file that the service wrote itself, at level B-LTA: an invisible signature by the organisation's seal, its key in a token where there is one.
 * It is validated before it is given, and stored nowhere. `reason` is what validators show beside it.
 * Errors: `TimestampUnavailableError`; `HsmUnavailableError`; `UnsoundSignatureError`.
 * Source: signatures §2; EN 319 142-1 §6.2 (B-LTA).
 */
export async function sealFile(
  deps: SealingDeps,
  file: Uint8Array,
  reason: string,
): Promise<Uint8Array> {
  const { platform, trust } = deps;
  const issued = await organisationSeal(trust);
  const appended = await platform.sandbox.call("prepareOwnSignature", file, {
    fields: { namePrefix: FIELD.namePrefix, fields: [], ownerKeys: [FIELD.ownerKey] },
    signature: {
      ...FIELD,
      ownFields: [],
      mark: { kind: "strokes", strokes: [] },
      lines: [],
      signingTime: platform.clock(),
      signerName: parseCertificate(issued.certificateDer).subject.commonName,
      reason,
      reserveBytes: SIGNATURE_BYTES + trust.timestampReserveBytes,
    },
  });
  const prepared = { ...appended, bytes: new Uint8Array(Buffer.concat([file, appended.bytes])) };
  const { bytes: signed, ocspDer } = await signPrepared(deps, { before: file, prepared, issued });
  const crl = await trust.crlAbout(issued.certificateDer);
  const archive = await archiveBytes(deps, signed, {
    ocsps: [ocspDer],
    crls: crl === null ? [] : [crl.der],
    serialNumbers: [issued.serialNumber],
  });
  return archive.bytes;
}
