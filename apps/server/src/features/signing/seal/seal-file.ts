import { parseCertificate } from "@paraphe/pades/parts";
import { organisationSeal } from "../../trust/public.ts";
import { archiveBytes } from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import { signPrepared } from "./sign-document.ts";

/** The service's field, of no envelope. */
const FIELD = { namePrefix: "paraphe", ownerKey: "cachet" } as const;
/** Room for certificates and signature beside the time-stamp; a token may use RSA. */
const SIGNATURE_BYTES = 6_144;

/**
 * Adds an invisible seal by the organisation's key, at B-LTA; validated, not stored. `reason` shows
 * in validators.
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
