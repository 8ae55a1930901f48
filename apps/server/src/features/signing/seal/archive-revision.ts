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
import { inTransaction, writeTogether } from "../../../platform/database/in-transaction.ts";
import { addRevisions, type StoredDocument } from "../../documents/public.ts";
import {
  commit,
  type EnvelopeAggregate,
  loadEnvelope,
  lockEnvelope,
} from "../../envelopes/public.ts";
import { SYSTEM_ACTOR } from "../../journal/public.ts";
import {
  type IssuedSigner,
  RevocationUnaskableError,
  type StoredRevocation,
} from "../../trust/public.ts";
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

/** The signature is neither stored nor acknowledged; sealing is retried. */
export class UnsoundSignatureError extends Error {
  override readonly name = "UnsoundSignatureError";
}

/** A file that begins with the earlier one keeps its signatures valid, and its remembered hash true. */
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
 * Requires that the new signature passes and covers the file, and that none is broken. Earlier ones
 * by unknown authorities may stay INDETERMINATE.
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
 * Requires that each of our signatures, by serial number, reaches B-LTA, and that a passing
 * document time-stamp ends the file.
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
 * Renews half a year before the authority's certificate ends, outside its last quarter; then at
 * ever shorter intervals.
 */
export function renewalTime(stampedAt: Date, validUntil: Date): Date {
  const life = validUntil.getTime() - stampedAt.getTime();
  return new Date(validUntil.getTime() - Math.min(MARGIN_MS, Math.max(0, life / 4)));
}

export async function loadProofs(
  reader: Reader,
  { id, signedCount }: Pick<EnvelopeAggregate["envelope"], "id" | "signedCount">,
): Promise<ReadonlyMap<string, KeptProof>> {
  if (signedCount === 0) return new Map();
  const proofs = new Map<
    string,
    { ocsps: Uint8Array[]; crls: Uint8Array[]; serialNumbers: string[] }
  >();
  for (const { documentId, serialNumber, ocspDer, crlDer } of await loadKept(reader, id)) {
    const proof = proofs.get(documentId) ?? { ocsps: [], crls: [], serialNumbers: [] };
    proofs.set(documentId, proof);
    proof.serialNumbers.push(serialNumber);
    if (ocspDer !== null) proof.ocsps.push(ocspDer);
    if (crlDer !== null) proof.crls.push(crlDer);
  }
  return proofs;
}

