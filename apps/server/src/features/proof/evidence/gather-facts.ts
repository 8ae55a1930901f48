import { archiveNames } from "../../documents/public.ts";
import { type NoticeReceipt, selectReceipts } from "../../notices/public.ts";
import { knownIdentity } from "../../organisations/public.ts";
import type { SealingDeps } from "../../signing/public.ts";
import { envelopeVerdict, type Verdict, withJournal } from "../prints/domain/verdicts.ts";
import { type EnvelopeProof, proveEnvelope } from "../prints/seal-proof.ts";
import {
  type EnvelopeRecord,
  type ValidatedDocument,
  readRecord,
  validateRecord,
} from "../prints/read-record.ts";

type SignedFile = { readonly name: string; readonly bytes: Uint8Array };

export type EvidenceFacts = {
  readonly madeAt: Date;
  readonly publicUrl: string;
  /** Who runs the service, by the name in its certificates until named. */
  readonly organization: string;
  readonly record: EnvelopeRecord;
  readonly validated: readonly ValidatedDocument[];
  readonly verdict: Verdict;
  /** The journal's chain does not cover messages. */
  readonly messages: readonly NoticeReceipt[];
  /** DER, living issuers first; `timestamp` is ours where it stamps. */
  readonly authorities: {
    readonly issuers: readonly Uint8Array[];
    readonly timestamp: Uint8Array | null;
  };
  readonly publicProof: EnvelopeProof;
  /** Empty when together they are too large. */
  readonly signedFiles: readonly SignedFile[];
};

/** The journal may have lost the name. */
export const documentName = ({ name }: Pick<ValidatedDocument, "name">): string =>
  name ?? "Nom effacé";

/** The file is mailed and printed: a larger one lists fingerprints. */
const TRAVELLING_BYTES = 5_000_000;
/** Enough for a hundred recipients over years. */
const MOST_MESSAGES = 10_000;

export async function gatherFacts(
  { platform, trust }: SealingDeps,
  of: { readonly envelopeId: string; readonly ownerId: string },
): Promise<EvidenceFacts> {
  const { db, settings, clock } = platform;
  const deps = { platform, trust };
  const record = await readRecord(db, of.envelopeId);
  const documents = await validateRecord(deps, record);
  const [messages, publicProof, host] = await Promise.all([
    selectReceipts(db, { ...of, limit: MOST_MESSAGES }),
    proveEnvelope(deps, { record, documents }),
    knownIdentity(platform),
  ]);
  const { issuers, tsa } = trust.certificates;
  return {
    madeAt: clock(),
    publicUrl: settings.publicUrl,
    organization: host?.name ?? settings.pki.organization,
    record,
    validated: documents,
    verdict: verdictOf(record, documents, publicProof.proof.proof),
    messages,
    authorities: {
      issuers: issuers.map(({ der }) => der),
      timestamp: settings.tsaUrl === null ? tsa : null,
    },
    publicProof,
    signedFiles: travellingFiles(documents),
  };
}

function verdictOf(
  { facts, chain }: EnvelopeRecord,
  documents: readonly ValidatedDocument[],
  { verdict, reason }: Pick<Verdict, "verdict" | "reason">,
): Verdict {
  const isOpen = facts.state === "sent" || facts.state === "pending";
  const missing = isOpen ? facts.signers.length - facts.signatures.length : 0;
  const found = withJournal(
    envelopeVerdict(
      documents.map(({ checked }) => checked),
      missing,
    ),
    {
      chain,
      faults: [...facts.faults, ...documents.flatMap(({ faults }) => faults)],
      closed: [...facts.closed, ...facts.closedToOwner],
    },
  );
  return verdict === "invalid" && found.verdict !== "invalid"
    ? { ...found, verdict, reason }
    : found;
}

function travellingFiles(documents: readonly ValidatedDocument[]): readonly SignedFile[] {
  const signed = documents.flatMap((document) => {
    const { bytes, checked, isSigned } = document;
    return isSigned && checked.isNamed && bytes !== null
      ? [{ name: documentName(document), bytes }]
      : [];
  });
  if (signed.reduce((sum, { bytes }) => sum + bytes.length, 0) > TRAVELLING_BYTES) return [];
  const names = archiveNames(signed.map(({ name }) => ({ name, signed: true })));
  return signed.map(({ name, bytes }, index) => ({ name: names[index] ?? name, bytes }));
}
