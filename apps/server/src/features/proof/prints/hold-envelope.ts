import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import {
  type EnvelopeClaims,
  holdPrint,
  holdRows,
  isFileNamed,
  isNear,
  type JournalFacts,
  lastFileOf,
} from "@paraphe/proof/parts";
import { isSigned, type StoredDocument } from "../../documents/public.ts";
import { type EnvelopeAggregate, mustSign } from "../../envelopes/public.ts";
import type { WholeEnvelope } from "./read-whole.ts";
import type { PrintRow, RecordedSignature } from "./store.ts";

/** Says, in French, where the rows of an envelope differ from its journal: one of them was changed, and the journal is believed. */
export function holdEnvelope({
  aggregate,
  recorded,
  facts,
  tombstone,
}: Pick<WholeEnvelope, "aggregate" | "recorded" | "facts" | "tombstone">) {
  return aggregate === null
    ? holdTombstone(facts, tombstone)
    : holdRows(facts, claimsOf(aggregate, recorded));
}

/** The same, of the QR code that somebody holds: a row may have been led to another envelope. */
export function holdPrintRow(facts: JournalFacts, print: PrintRow | null): readonly string[] {
  return print === null
    ? []
    : holdPrint(
        facts,
        { id: print.id, qrType: print.qrType, createdAt: print.createdAt.toISOString() },
        "la base",
      );
}

function claimsOf(
  { envelope, documents, recipients }: EnvelopeAggregate,
  recorded: readonly RecordedSignature[],
): EnvelopeClaims {
  return {
    state: envelope.status,
    title: envelope.title,
    completedAt: envelope.completedAt?.toISOString() ?? null,
    signers: recipients
      .filter(mustSign)
      .map(({ id, fullName, status }) => ({ id, name: fullName, signed: status === "signed" })),
    documents: documents.map((document) => ({
      id: document.id,
      name: document.name,
      sha256: toHex(document.current.sha256),
      isSigned: isSigned(document),
    })),
    signatures: recorded.map((row) => ({
      document: row.documentId,
      recipient: row.recipientId,
      serial: row.serialNumber,
      name: row.signerName,
      signedAt: row.signedAt.toISOString(),
    })),
  };
}

/** Of a purged envelope the journal still names the files; of one that nobody had signed, those that were sent. */
function holdTombstone(
  facts: JournalFacts,
  { hashes, completedAt, purgedAt }: WholeEnvelope["tombstone"],
): readonly string[] {
  const isKnown = hashes.every(({ documentId, sha256 }) =>
    isKnownFile(facts, documentId, toHex(sha256)),
  );
  const isWhole =
    facts.documents === null ||
    facts.documents.join() === hashes.map(({ documentId }) => documentId).join();
  return [
    ...facts.faults,
    ...(isKnown && isWhole ? [] : ["L’historique dit d’autres empreintes que la base."]),
    ...(isNear(facts.completedAt, completedAt?.toISOString() ?? null)
      ? []
      : ["L’historique dit une autre date de fin que la base."]),
    ...(isNear(facts.purgedAt, purgedAt?.toISOString() ?? null)
      ? []
      : ["L’historique dit une autre date de suppression que la base."]),
  ];
}

function isKnownFile(facts: JournalFacts, documentId: string, sha256: string): boolean {
  const named = lastFileOf(facts, documentId);
  if (named !== null) return named === sha256;
  return facts.state === "draft" || facts.prepared.size === 0 || facts.prepared.has(sha256);
}

/** Gives the hashes (hex) that stay of a purged envelope: the journal's, where it names the files; the rows' for the others. */
export function keptHashes({
  facts,
  chain,
  tombstone,
}: Pick<WholeEnvelope, "facts" | "chain" | "tombstone">) {
  const rows = tombstone.hashes.map(({ documentId, sha256 }) => ({
    documentId,
    sha256: toHex(sha256),
  }));
  const ids =
    chain.intact && facts.documents !== null
      ? facts.documents
      : rows.map(({ documentId }) => documentId);
  return ids.flatMap((documentId) => {
    const sha256 =
      (chain.intact ? lastFileOf(facts, documentId) : null) ??
      rows.find((row) => row.documentId === documentId)?.sha256;
    return sha256 === undefined ? [] : [{ documentId, sha256 }];
  });
}

/** Says whether a signed file is the one that the journal last names for its document, grown from those that it named before. `ends`: in bytes. */
export function isNamedFile(
  facts: JournalFacts,
  {
    document,
    bytes,
    ends,
  }: {
    readonly document: StoredDocument;
    readonly bytes: Uint8Array;
    readonly ends: readonly number[];
  },
): boolean {
  const hash = createHash("sha256");
  const running = {
    update: (part: Uint8Array) => hash.update(part),
    digestSoFar: () => hash.copy().digest("hex"),
  };
  return isFileNamed(
    facts,
    { document: document.id, sha256: toHex(document.current.sha256), bytes, ends },
    running,
  );
}
