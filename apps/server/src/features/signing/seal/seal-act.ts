import { toHex } from "@paraphe/kernel/bytes";
import { confirmedContacts, type Contact, readReaches } from "@paraphe/proof/parts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction, type WriteStep } from "../../../platform/database/in-transaction.ts";
import { failPoint } from "../../../platform/fail-point.ts";
import type { Reading } from "../../../platform/metrics/metrics.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  addRevisions,
  type Revision,
  StaleRevisionError,
  type StoredDocument,
} from "../../documents/public.ts";
import {
  commitWithoutMessages,
  decideSignature,
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  loadEnvelope,
  loadToAnswer,
  lockWithPeople,
  recordSignature,
  voidConsents,
} from "../../envelopes/public.ts";
import { type EventAbout, selectEventsAbout, SYSTEM_ACTOR } from "../../journal/public.ts";
import type { IssuedSigner, PublishedCrl, SeenLists } from "../../trust/public.ts";
import {
  type Act,
  type ActContent,
  type ArchiveRow,
  insertAct,
  insertSignatures,
  loadAct,
  markActSealed,
  type NewAct,
  type NewSignature,
  noteActFailure,
  raiseLevels,
  saveArchives,
  saveFieldValues,
  selectUnsealed,
  waitsForSealing,
} from "./store.ts";
import { countDelegatedAct } from "../../accounts/public.ts";
import { actedByDelegate } from "../delegations.ts";
import { archiveRows, loadProofs } from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import { certifiedName, signDocument, type SignedDocument } from "./sign-document.ts";

export const SEAL_JOB = "seal-act";
/** The request seals its act at once; the job serves after a crash or a missing time-stamp. */
const JOB_DELAY_MS = 5_000;

/** Inserts the act with its sealing job. */
export function recordAct(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock">,
  act: NewAct,
): readonly WriteStep[] {
  const startAfter = new Date(platform.clock().getTime() + JOB_DELAY_MS);
  const rules = { id: act.id, singletonKey: act.id, startAfter };
  return [() => platform.queue.enqueue(trx, SEAL_JOB, { act_id: act.id }, rules), insertAct(act)];
}

/** `email` is null unless the journal proves that it reached the person. */
function certifiedFacts(
  recipient: EnvelopeRecipient,
  events: readonly EventAbout[],
): { readonly email: string | null; readonly isVouched: boolean } {
  const { reaches } = readReaches(
    events.map((event) => ({ ...event, at: new Date(event.at).toISOString(), personal: {} })),
  );
  const reach = reaches.get(recipient.id);
  const { delegate } = recipient;
  const address = delegate === undefined ? recipient.email : delegate.email;
  return {
    email: address && ifConfirmed(address, reach?.confirmed ?? []),
    isVouched: reach?.vouched !== undefined,
  };
}

/** `recipient_key` is null until the address is confirmed. */
export function certifiedAccountEmail(user: {
  readonly email: string;
  readonly recipient_key: string | null;
}): string | null {
  return ifConfirmed(
    user.email,
    confirmedContacts({ isAddressConfirmed: user.recipient_key !== null }),
  );
}

function ifConfirmed(email: string, confirmed: readonly Contact[]): string | null {
  return confirmed.includes("email") ? email : null;
}

/** Counts unsealed acts, with the oldest's age. */
export async function readUnsealed({
  db,
  clock,
}: Pick<Platform, "db" | "clock">): Promise<readonly Reading[]> {
  const { count, oldestAt } = await selectUnsealed(db);
  const oldestS = oldestAt === null ? 0 : (clock().getTime() - oldestAt.getTime()) / 1_000;
  return [
    {
      name: "paraphe_unsealed_acts",
      help: "Consents whose signature is not in the document yet.",
      values: [{ value: count }],
    },
    {
      name: "paraphe_unsealed_act_oldest_seconds",
      help: "How long the oldest of them has waited.",
      values: [{ value: oldestS }],
    },
  ];
}

