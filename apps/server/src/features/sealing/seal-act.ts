import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import { failPoint } from "../../platform/fail-point.ts";
import { HsmUnavailableError } from "../../platform/hsm/hsm.ts";
import { SYSTEM_ACTOR } from "../audit/index.ts";
import { addRevision, type Revision, type StoredDocument } from "../documents/index.ts";
import {
  decideSignature,
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  loadEnvelope,
  lockEnvelope,
  recordSignature,
  voidConsents,
} from "../envelopes/index.ts";
import type { IssuedSigner, PublishedCrl } from "../trust/index.ts";
import type { ActContent } from "./act-content.ts";
import { addArchive } from "./add-archive.ts";
import { certifiedEmail } from "./certified-email.ts";
import { type ArchiveRow, saveArchives } from "./archive-store.ts";
import type { SealingDeps } from "./deps.ts";
import { loadProofs } from "./load-proofs.ts";
import { SEAL_JOB } from "./record-act.ts";
import { type SignedDocument, signDocument } from "./sign-document.ts";
import {
  type Act,
  holdSealing,
  insertSignatures,
  loadAct,
  markActSealed,
  type NewSignature,
  noteActFailure,
  raiseLevels,
  saveFieldValues,
} from "./store.ts";

/** `sealed`: the signature stands, now or already; `void`: the envelope closed before it could; `unknown`: there is no such act. */
export type SealOutcome = "sealed" | "void" | "unknown";

export type WaitingAct = Pick<Act, "id" | "envelopeId">;

/**
 * Makes the signatures of one act, in every document of its envelope, then commits everything that follows from them at once.
 * It may run any number of times, in any number of processes: signatures of one envelope are made one after the other, and an act once.
 * Throws when it cannot be done now (`TimestampUnavailableError`, storage full, …): nothing is lost, it is to be tried again.
 */
export async function sealAct(deps: SealingDeps, actId: string): Promise<SealOutcome> {
  const act = await loadAct(deps.platform.db, actId);
  if (act === null) return "unknown";
  return act.sealedAt === null ? sealWaitingAct(deps, act) : "sealed";
}

/** `sealAct` for an act whose envelope is known: it was recorded a moment ago. */
export async function sealWaitingAct(deps: SealingDeps, act: WaitingAct): Promise<SealOutcome> {
  try {
    failPoint("act_committed");
    const outcome = await deps.turns.run(act.envelopeId, () => inTransaction(deps.platform.db, (trx) => sealInTurn(trx, deps, act)));
    failPoint("signature_committed");
    return outcome;
  } catch (error) {
    if (error instanceof ActWithdrawnError) return "void";
    await noteActFailure(deps.platform.db, act.id, error instanceof Error ? error.name : "unknown");
    throw error;
  }
}

/** Its sender withdrew the act while its signature was being made: the whole transaction goes back. */
class ActWithdrawnError extends Error {
  override readonly name = "ActWithdrawnError";
}

/**
 * The transaction holds this envelope's sealing from the first read to the commit, so that the revision signed is the current one.
 * The envelope's own row is locked only for the last writes: readers and the sender are not kept waiting by the work on the PDF.
 */
async function sealInTurn(trx: Transaction, deps: SealingDeps, { id, envelopeId }: WaitingAct): Promise<SealOutcome> {
  const [, act, aggregate] = await together([holdSealing(trx, envelopeId), loadAct(trx, id), loadEnvelope(trx, envelopeId)]);
  if (act === null) return "unknown";
  if (act.sealedAt !== null || act.content === null) return "sealed";
  const recipient = aggregate?.recipients.find((candidate) => candidate.id === act.recipientId);
  if (aggregate === null || recipient === undefined || !isOpen(aggregate)) return voidAct(trx, deps, act);

  const issued = await signerOf(trx, deps, { act, recipient });
  const crl = await deps.trust.crlAbout(issued.certificateDer);
  if (crl === null) throw new Error("The issuer of a certificate made just now has no list");
  const completes = completesEnvelope(aggregate, recipient.id) ? await loadProofs(trx, envelopeId) : null;
  const work = { aggregate, recipient, content: act.content, signedAt: act.signedAt, issued, crl, completes };
  const signed: SignedDocument[] = [];
  for (const document of aggregate.documents) signed.push(await signDocument(deps, work, document));
  failPoint("file_stored");
  const current = await lockEnvelope(trx, envelopeId);
  if (current === null || !isOpen(current)) return voidAct(trx, deps, act);
  await commitSignatures(trx, deps, { act, content: act.content, current, recipient, issued, crl, signed });
  failPoint("signature_written");
  return "sealed";
}

type Agreed = { readonly act: Act; readonly recipient: EnvelopeRecipient };

/** A one-time signer for this person; for an act by the organisation's hardware key, that key, which must answer. */
async function signerOf(trx: Transaction, { trust, platform }: SealingDeps, { act, recipient }: Agreed): Promise<IssuedSigner> {
  if (act.method !== "hsm") {
    const email = await certifiedEmail(trx, act.envelopeId, recipient);
    return trust.issueSigner({ fullName: recipient.fullName, email, now: platform.clock() });
  }
  const signer = await trust.hsmSigner();
  if (signer === null) throw new HsmUnavailableError("The organisation's key does not answer");
  return signer;
}

