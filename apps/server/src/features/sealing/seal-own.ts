import { CONSENT_VERSION } from "@paraphe/contracts";
import type { LongTermNeeds, OwnField } from "@paraphe/pades";
import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import { type FieldToPrepare, ownFieldsToPrepare } from "../documents/index.ts";
import type { IssuedSigner, PublishedCrl } from "../trust/index.ts";
import type { KeptMark } from "./act-content.ts";
import { type ArchivedRevision, archiveRevision, needsOf } from "./archive-revision.ts";
import { saveArchives } from "./archive-store.ts";
import type { SealingDeps } from "./deps.ts";
import { signatureOptions, signPrepared } from "./sign-bytes.ts";
import { type ActMethod, insertSealedAct, insertSignatures } from "./store.ts";

/** What the last file of the same signer needed to prove itself: the next one needs the same, if no other signature is in it. */
export type NeedsMemory = { needs: LongTermNeeds | null };

/** A PDF whose one signer is there: prepared, signed and proven for the long term in one go, before anything is written down. */
export type OwnSealing = {
  readonly envelopeId: string;
  readonly signer: { readonly id: string; readonly fullName: string };
  readonly original: Uint8Array;
  readonly fields: readonly FieldToPrepare[];
  readonly ownFields: readonly OwnField[];
  readonly mark: KeptMark;
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
  /** Null for a file that others have signed. */
  readonly memory: NeedsMemory | null;
};

/** The completed revision, stored and fsynced, not yet referred to by a row. */
export type OwnSealed = {
  readonly archive: ArchivedRevision;
  readonly ocspDer: Uint8Array;
  readonly crl: PublishedCrl;
};

/**
 * Makes the one signature of a PDF and, on the same bytes, the revision that proves it (B-LTA), validated whole before it is stored.
 * Errors: `PadesError`, `SandboxLimitError`, `SandboxBusyError` over the file; `TimestampUnavailableError`; `UnsoundSignatureError`; `StorageFullError`.
 */
export async function sealOwn(deps: SealingDeps, work: OwnSealing): Promise<OwnSealed> {
  const { original, issued, memory } = work;
  const crl = await deps.trust.crlAbout(issued.certificateDer);
  if (crl === null) throw new Error("The issuer of a certificate made just now has no list");
  const appended = await deps.platform.sandbox.call("prepareOwnSignature", original, {
    fields: ownFieldsToPrepare(work),
    signature: signatureOptions(deps, work),
  });
  const prepared = { ...appended, bytes: joined(original, appended.bytes) };
  const { bytes, ocspDer } = await signPrepared(deps, { before: original, prepared, issued });
  const needs = memory?.needs ?? (await needsOf(deps, bytes));
  if (memory !== null) memory.needs = needs;
  const kept = { ocsps: [ocspDer], crls: [crl.der], serialNumbers: [issued.serialNumber], needs };
  return { archive: await archiveRevision(deps, bytes, kept), ocspDer, crl };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

export type OwnSealingRecord = {
  /** One act makes one signature: whoever gives the same id twice fails. */
  readonly actId: string;
  readonly userId: string;
  readonly method: Extract<ActMethod, "self" | "bulk">;
  readonly work: OwnSealing;
  readonly sealed: OwnSealed;
  readonly documentId: string;
  /** The revision that the signature is in. */
  readonly revision: number;
  readonly documentsSha256: Uint8Array;
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
};

/** Writes down the act, its signature, its certificate and its archive, in the transaction that writes their envelope. */
export async function recordOwnSealing(trx: Transaction, { platform }: SealingDeps, record: OwnSealingRecord): Promise<void> {
  const { work, sealed, actId, documentId, revision } = record;
  const { envelopeId, signer, issued, signedAt } = work;
  const { archive, ocspDer, crl } = sealed;
  const { authoritySerial, stampedAt, validUntil, renewAt } = archive;
  await together([
    insertSealedAct(trx, {
      id: actId,
      envelopeId,
      recipientId: signer.id,
      userId: record.userId,
      method: record.method,
      consentVersion: CONSENT_VERSION,
      documentsSha256: record.documentsSha256,
      ip: record.client.ip,
      userAgent: record.client.userAgent,
      signedAt,
      sealedAt: platform.clock(),
    }),
    issued.record(trx),
    insertSignatures(trx, [
      {
        id: platform.newId(),
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
        ocspDer,
        crl,
      },
    ]),
    saveArchives(trx, [{ documentId, revision, authoritySerial, stampedAt, validUntil, renewAt }]),
  ]);
}