/** `sealed`: now or before; `void`: the envelope closed first; `unknown`: no such act. */
type SealOutcome = "sealed" | "void" | "unknown";

/** `after` is the envelope, where the answer needs it. */
type Sealed = {
  readonly outcome: Exclude<SealOutcome, "unknown">;
  readonly after: EnvelopeAggregate | null;
};

/** `recorded` was just committed, so it is not read again. */
export type WaitingAct = Pick<Act, "id" | "envelopeId"> & {
  readonly recorded?: RecordedAct | null;
};

/**
 * Seals every document of the act's envelope. Idempotent in any process; an envelope's acts take
 * turns. Throws when it cannot be done now (`TimestampUnavailableError`, storage full): retry
 * later.
 */
export async function sealAct(deps: SealingDeps, actId: string): Promise<SealOutcome> {
  const act = await loadAct(deps.platform.db, actId);
  if (act === null) return "unknown";
  return act.sealedAt === null ? (await sealWaitingAct(deps, act)).outcome : "sealed";
}

/** `events` are about the recipient; the consent's is last. */
export type SealingFacts = {
  readonly events: readonly EventAbout[];
  readonly lists: SeenLists;
};

/** `read` came with the consent; null: not read yet. */
export type RecordedAct = {
  readonly act: Act;
  readonly aggregate: EnvelopeAggregate;
  readonly read: SealingFacts | null;
};

export async function sealWaitingAct(deps: SealingDeps, act: WaitingAct): Promise<Sealed> {
  try {
    failPoint("act_committed");
    const sealed = await deps.turns.run(act.envelopeId, () => sealInTurn(deps, act));
    failPoint("signature_committed");
    return sealed;
  } catch (error) {
    await noteActFailure(deps.platform.db, act.id, error instanceof Error ? error.name : "unknown");
    throw error;
  }
}

/** Only another signature costs a round, and an envelope has fewer signers. */
const MOST_ROUNDS = 100;

/**
 * Signs outside the transaction, so that no connection waits for PDF or time-stamp; signs anew if
 * the envelope changed.
 */
async function sealInTurn(deps: SealingDeps, waiting: WaitingAct): Promise<Sealed> {
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const made = await makeSignatures(
      deps,
      round === 1 ? waiting : { id: waiting.id, envelopeId: waiting.envelopeId },
    );
    if (made === "sealed" || made === "void") return { outcome: made, after: null };
    failPoint("file_stored");
    const isAnswered = waiting.recorded !== undefined && waiting.recorded !== null;
    const sealed = await inTransaction(deps.platform.db, async (trx) => {
      const outcome = await commitMade(trx, deps, made);
      if (outcome === "stale") return outcome;
      return { outcome, after: isAnswered ? await loadToAnswer(trx, waiting.envelopeId) : null };
    });
    if (sealed !== "stale") return sealed;
  }
  throw new StaleRevisionError("Each time a signature was made, the envelope had changed");
}

/** `signed` is null when the envelope was closed. */
type Made = { readonly act: Act; readonly signed: SignedAct | null };
type SignedAct = {
  readonly content: ActContent;
  readonly recipient: EnvelopeRecipient;
  readonly issued: IssuedSigner;
  readonly crl: PublishedCrl;
  readonly completes: boolean;
  readonly documents: readonly SignedDocument[];
};

