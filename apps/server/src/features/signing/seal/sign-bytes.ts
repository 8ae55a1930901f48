import { completeSignature, createSignature, type Mark, type OwnField, type PreparedSignature } from "@paraphe/pades/parts";
import { pdfFieldPrefix } from "../../documents/public.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import type { KeptMark } from "./act-content.ts";
import { assertPrefix } from "./check-revision.ts";
import type { SealingDeps } from "./deps.ts";
import { appearanceLines } from "./domain/appearance-lines.ts";

export type BytesToSign = {
  readonly envelopeId: string;
  readonly signer: { readonly id: string; readonly fullName: string };
  readonly ownFields: readonly OwnField[];
  readonly mark: KeptMark;
  /** What the places for initials take; the mark where it is left out. */
  readonly initials?: KeptMark | undefined;
  /** When the person agreed, as printed under the mark. */
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
};

/** `ocspDer`: what was said of the signer's certificate once it had signed. */
export type SignedBytes = { readonly bytes: Uint8Array; readonly ocspDer: Uint8Array };

/** Room for the signer's certificates and signature, beside the time-stamp. */
const SIGNATURE_BYTES = 4_096;

/**
 * Makes one person's signature (B-T) in a prepared revision: an incremental update, stored nowhere and not judged yet.
 * Errors: `TimestampUnavailableError`; `UnsoundSignatureError`.
 * Source: signatures §1.
 */
export async function signBytes(deps: SealingDeps, before: Uint8Array, work: BytesToSign): Promise<SignedBytes> {
  const prepared = await deps.platform.sandbox.call("prepareSignature", before, signatureOptions(deps, work));
  return signPrepared(deps, { before, prepared, issued: work.issued });
}

/** Gives what the core needs to draw this signature and leave room for it. */
export function signatureOptions({ platform, trust }: SealingDeps, work: BytesToSign) {
  const { envelopeId, signer } = work;
  return {
    namePrefix: pdfFieldPrefix(envelopeId),
    ownerKey: signer.id,
    ownFields: work.ownFields,
    mark: readKeptMark(work.mark),
    ...(work.initials === undefined ? {} : { initials: readKeptMark(work.initials) }),
    lines: appearanceLines({ fullName: signer.fullName, signedAt: work.signedAt, envelopeId }),
    signingTime: platform.clock(),
    signerName: signer.fullName,
    reserveBytes: SIGNATURE_BYTES + trust.timestampReserveBytes,
  };
}

type Prepared = { readonly before: Uint8Array; readonly prepared: PreparedSignature; readonly issued: IssuedSigner };

/** Signs and stamps a prepared revision; `before` must be what it begins with. */
export async function signPrepared({ platform, trust }: SealingDeps, { before, prepared, issued }: Prepared): Promise<SignedBytes> {
  const cms = await createSignature({ signer: issued.signer, tsa: trust.timestamp, digestSha256: prepared.digestSha256 });
  const bytes = completeSignature(prepared, cms);
  assertPrefix(before, bytes);
  return { bytes, ocspDer: await issued.attest(platform.clock()) };
}

function readKeptMark(mark: KeptMark): Mark {
  return mark.kind === "image" ? { kind: "image", bytes: new Uint8Array(Buffer.from(mark.png_base64, "base64")) } : mark;
}
