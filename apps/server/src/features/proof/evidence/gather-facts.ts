import type { Database } from "../../../platform/database/database.ts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import { loadMember } from "../../accounts/public.ts";
import { archiveNames, isSigned } from "../../documents/public.ts";
import { type EnvelopeAggregate, loadEnvelope, mustSign } from "../../envelopes/public.ts";
import { selectReceipts } from "../../notices/public.ts";
import { type ActFacts, type SealingDeps, selectActs } from "../../signing/public.ts";
import { type Judgement, judgeProof, withJournal } from "../prints/domain/judge-proof.ts";
import { holdEnvelope } from "../prints/hold-envelope.ts";
import { proveEnvelope } from "../prints/own-proofs.ts";
import { readWholeOf, type WholeEnvelope } from "../prints/read-whole.ts";
import { type ValidatedDocument, validateWhole } from "../prints/validate-envelope.ts";
import type { EvidenceFacts, SignedFile } from "./evidence-facts.ts";
import { judgeJournal } from "./judge-journal.ts";
import { tellFiles } from "./tell-files.ts";
import { tellByJournal, tellWithoutJournal, type ToldByJournal } from "./told-by-journal.ts";

/** An envelope, its consents and its journal, as of one moment. */
type StableEnvelope = {
  readonly aggregate: EnvelopeAggregate;
  readonly acts: readonly ActFacts[];
  readonly whole: WholeEnvelope;
};

const MOST_TRIES = 5;

/** Reads an envelope while nobody changes it: what somebody signs between two readings would be a difference between them. */
async function readStable(db: Database, read: EnvelopeAggregate): Promise<StableEnvelope> {
  let aggregate = read;
  for (let tries = 1; ; tries += 1) {
    const acts = await selectActs(db, read.envelope.id);
    const whole = await readWholeOf(db, aggregate);
    const [after, actsAfter] = [
      await loadEnvelope(db, read.envelope.id),
      await selectActs(db, read.envelope.id),
    ];
    const isStable =
      after === null ||
      (after.envelope.version === aggregate.envelope.version &&
        stateOf(actsAfter) === stateOf(acts));
    if (isStable || tries === MOST_TRIES) return { aggregate, acts, whole };
    aggregate = after;
  }
}

function stateOf(acts: readonly ActFacts[]): string {
  return acts
    .map(
      ({ recipientId, signedAt, sealedAt }) =>
        `${recipientId} ${signedAt.getTime()} ${sealedAt?.getTime() ?? ""}`,
    )
    .join();
}

/** Beyond, the evidence file names the documents by their fingerprints alone: it is mailed, and printed. */
const TRAVELLING_BYTES = 5_000_000;
/** As many messages as an envelope of a hundred people has in years. */
const MOST_MESSAGES = 10_000;

/** Gathers what an envelope's evidence file says: the stored files are validated now, the journal recomputed, and believed where the tables say otherwise. */
export async function gatherFacts(
  deps: SealingDeps,
  read: EnvelopeAggregate,
): Promise<EvidenceFacts> {
  const { platform, trust } = deps;
  const { db, settings, clock } = platform;
  const stable = await readStable(db, read);
  const { envelope } = stable.aggregate;
  const of = { envelopeId: envelope.id, ownerId: envelope.ownerId };
  const [validated, member, messages, publicProof] = await Promise.all([
    validateWhole({ platform, trust }, stable.whole),
    loadMember(db, envelope.ownerId),
    selectReceipts(db, { ...of, limit: MOST_MESSAGES }),
    proveEnvelope({ platform, trust }, of),
  ]);
  const { events, heads, inclusion } = stable.whole;
  const chain = judgeJournal(envelope.id, events, heads);
  const { told, differences, unsaid, sending } = chain.ok
    ? tell(stable)
    : tellWithoutJournal({ ...stable.aggregate, acts: stable.acts });
  const known = validated.flatMap((one) =>
    told.documents
      .filter(({ id }) => id === one.document.id)
      .map((document) => ({ ...one, document })),
  );
  const files = await tellFiles(platform.files, {
    validated: known,
    sending: chain.ok ? sending : null,
  });
  const { issuers, tsa } = trust.certificates;
  return {
    ...told,
    madeAt: clock(),
    publicUrl: settings.publicUrl,
    organization: settings.pki.organization,
    senderEmail: sending.senderEmail ?? member?.email ?? null,
    unsaid: { ...unsaid, senderEmail: sending.senderEmail === null },
    validated: files.validated,
    judgement: judge(stable, { validated, publicProof, isIntact: chain.ok }),
    differences: [...differences, ...files.differences],
    events,
    chain,
    messages,
    inclusion,
    authorities: {
      issuers: issuers.map(({ der }) => der),
      timestamp: settings.tsaUrl === null ? tsa : null,
    },
    publicProof,
    signedFiles: await travellingFiles(deps, validated),
  };
}

/** What a journal that holds says, of people and of the envelope, and where the tables say otherwise. A document that it does not know is told nowhere. */
function tell({ aggregate, acts, whole }: StableEnvelope): ToldByJournal {
  const { facts } = whole;
  const { told, differences, ...rest } = tellByJournal({ ...aggregate, acts }, whole.events);
  const envelope = {
    ...told.envelope,
    title: facts.title ?? told.envelope.title,
    // What its owner alone signs is sent to nobody.
    status: facts.state === "draft" ? told.envelope.status : facts.state,
    completedAt: facts.completedAt === null ? null : new Date(facts.completedAt),
  };
  const documents = told.documents
    .filter(({ id }) => facts.documents?.includes(id) ?? true)
    .map((document) => ({
      ...document,
      name: facts.documentNames.get(document.id) ?? document.name,
    }));
  return {
    ...rest,
    told: { ...told, envelope, documents },
    differences: [...new Set([...holdEnvelope(whole), ...differences])],
  };
}

type Found = Pick<EvidenceFacts, "publicProof"> & {
  readonly validated: readonly ValidatedDocument[];
  readonly isIntact: boolean;
};

/** What is said of the files, by the journal too; nothing that the public page calls invalid is told otherwise to the owner. */
function judge(
  { aggregate, whole }: StableEnvelope,
  { validated, publicProof, isIntact }: Found,
): Judgement {
  const { envelope, recipients } = aggregate;
  // Of a closed envelope nothing more is awaited: what was signed is judged alone.
  const isOpen = envelope.status === "sent" || envelope.status === "pending";
  const missing = isOpen
    ? recipients.filter((recipient) => mustSign(recipient) && recipient.status !== "signed").length
    : 0;
  const files = judgeProof(
    validated.map(({ judged }) => judged),
    missing,
  );
  const judgement = withJournal(files, {
    chain: { intact: isIntact },
    faults: holdEnvelope(whole),
    closed: whole.facts.closed,
  });
  const { verdict, reason } = publicProof.proof.proof;
  return verdict === "invalid" && judgement.verdict !== "invalid"
    ? { ...judgement, verdict, reason }
    : judgement;
}

async function travellingFiles(
  { platform }: SealingDeps,
  validated: readonly ValidatedDocument[],
): Promise<readonly SignedFile[]> {
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