async function makeSignatures(
  deps: SealingDeps,
  { id, envelopeId, recorded = null }: WaitingAct,
): Promise<Made | "sealed" | "void"> {
  const { db } = deps.platform;
  const { act, aggregate } = recorded ?? {
    act: await loadAct(db, id),
    aggregate: await loadEnvelope(db, envelopeId),
  };
  if (act === null) return "void";
  const { content } = act;
  if (act.sealedAt !== null || content === null) return "sealed";
  const recipient = aggregate?.recipients.find((candidate) => candidate.id === act.recipientId);
  if (aggregate === null || recipient === undefined || !isOpen(aggregate))
    return { act, signed: null };

  const completes = completesEnvelope(aggregate, recipient.id);
  const [issued, proofs] = await Promise.all([
    signerOf(deps, act, { recipient, events: recorded?.read?.events ?? null }),
    completes ? loadProofs(db, aggregate.envelope) : null,
  ]);
  const crl = await deps.trust.crlAbout(issued.certificateDer, recorded?.read?.lists);
  if (crl === null) throw new Error("The issuer of a certificate made just now has no list");
  const work = {
    aggregate,
    recipient,
    content,
    signedAt: act.signedAt,
    issued,
    crl,
    completes: proofs,
  };
  const documents: SignedDocument[] = [];
  for (const document of aggregate.documents)
    documents.push(await signDocument(deps, work, document));
  return { act, signed: { content, recipient, issued, crl, completes, documents } };
}

/** Gives `stale` when the envelope changed since it was read. */
async function commitMade(
  trx: Transaction,
  deps: SealingDeps,
  { act, signed }: Made,
): Promise<Sealed["outcome"] | "stale"> {
  const locked = await lockWithPeople(trx, act.envelopeId, {
    facts: waitsForSealing(act.id),
    now: deps.platform.clock(),
  });
  if (locked !== null && !locked.facts) return "stale";
  const current = locked?.aggregate ?? null;
  if (current === null || !isOpen(current)) {
    const events = await voidConsents(trx, { envelopeId: act.envelopeId, actor: SYSTEM_ACTOR });
    await commitWithoutMessages(trx, deps.platform, { ownerId: null, writes: [], events });
    return "void";
  }
  if (signed === null || !isAsRead(current, signed)) return "stale";
  await commitSignatures(trx, deps, { act, current, ...signed });
  failPoint("signature_written");
  return "sealed";
}

/** The revisions are the same, and so is whether this signature completes the envelope. */
function isAsRead(
  current: EnvelopeAggregate,
  { recipient, completes, documents }: SignedAct,
): boolean {
  const signed = new Map(documents.map(({ document }) => [document.id, document.current.number]));
  return (
    current.documents.length === signed.size &&
    current.documents.every((document) => signed.get(document.id) === document.current.number) &&
    completesEnvelope(current, recipient.id) === completes
  );
}

/** Gives a signer with a one-time key, or the organisation's hardware key. */
async function signerOf(
  { trust, platform }: SealingDeps,
  act: Act,
  {
    recipient,
    events,
  }: { readonly recipient: EnvelopeRecipient; readonly events: readonly EventAbout[] | null },
): Promise<IssuedSigner> {
  if (act.method !== "hsm") {
    const about = { envelopeId: act.envelopeId, recipientId: recipient.id };
    const known = events ?? (await selectEventsAbout(platform.db, about));
    const certified = certifiedFacts(recipient, known);
    const fullName = certifiedName(recipient);
    return trust.issueSigner({ fullName, ...certified, now: platform.clock() });
  }
  return trust.requireHsmSigner();
}

type Signing = SignedAct & { readonly act: Act; readonly current: EnvelopeAggregate };