type Commit = {
  readonly act: Act;
  readonly content: ActContent;
  /** The envelope as it is under its lock. */
  readonly current: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  readonly issued: IssuedSigner;
  readonly crl: PublishedCrl;
  readonly signed: readonly SignedDocument[];
};

/** Everything that follows from a signature, in one transaction: revisions, signatures, certificate, act closed, recipient, next turns, journal, messages. */
async function commitSignatures(trx: Transaction, deps: SealingDeps, commit: Commit): Promise<void> {
  const { platform } = deps;
  const { act, content, current, recipient, issued, signed } = commit;
  const [, , isWaiting, , , recorded] = await together([
    commitRevisions(trx, deps, commit),
    issued.record(trx),
    markActSealed(trx, act.id, platform.clock()),
    saveFieldValues(trx, content.fields),
    platform.queue.withdraw(trx, SEAL_JOB, act.id),
    recordSignature(trx, platform, {
      aggregate: { ...current, documents: signed.map(withNewRevision) },
      recipientId: recipient.id,
      signedAt: act.signedAt,
      level: lowestLevel(signed),
      client: { ip: act.ip, userAgent: act.userAgent },
      ...(act.method === "self" || act.method === "bulk" ? { tell: "nobody" } : {}),
      detail: {
        method: act.method,
        certificate_serial: issued.serialNumber,
        documents: signed.map(({ document, sha256 }) => fingerprint(document.id, sha256)),
      },
      completionDetail: {
        documents: signed.flatMap(({ document, archive }) => (archive === null ? [] : [fingerprint(document.id, archive.sha256)])),
      },
    }),
  ]);
  if (!isWaiting) throw new ActWithdrawnError();
  if (!recorded.ok) throw new Error(`The signature was refused under the lock: ${recorded.error.code}`);
}

/** Gives the document as it will be once the signature is committed. */
function withNewRevision({ document, sha256, sizeBytes, archive }: SignedDocument): StoredDocument {
  const { number } = document.current;
  const current: Revision =
    archive === null
      ? { number: number + 1, kind: "signed", sha256, sizeBytes }
      : { number: number + 2, kind: "completed", sha256: archive.sha256, sizeBytes: archive.sizeBytes };
  return { ...document, current };
}

/** The signed revisions, the completed ones after them, and what is kept of each. */
async function commitRevisions(trx: Transaction, { platform }: SealingDeps, commit: Commit): Promise<void> {
  const { act, recipient, signed } = commit;
  const revisions: Promise<unknown>[] = [];
  const archives: ArchiveRow[] = [];
  for (const { document, archive, sha256, sizeBytes } of signed) {
    const made = {
      documentId: document.id,
      previousNumber: document.current.number,
      sha256,
      sizeBytes,
      recipientId: recipient.id,
    } as const;
    revisions.push(addRevision(trx, platform, { ...made, kind: "signed" }));
    if (archive === null) continue;
    const added = addArchive(trx, platform, { documentId: document.id, previousNumber: document.current.number + 1, archive });
    revisions.push(added.done);
    archives.push(added.row);
  }
  await together([
    ...revisions,
    insertSignatures(
      trx,
      signed.map((one) => signatureRow(platform.newId(), commit, one)),
    ),
    saveArchives(trx, archives),
    archives.length > 0 ? raiseLevels(trx, act.envelopeId, "B-LTA") : Promise.resolve(),
  ]);
}

function signatureRow(id: string, { act, recipient, issued, crl }: Commit, { document, level, ocspDer }: SignedDocument): NewSignature {
  return {
    id,
    envelopeId: act.envelopeId,
    documentId: document.id,
    recipientId: recipient.id,
    actId: act.id,
    revision: document.current.number + 1,
    signerName: recipient.fullName,
    level,
    certificateDer: issued.certificateDer,
    serialNumber: issued.serialNumber,
    signedAt: act.signedAt,
    ocspDer,
    crl,
  };
}

function fingerprint(documentId: string, sha256: Uint8Array): string {
  return `${documentId}:${Buffer.from(sha256).toString("hex")}`;
}

/** An act is withdrawn only when its envelope closed before its signature was made; the person is free to sign again if it reopens. */
async function voidAct(trx: Transaction, deps: SealingDeps, act: Act): Promise<SealOutcome> {
  await lockEnvelope(trx, act.envelopeId);
  await voidConsents(trx, deps.platform, { envelopeId: act.envelopeId, actor: SYSTEM_ACTOR });
  return "void";
}

/** Nobody else can sign meanwhile: this envelope's sealing is held. */
function completesEnvelope(aggregate: EnvelopeAggregate, recipientId: string): boolean {
  const decision = decideSignature(aggregate, recipientId);
  return decision.ok && decision.value.status === "completed";
}

function isOpen(aggregate: EnvelopeAggregate): boolean {
  return aggregate.envelope.status === "sent" || aggregate.envelope.status === "pending";
}

/** What was reached for the envelope is what was reached for each of its documents. */
function lowestLevel(signed: readonly SignedDocument[]): SignedDocument["level"] {
  const order = ["B-B", "B-T", "B-LT", "B-LTA"] as const;
  return order[Math.min(...signed.map(({ level }) => order.indexOf(level)))] ?? "B-B";
}
