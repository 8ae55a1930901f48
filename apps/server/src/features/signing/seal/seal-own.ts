import { CONSENT_VERSION } from "@paraphe/contracts";
import type { OwnField } from "@paraphe/pades";
import type { WriteStep } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import { type FieldToPrepare, ownFieldsToPrepare } from "../../documents/public.ts";
import type { IssuedSigner, PublishedCrl } from "../../trust/public.ts";
import {
  type ActMethod,
  insertSealedActs,
  insertSignatures,
  type StoredMark,
  type NewSignature,
  saveArchives,
} from "./store.ts";
import {
  archiveBytes,
  type ArchivedRevision,
  archiveOurs,
  storeArchived,
} from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import { signatureOptions, signPrepared } from "./sign-document.ts";

/** The only signer is present, so the document is signed and archived before any row. */
export type OwnSealing = {
  readonly envelopeId: string;
  readonly signer: { readonly id: string; readonly fullName: string };
  readonly original: Uint8Array;
  readonly fields: readonly FieldToPrepare[];
  readonly ownFields: readonly OwnField[];
  readonly mark: StoredMark;
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
  readonly isSignedBefore: boolean;
};

/** Stored and fsynced, without a row yet. */
export type OwnSealed = {
  readonly archive: ArchivedRevision;
  readonly ocspDer: Uint8Array;
  readonly crl: PublishedCrl;
};

/**
 * Seals at B-LTA, validated whole before it is stored.
 * Errors: `PadesError`, `SandboxLimitError`, `SandboxBusyError`; `TimestampUnavailableError`;
 * `UnsoundSignatureError`; `StorageFullError`.
 */
export async function sealOwn(deps: SealingDeps, work: OwnSealing): Promise<OwnSealed> {
  const { original, issued } = work;
  const [crl, prepared] = await Promise.all([
    deps.trust.crlAbout(issued.certificateDer),
    deps.platform.sandbox.call("prepareOwnSignature", original, {
      fields: ownFieldsToPrepare(work),
      signature: signatureOptions(deps, work),
    }),
  ]);
  if (crl === null) throw new Error("The issuer of a certificate made just now has no list");
  const { bytes, ocspDer } = await signPrepared(deps, { before: original, prepared, issued });
  const kept = { ocsps: [ocspDer], crls: [crl.der], serialNumbers: [issued.serialNumber] };
  const archive = await storeArchived(
    deps,
    work.isSignedBefore
      ? await archiveBytes(deps, bytes, kept)
      : await archiveOurs(deps, bytes, { kept, issued, others: [] }),
  );
  failPoint("own_file_stored");
  return { archive, ocspDer, crl };
}

export type OwnSealingRecord = {
  /** A repeated id fails: one act, one signature. */
  readonly actId: string;
  readonly userId: string;
  readonly method: Extract<ActMethod, "self" | "bulk">;
  readonly work: OwnSealing;
  readonly sealed: OwnSealed;
  readonly documentId: string;
  readonly revision: number;
  readonly documentsSha256: Uint8Array;
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
};

/** Inserts acts, signatures, certificates and archives in the envelopes' transaction. */
export function recordOwnSealings(
  { platform }: SealingDeps,
  records: readonly OwnSealingRecord[],
): readonly WriteStep[] {
  const sealedAt = platform.clock();
  return [
    insertSealedActs(
      records.map((record) => ({
        id: record.actId,
        envelopeId: record.work.envelopeId,
        recipientId: record.work.signer.id,
        userId: record.userId,
        method: record.method,
        consentVersion: CONSENT_VERSION,
        documentsSha256: record.documentsSha256,
        ip: record.client.ip,
        userAgent: record.client.userAgent,
        signedAt: record.work.signedAt,
        sealedAt,
      })),
    ),
    ...new Set(records.map(({ work }) => work.issued.recording)),
    insertSignatures(records.map((record) => signatureRow(record, platform.newId()))),
    saveArchives(
      records.map(({ documentId, revision, sealed: { archive } }) => {
        const { authoritySerial, stampedAt, validUntil, renewAt } = archive;
        return { documentId, revision, authoritySerial, stampedAt, validUntil, renewAt };
      }),
    ),
  ];
}

function signatureRow(
  { work, sealed, actId, documentId, revision }: OwnSealingRecord,
  id: string,
): NewSignature {
  const { envelopeId, signer, issued, signedAt } = work;
  return {
    id,
    envelopeId,
    documentId,
    recipientId: signer.id,
    actId,
    revision,
    signerName: signer.fullName,
    level: "B-LTA",
    certificateDer: issued.certificateDer,
    serialNumber: issued.serialNumber,
    signedAt,
    ocspDer: sealed.ocspDer,
    crl: sealed.crl,
  };
}