/** Commits signatures with certificate, act, recipient, journal and messages. */
async function commitSignatures(
  trx: Transaction,
  deps: SealingDeps,
  signing: Signing,
): Promise<void> {
  const { platform } = deps;
  const { act, content, current, recipient, issued, documents: signed } = signing;
  const recorded = await recordSignature(trx, platform, {
    aggregate: { ...current, documents: signed.map(withNewRevision) },
    recipientId: recipient.id,
    signedAt: act.signedAt,
    level: lowestLevel(signed),
    client: { ip: act.ip, userAgent: act.userAgent },
    ...(act.method === "self" || act.method === "bulk" ? { messages: "none" } : {}),
    writes: [
      () => platform.queue.withdraw(trx, SEAL_JOB, act.id),
      ...revisionWrites(deps, signing),
      issued.recording,
      markActSealed(act.id, platform.clock()),
      saveFieldValues(content.fields),
      recipient.delegate ? countDelegatedAct(recipient.delegate.delegation_id) : null,
    ],
    ...(recipient.delegate && {
      notices: [
        actedByDelegate(platform, {
          act: "signature",
          envelope: current.envelope,
          recipient,
          delegate: recipient.delegate,
          at: act.signedAt,
        }),
      ],
    }),
    detail: {
      method: act.method,
      certificate_serial: issued.serialNumber,
      documents: signed.map(({ document, sha256 }) => fingerprint(document.id, sha256)),
    },
    completionDetail: {
      documents: signed.flatMap(({ document, archive }) =>
        archive === null ? [] : [fingerprint(document.id, archive.sha256)],
      ),
    },
  });
  if (!recorded.ok)
    throw new Error(`The signature was refused under the lock: ${recorded.error.code}`);
}

function withNewRevision({ document, sha256, sizeBytes, archive }: SignedDocument): StoredDocument {
  const { number } = document.current;
  const current: Revision =
    archive === null
      ? { number: number + 1, kind: "signed", sha256, sizeBytes }
      : {
          number: number + 2,
          kind: "completed",
          sha256: archive.sha256,
          sizeBytes: archive.sizeBytes,
        };
  return { ...document, current };
}

function revisionWrites({ platform }: SealingDeps, signing: Signing): readonly WriteStep[] {
  const { act, recipient, documents: signed } = signing;
  const revisions: Parameters<typeof addRevisions>[1][number][] = [];
  const archives: ArchiveRow[] = [];
  for (const { document, archive, sha256, sizeBytes } of signed) {
    const made = {
      documentId: document.id,
      previousNumber: document.current.number,
      sha256,
      sizeBytes,
      recipientId: recipient.id,
    } as const;
    revisions.push({ ...made, kind: "signed" });
    if (archive === null) continue;
    const previousNumber = document.current.number + 1;
    const rows = archiveRows({ documentId: document.id, previousNumber, archive });
    revisions.push(rows.revision);
    archives.push(rows.archive);
  }
  const hasEarlierSignatures = signing.current.envelope.signedCount > 0;
  const raises = archives.length > 0 && hasEarlierSignatures;
  return [
    addRevisions(platform, revisions),
    raises ? raiseLevels(act.envelopeId, "B-LTA") : null,
    insertSignatures(signed.map((one) => signatureRow(platform.newId(), signing, one))),
    saveArchives(archives),
  ];
}

function signatureRow(
  id: string,
  { act, recipient, issued, crl }: Signing,
  { document, level, ocspDer }: SignedDocument,
): NewSignature {
  return {
    id,
    envelopeId: act.envelopeId,
    documentId: document.id,
    recipientId: recipient.id,
    actId: act.id,
    revision: document.current.number + 1,
    signerName: certifiedName(recipient),
    level,
    certificateDer: issued.certificateDer,
    serialNumber: issued.serialNumber,
    signedAt: act.signedAt,
    ocspDer,
    crl,
  };
}

function fingerprint(documentId: string, sha256: Uint8Array): string {
  return `${documentId}:${toHex(sha256)}`;
}

function completesEnvelope(aggregate: EnvelopeAggregate, recipientId: string): boolean {
  const decision = decideSignature(aggregate, recipientId);
  return decision.ok && decision.value.status === "completed";
}

function isOpen(aggregate: EnvelopeAggregate): boolean {
  return aggregate.envelope.status === "sent" || aggregate.envelope.status === "pending";
}

function lowestLevel(signed: readonly SignedDocument[]): SignedDocument["level"] {
  const order = ["B-B", "B-T", "B-LT", "B-LTA"] as const;
  return order[Math.min(...signed.map(({ level }) => order.indexOf(level)))] ?? "B-B";
}
