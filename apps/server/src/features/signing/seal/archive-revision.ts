import { toHex } from "@paraphe/kernel/bytes";
import { idSchema } from "@paraphe/contracts";
import type { PadesLevel, SignatureReport, ValidationReport } from "@paraphe/pades";
import {
  completeSignature,
  type LongTermNeeds,
  parseCertificate,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import * as z from "zod/mini";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { addRevision, type StoredDocument } from "../../documents/public.ts";
import {
  commit,
  type EnvelopeAggregate,
  loadEnvelope,
  lockEnvelope,
} from "../../envelopes/public.ts";
import { SYSTEM_ACTOR } from "../../journal/public.ts";
import type { StoredRevocation } from "../../trust/public.ts";
import type { SealingDeps } from "./create-sealing.ts";
import {
  type ArchiveRow,
  type DueArchive,
  hastenRenewals,
  listDueArchives,
  loadArchive,
  loadKept,
  saveArchives,
} from "./store.ts";

/** What we wrote is not what we meant to write. It is never stored nor acknowledged; the work is tried again. */
export class UnsoundSignatureError extends Error {
  override readonly name = "UnsoundSignatureError";
}

/** Every earlier revision stays as it is in what comes after: that is what keeps earlier signatures valid. */
export function assertPrefix(before: Uint8Array, after: Uint8Array): void {
  if (
    after.length <= before.length ||
    Buffer.compare(before, after.subarray(0, before.length)) !== 0
  ) {
    throw new UnsoundSignatureError(
      "The new revision does not begin with the bytes of the one before",
    );
  }
}

/**
 * Our own validator must pass the new signature, which covers the whole file; earlier ones must not have been broken. Gives its level.
 * Earlier signatures of other makers may stay INDETERMINATE: their authorities are not ours to know.
 */
export function assertSigned(report: ValidationReport): PadesLevel {
  const made = report.signatures.findLast((signature) => signature.coverage === "whole_file");
  if (
    isBroken(report) ||
    made === undefined ||
    made.indication !== "TOTAL_PASSED" ||
    made.level === null ||
    made.level === "B-B"
  )
    throw unsound("signed", report);
  return made.level;
}

/**
 * The file must prove each of our signatures, by its serial number, at level B-LTA, and end with a document time-stamp that passes.
 * `serialNumbers`: one for each signature; the organisation's key may have made several.
 */
export function assertArchived(report: ValidationReport, serialNumbers: readonly string[]): void {
  const last = report.signatures.at(-1);
  const isStamped =
    last?.kind === "document_timestamp" &&
    last.coverage === "whole_file" &&
    last.indication === "TOTAL_PASSED";
  const proven = report.signatures
    .filter(isProven)
    .map((signature) => signature.certificate?.serialNumber ?? "");
  const count = (list: readonly string[], serial: string) =>
    list.filter((each) => each === serial).length;
  const isProvenWhole = serialNumbers.every(
    (serial) => count(proven, serial) >= count(serialNumbers, serial),
  );
  if (isBroken(report) || !isStamped || !isProvenWhole) throw unsound("archived", report);
}

function isProven({ kind, indication, level }: SignatureReport): boolean {
  return kind === "signature" && indication === "TOTAL_PASSED" && level === "B-LTA";
}

function isBroken(report: ValidationReport): boolean {
  return (
    report.problems.length > 0 ||
    report.signatures.some((signature) => signature.indication === "TOTAL_FAILED")
  );
}

function unsound(revision: "signed" | "archived", report: ValidationReport): UnsoundSignatureError {
  const found = report.signatures
    .map(
      ({ kind, indication, subIndication, level, laterChanges }) =>
        `${kind}/${indication}/${subIndication ?? "-"}/${level ?? "-"}/${laterChanges}`,
    )
    .join(", ");
  return new UnsoundSignatureError(
    `The ${revision} revision was not passed by the validator: ${found}; ${report.problems.join(", ")}`,
  );
}

const DAY_MS = 86_400_000;
const MARGIN_MS = 180 * DAY_MS;

/**
 * Says when a document time-stamp is to be followed by another: half a year before its authority's certificate ends, and never in the last quarter of its life.
 * An authority whose certificate soon ends is asked again before then, more and more often until it has a new one.
 */
export function renewalTime(stampedAt: Date, validUntil: Date): Date {
  const life = validUntil.getTime() - stampedAt.getTime();
  return new Date(validUntil.getTime() - Math.min(MARGIN_MS, Math.max(0, life / 4)));
}

/** Gives what was kept to prove the signatures of each document of an envelope. */
export async function loadProofs(
  reader: Reader,
  envelopeId: string,
): Promise<ReadonlyMap<string, KeptProof>> {
  const proofs = new Map<
    string,
    { ocsps: Uint8Array[]; crls: Uint8Array[]; serialNumbers: string[] }
  >();
  for (const { documentId, serialNumber, ocspDer, crlDer } of await loadKept(reader, envelopeId)) {
    const proof = proofs.get(documentId) ?? { ocsps: [], crls: [], serialNumbers: [] };
    proofs.set(documentId, proof);
    proof.serialNumbers.push(serialNumber);
    if (ocspDer !== null) proof.ocsps.push(ocspDer);
    if (crlDer !== null) proof.crls.push(crlDer);
  }
  return proofs;
}

/** A revision at level B-LTA, validated, stored nowhere yet. */
type ArchivedBytes = {
  readonly bytes: Uint8Array;
  /** Serial number of the time-stamping authority's certificate. */
  readonly authoritySerial: string;
  readonly stampedAt: Date;
  /** When the last document time-stamp can no longer prove itself. */
  readonly validUntil: Date;
  readonly renewAt: Date;
};
/** The same, stored and fsynced, not yet referred to by a row. */
export type ArchivedRevision = Omit<ArchivedBytes, "bytes"> & {
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

/** Our signatures in a file: each must be proven by it. Serial numbers are lower-case hexadecimal. `needs`: known already, of a file of the same chains. */
export type KeptProof = StoredRevocation & {
  readonly serialNumbers: readonly string[];
  readonly needs?: LongTermNeeds;
};

/** Lists what a file needs to prove itself for the long term. */
export async function needsOf(
  { platform, trust }: SealingDeps,
  bytes: Uint8Array,
): Promise<LongTermNeeds> {
  const { trustAnchors, certificates = [] } = await trust.evidence();
  return platform.sandbox.call("longTermNeeds", bytes, { trustAnchors, certificates });
}

/** Makes the revision that proves itself for the long term, as `archiveBytes` does, and stores it. */
export async function archiveRevision(
  deps: SealingDeps,
  before: Uint8Array,
  kept: KeptProof,
): Promise<ArchivedRevision> {
  const { bytes, ...archive } = await archiveBytes(deps, before, kept);
  return { ...archive, sha256: await deps.platform.files.put(bytes), sizeBytes: bytes.length };
}

/**
 * Makes the revision that proves itself for the long term: certificates, OCSP answers and lists of every chain, and a document time-stamp over them all.
 * The same again renews it. It is validated on its own evidence, whole.
 * Errors: `TimestampUnavailableError`; `UnsoundSignatureError`.
 * Source: EN 319 142-1 §5.4, §6.2 (B-LTA).
 */
export async function archiveBytes(
  deps: SealingDeps,
  before: Uint8Array,
  kept: KeptProof,
): Promise<ArchivedBytes> {
  const { platform, trust } = deps;
  const longTermData = await trust.gatherLongTerm(
    kept.needs ?? (await needsOf(deps, before)),
    kept,
  );
  const prepared = await platform.sandbox.call("prepareDocumentTimestamp", before, {
    longTermData,
    reserveBytes: trust.timestampReserveBytes,
  });
  const token = await trust.timestamp.timestamp(prepared.digestSha256);
  const stamp = await verifyTimestampToken(token, { imprint: prepared.digestSha256 });
  const after = completeSignature(prepared, token);
  assertPrefix(before, after);
  const report = await platform.sandbox.call("validate", after, {
    evidence: { trustAnchors: (await trust.evidence()).trustAnchors },
    // The time-stamp of an outside authority may be a moment ahead of this machine's clock.
    now: new Date(platform.clock().getTime() + 1_000),
    policy: { revocation: "required" },
  });
  assertArchived(report, kept.serialNumbers);
  const chain = [stamp.certificateDer, ...stamp.certificates].map(parseCertificate);
  const validUntil = new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime())));
  return {
    bytes: after,
    authoritySerial: Buffer.from(parseCertificate(stamp.certificateDer).serialNumber).toString(
      "hex",
    ),
    stampedAt: stamp.time,
    validUntil,
    renewAt: renewalTime(stamp.time, validUntil),
  };
}

