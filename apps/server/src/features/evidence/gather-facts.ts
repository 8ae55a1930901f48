import { AlteredFileError, MissingFileError } from "../../platform/files/file-store.ts";
import { loadMember } from "../accounts/index.ts";
import { readStoredJournal, type StoredEvent } from "../audit/index.ts";
import { archiveNames, isSigned } from "../documents/index.ts";
import { type EnvelopeAggregate, mustSign } from "../envelopes/index.ts";
import { selectReceipts } from "../notices/index.ts";
import { judgeProof, proveEnvelope, type ValidatedDocument, validateEnvelope } from "../prints/index.ts";
import { loadSignatures, selectActs, type SealingDeps } from "../sealing/index.ts";
import { readInclusion, readLoggedHeads } from "../transparency/index.ts";
import type { EvidenceFacts, SignedFile } from "./evidence-facts.ts";
import { judgeJournal } from "./judge-journal.ts";

/** Beyond, the evidence file names the documents by their fingerprints alone: it is mailed, and printed. */
const TRAVELLING_BYTES = 5_000_000;
/** As many messages as an envelope of a hundred people has in years. */
const MOST_MESSAGES = 10_000;

/** Gathers what an envelope's evidence file says: the stored files are validated now, the chain of the journal recomputed. */
export async function gatherFacts(deps: SealingDeps, aggregate: EnvelopeAggregate): Promise<EvidenceFacts> {
  const { platform, trust } = deps;
  const { db, settings, clock } = platform;
  const { envelope } = aggregate;
  // Before the journal, which may grow meanwhile: whatever the log covers is then in it.
  const inclusion = await readInclusion(db, envelope.id);
  const heads = await readLoggedHeads(db, envelope.id);
  const [validated, member, signatures, acts, events, messages, publicProof] = await Promise.all([
    validateEnvelope({ platform, trust }, aggregate),
    loadMember(db, envelope.ownerId),
    loadSignatures(db, envelope.id),
    selectActs(db, envelope.id),
    readAll(readStoredJournal(db, envelope.id)),
    selectReceipts(db, { envelopeId: envelope.id, ownerId: envelope.ownerId, limit: MOST_MESSAGES }),
    proveEnvelope({ platform, trust }, { envelopeId: envelope.id, ownerId: envelope.ownerId }),
  ]);
  // Of a closed envelope nothing more is awaited: what was signed is judged alone.
  const isOpen = envelope.status === "sent" || envelope.status === "pending";
  const missing = isOpen ? aggregate.recipients.filter((recipient) => mustSign(recipient) && recipient.status !== "signed").length : 0;
  const { issuers, tsa } = trust.certificates;
  return {
    ...aggregate,
    madeAt: clock(),
    publicUrl: settings.publicUrl,
    organization: settings.pki.organization,
    senderEmail: member?.email ?? null,
    validated,
    judgement: judgeProof(
      validated.map(({ judged }) => judged),
      missing,
    ),
    signatures,
    acts,
    events,
    chain: judgeJournal(envelope.id, events, heads),
    messages,
    inclusion,
    authorities: { issuers: issuers.map(({ der }) => der), timestamp: settings.tsaUrl === null ? tsa : null },
    publicProof,
    signedFiles: await travellingFiles(deps, validated),
  };
}

async function readAll(journal: AsyncIterable<StoredEvent>): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of journal) events.push(event);
  return events;
}

async function travellingFiles({ platform }: SealingDeps, validated: readonly ValidatedDocument[]): Promise<readonly SignedFile[]> {
  const signed = validated
    .filter(({ document, judged }) => judged.isStored && judged.isNamed && isSigned(document))
    .map(({ document }) => document);
  if (signed.reduce((sum, { current }) => sum + current.sizeBytes, 0) > TRAVELLING_BYTES) return [];
  const names = archiveNames(signed.map(({ name }) => ({ name, signed: true })));
  const files: SignedFile[] = [];
  for (const [index, { current, name }] of signed.entries()) {
    try {
      files.push({ name: names[index] ?? name, bytes: await platform.files.get(current.sha256) });
    } catch (error) {
      // Gone since it was validated, a moment ago: its fingerprint is told, the file is not there to be attached.
      if (!(error instanceof MissingFileError || error instanceof AlteredFileError)) throw error;
    }
  }
  return files;
}