/** Validated at B-LTA, not stored. */
type ArchivedBytes = {
  readonly bytes: Uint8Array;
  readonly authoritySerial: string;
  readonly stampedAt: Date;
  /** The last document time-stamp proves nothing after this. */
  readonly validUntil: Date;
  readonly renewAt: Date;
};
/** Stored and fsynced, without a row yet. */
export type ArchivedRevision = Omit<ArchivedBytes, "bytes"> & {
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

/** Serial numbers are lower-case hexadecimal; `needs` comes from a file of the same chains. */
export type KeptProof = StoredRevocation & {
  readonly serialNumbers: readonly string[];
  readonly needs?: LongTermNeeds;
};

async function needsOf(
  { platform, trust }: SealingDeps,
  bytes: Uint8Array,
): Promise<LongTermNeeds> {
  const { trustAnchors, certificates = [] } = await trust.evidence();
  return platform.sandbox.call("longTermNeeds", bytes, { trustAnchors, certificates });
}

export async function storeArchived(
  { platform }: SealingDeps,
  { bytes, ...archive }: ArchivedBytes,
): Promise<ArchivedRevision> {
  return { ...archive, sha256: await platform.files.put(bytes), sizeBytes: bytes.length };
}

type OurSignatures = {
  readonly kept: KeptProof;
  readonly issued: IssuedSigner;
  /** DER of the earlier signers' certificates. */
  readonly others: readonly Uint8Array[];
};

/**
 * Archives a file that has our signatures alone. Reuses the last file's long-term needs; gathers
 * its own where they do not suffice (an outside authority with several keys).
 */
export async function archiveOurs(
  deps: SealingDeps,
  bytes: Uint8Array,
  { kept, issued, others }: OurSignatures,
): Promise<ArchivedBytes> {
  const vouching = { issued, evidence: await deps.trust.evidence() };
  const remembered = deps.needs.recall(vouching, others);
  try {
    if (remembered !== null) return await archiveBytes(deps, bytes, { ...kept, needs: remembered });
  } catch (error) {
    // An authority that is away would fail the second attempt too.
    if (!(error instanceof UnsoundSignatureError || error instanceof RevocationUnaskableError))
      throw error;
    deps.needs.forget();
  }
  const needs = await needsOf(deps, bytes);
  const archived = await archiveBytes(deps, bytes, { ...kept, needs });
  const isLasting = (der: Uint8Array) => !others.some((one) => Buffer.compare(one, der) === 0);
  deps.needs.keep(vouching, {
    certificates: needs.certificates.filter(isLasting),
    revocations: needs.revocations.filter(({ certificate }) => isLasting(certificate)),
  });
  return archived;
}

/**
 * Adds certificates, OCSP answers and CRLs of every chain, and a document time-stamp; validates the
 * result by its own evidence. Renewal uses it too.
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
    // The clock of an outside authority may be ahead.
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

/** The rows make a stored B-LTA revision current. */
export function archiveRows({
  documentId,
  previousNumber,
  archive,
}: {
  documentId: string;
  previousNumber: number;
  archive: ArchivedRevision;
}) {
  const { sha256, sizeBytes, authoritySerial, stampedAt, validUntil, renewAt } = archive;
  const kind = "completed" as const;
  const revision = previousNumber + 1;
  return {
    revision: { documentId, previousNumber, kind, sha256, sizeBytes, recipientId: null },
    archive: { documentId, revision, authoritySerial, stampedAt, validUntil, renewAt },
  };
}

export const RENEW_JOB = "renew-archive";
export const renewalPayload = z.strictObject({ envelope_id: idSchema, document_id: idSchema });
const ROUND = 2_000;

/**
 * `current`: nothing to do; `postponed`: the authority has no later certificate; `gone`: purged.
 */
type RenewalOutcome = "renewed" | "current" | "postponed" | "gone";

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

/**
 * Hastens documents stamped by these authorities, before their revocation; gives the number left.
 */
export function hastenRenewalsOf(
  { platform }: Pick<SealingDeps, "platform">,
  authoritySerials: readonly string[],
): Promise<number> {
  return platform.db
    .transaction()
    .execute((trx) => hastenRenewals(trx, authoritySerials, platform.clock()));
}

/**
 * Renews before the last time-stamp expires, with its evidence (EN 319 142-1 §5.4). Idempotent.
 * Errors: `TimestampUnavailableError`, `UnsoundSignatureError`: nothing changed.
 */
export function renewArchive(deps: SealingDeps, due: DueArchive): Promise<RenewalOutcome> {
  return deps.turns.run(due.envelopeId, () => renewInTurn(deps, due));
}

/** No transaction stays open meanwhile; the first commit wins. */
async function renewInTurn(
  deps: SealingDeps,
  { envelopeId, documentId }: DueArchive,
): Promise<RenewalOutcome> {
  const { platform } = deps;
  const { db } = platform;
  const last = await loadArchive(db, documentId);
  if (last === null || last.renewAt > platform.clock()) return "current";
  const seen = await loadEnvelope(db, envelopeId);
  const document = documentOf(seen, documentId);
  if (seen === null || document === null) return "gone";
  const kept = (await loadProofs(db, seen.envelope)).get(documentId) ?? {
    ocsps: [],
    crls: [],
    serialNumbers: [],
  };
  const file = await platform.files.get(document.current.sha256);
  const archive = await storeArchived(deps, await archiveBytes(deps, file, kept));
  return inTransaction(db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    const current = documentOf(aggregate, documentId);
    if (aggregate === null || current === null) return "gone";
    if (current.current.number !== document.current.number || !(await isStillDue(trx, last)))
      return "current";
    if (archive.authoritySerial === last.authoritySerial) return postpone(trx, deps, last);
    const rows = archiveRows({ documentId, previousNumber: document.current.number, archive });
    await commit(trx, platform, {
      about: aggregate,
      writes: [addRevisions(platform, [rows.revision]), saveArchives([rows.archive])],
      events: [
        {
          envelopeId,
          action: "archive_renewed",
          actor: SYSTEM_ACTOR,
          detail: {
            document: `${documentId}:${toHex(archive.sha256)}`,
            valid_until: rows.archive.validUntil.toISOString(),
          },
        },
      ],
    });
    return "renewed";
  });
}

async function isStillDue(trx: Transaction, last: ArchiveRow): Promise<boolean> {
  return (await loadArchive(trx, last.documentId))?.renewAt.getTime() === last.renewAt.getTime();
}

function documentOf(
  aggregate: EnvelopeAggregate | null,
  documentId: string,
): StoredDocument | null {
  return aggregate?.documents.find(({ id }) => id === documentId) ?? null;
}

/** A time-stamp by the expiring certificate would prove nothing longer. */
async function postpone(
  trx: Transaction,
  { platform }: SealingDeps,
  last: ArchiveRow,
): Promise<RenewalOutcome> {
  platform.log.warn(
    { document_id: last.documentId, valid_until: last.validUntil.toISOString() },
    "a document time-stamp is to be renewed, and the time-stamping authority has no later certificate yet",
  );
  const renewAt = renewalTime(platform.clock(), last.validUntil);
  await writeTogether(trx, [saveArchives([{ ...last, renewAt }])]);
  return "postponed";
}