/** Makes a stored B-LTA revision the document's current one, in `done`; gives the row to keep of its time-stamp. Its statements are sent before it returns. */
export function addArchive(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "files">,
  {
    documentId,
    previousNumber,
    archive,
  }: { documentId: string; previousNumber: number; archive: ArchivedRevision },
): { readonly row: ArchiveRow; readonly done: Promise<unknown> } {
  const { sha256, sizeBytes, authoritySerial, stampedAt, validUntil, renewAt } = archive;
  const made = {
    documentId,
    previousNumber,
    kind: "completed",
    sha256,
    sizeBytes,
    recipientId: null,
  } as const;
  return {
    row: {
      documentId,
      revision: previousNumber + 1,
      authoritySerial,
      stampedAt,
      validUntil,
      renewAt,
    },
    done: addRevision(trx, platform, made),
  };
}

export const RENEW_JOB = "renew-archive";
export const renewalPayload = z.strictObject({ envelope_id: idSchema, document_id: idSchema });
/** What one hour's round takes up; the next ones do the rest. */
const ROUND = 2_000;

/** `renewed`; `current`: it was done already; `postponed`: the authority has no later certificate yet; `gone`: purged meanwhile. */
type RenewalOutcome = "renewed" | "current" | "postponed" | "gone";

/** Enqueues the renewal of each document that is due, once each. */
export async function enqueueRenewals({ platform }: SealingDeps): Promise<number> {
  const due = await listDueArchives(platform.db, { now: platform.clock(), limit: ROUND });
  for (const { envelopeId, documentId } of due) {
    await platform.db
      .transaction()
      .execute((trx) =>
        platform.queue.enqueue(
          trx,
          RENEW_JOB,
          { envelope_id: envelopeId, document_id: documentId },
          { singletonKey: documentId },
        ),
      );
  }
  return due.length;
}

/** Makes every document stamped by one of these authorities due at once, before they are revoked; gives how many are left to renew. */
export function hastenRenewalsOf(
  { platform }: Pick<SealingDeps, "platform">,
  authoritySerials: readonly string[],
): Promise<number> {
  return platform.db
    .transaction()
    .execute((trx) => hastenRenewals(trx, authoritySerials, platform.clock()));
}

/**
 * Adds another document time-stamp to a completed document before the last one can no longer prove itself, with what proves that one (EN 319 142-1 §5.4).
 * Run any number of times, it renews once.
 * Errors: `TimestampUnavailableError`, `UnsoundSignatureError`: nothing was changed, it is to be tried again.
 */
export function renewArchive(deps: SealingDeps, due: DueArchive): Promise<RenewalOutcome> {
  return deps.turns.run(due.envelopeId, () => renewInTurn(deps, due));
}

/** The time-stamp is asked for in no transaction; of two processes that renew one document, the first to commit has. */
async function renewInTurn(
  deps: SealingDeps,
  { envelopeId, documentId }: DueArchive,
): Promise<RenewalOutcome> {
  const { platform } = deps;
  const { db } = platform;
  const last = await loadArchive(db, documentId);
  if (last === null || last.renewAt > platform.clock()) return "current";
  const document = documentOf(await loadEnvelope(db, envelopeId), documentId);
  if (document === null) return "gone";
  const kept = (await loadProofs(db, envelopeId)).get(documentId) ?? {
    ocsps: [],
    crls: [],
    serialNumbers: [],
  };
  const archive = await archiveRevision(
    deps,
    await platform.files.get(document.current.sha256),
    kept,
  );
  return inTransaction(db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    const current = documentOf(aggregate, documentId);
    if (aggregate === null || current === null) return "gone";
    if (current.current.number !== document.current.number || !(await isStillDue(trx, last)))
      return "current";
    if (archive.authoritySerial === last.authoritySerial) return postpone(trx, deps, last);
    const { row, done } = addArchive(trx, platform, {
      documentId,
      previousNumber: document.current.number,
      archive,
    });
    await commit(trx, platform, {
      about: aggregate,
      writes: [() => done, () => saveArchives(trx, [row])],
      events: [
        {
          envelopeId,
          action: "archive_renewed",
          actor: SYSTEM_ACTOR,
          detail: {
            document: `${documentId}:${toHex(archive.sha256)}`,
            valid_until: row.validUntil.toISOString(),
          },
        },
      ],
    });
    return "renewed";
  });
}

/** Nobody renewed it, postponed it or made it due sooner since it was read. */
async function isStillDue(trx: Transaction, last: ArchiveRow): Promise<boolean> {
  return (await loadArchive(trx, last.documentId))?.renewAt.getTime() === last.renewAt.getTime();
}

function documentOf(
  aggregate: EnvelopeAggregate | null,
  documentId: string,
): StoredDocument | null {
  return aggregate?.documents.find(({ id }) => id === documentId) ?? null;
}

/** A stamp by the certificate that ends would prove nothing for longer: the document is left as it is until the authority has another. */
async function postpone(
  trx: Transaction,
  { platform }: SealingDeps,
  last: ArchiveRow,
): Promise<RenewalOutcome> {
  platform.log.warn(
    { document_id: last.documentId, valid_until: last.validUntil.toISOString() },
    "a document time-stamp is to be renewed, and the time-stamping authority has no later certificate yet",
  );
  await saveArchives(trx, [{ ...last, renewAt: renewalTime(platform.clock(), last.validUntil) }]);
  return "postponed";
}
