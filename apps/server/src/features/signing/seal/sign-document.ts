import { LEFT_BLANK, isTickBox, takesMark } from "@paraphe/contracts";
import { formatZonedInstant } from "@paraphe/kernel/french-dates";
import { onBehalf } from "@paraphe/kernel/french-words";
import type { OwnField, PadesLevel } from "@paraphe/pades";
import {
  type Mark,
  type PreparedSignature,
  completeSignature,
  createSignature,
  parseCertificate,
} from "@paraphe/pades/parts";
import {
  type StoredDocument,
  pdfFieldName,
  pdfFieldPrefix,
  signatureState,
} from "../../documents/public.ts";
import type {
  EnvelopeAggregate,
  EnvelopeField,
  EnvelopeRecipient,
} from "../../envelopes/public.ts";
import {
  type IssuedSigner,
  type PublishedCrl,
  loadIssuedCertificates,
  organisationSeal,
} from "../../trust/public.ts";
import {
  type ArchivedRevision,
  type KeptProof,
  archiveBytes,
  archiveOurs,
  assertPrefix,
  assertSigned,
} from "./archive-revision.ts";
import type { SealingDeps } from "./create-sealing.ts";
import type { ActContent, StoredMark } from "./store.ts";

/** The appearance shows name, time of consent and envelope. */
export function appearanceLines(act: {
  readonly fullName: string;
  readonly signedAt: Date;
  readonly envelopeId: string;
}): readonly string[] {
  return [
    act.fullName,
    `Signé électroniquement le ${formatZonedInstant(act.signedAt)}`,
    `Enveloppe ${act.envelopeId}`,
  ];
}

/** The certificate names the recipient, or their delegate. */
export function certifiedName({
  fullName,
  delegate,
}: Pick<EnvelopeRecipient, "fullName" | "delegate">): string {
  return delegate?.full_name ?? fullName;
}

type BytesToSign = {
  readonly envelopeId: string;
  readonly signer: Pick<EnvelopeRecipient, "id" | "fullName" | "delegate">;
  readonly ownFields: readonly OwnField[];
  readonly mark: StoredMark;
  readonly initials?: StoredMark | undefined;
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
};

/** `ocspDer` is obtained after signing. */
type SignedBytes = { readonly bytes: Uint8Array; readonly ocspDer: Uint8Array };

/** Room for certificates and signature beside the time-stamp. */
const SIGNATURE_BYTES = 4_096;

/**
 * Signs a prepared revision at B-T; neither stores nor validates.
 * Errors: `TimestampUnavailableError`; `UnsoundSignatureError`.
 * Source: signatures §1.
 */
async function signBytes(
  deps: SealingDeps,
  before: Uint8Array,
  work: BytesToSign,
): Promise<SignedBytes> {
  const prepared = await deps.platform.sandbox.call(
    "prepareSignature",
    before,
    signatureOptions(deps, work),
  );
  return signPrepared(deps, { before, prepared, issued: work.issued });
}

export function signatureOptions({ platform, trust }: SealingDeps, work: BytesToSign) {
  const { envelopeId, signer } = work;
  return {
    namePrefix: pdfFieldPrefix(envelopeId),
    ownerKey: signer.id,
    ownFields: work.ownFields,
    mark: readKeptMark(work.mark),
    ...(work.initials === undefined ? {} : { initials: readKeptMark(work.initials) }),
    lines: appearanceLines({
      fullName: signer.delegate
        ? onBehalf(signer.delegate.full_name, signer.fullName)
        : signer.fullName,
      signedAt: work.signedAt,
      envelopeId,
    }),
    signingTime: platform.clock(),
    signerName: certifiedName(signer),
    ...(signer.delegate && { reason: `Signé pour ${signer.fullName}, par délégation` }),
    reserveBytes: SIGNATURE_BYTES + trust.timestampReserveBytes,
  };
}

type Prepared = {
  readonly before: Uint8Array;
  readonly prepared: PreparedSignature;
  readonly issued: IssuedSigner;
};

/** Gives bytes that begin with `before`. */
export async function signPrepared(
  { platform, trust }: SealingDeps,
  { before, prepared, issued }: Prepared,
): Promise<SignedBytes> {
  const cms = await createSignature({
    signer: issued.signer,
    tsa: trust.timestamp,
    digestSha256: prepared.digestSha256,
  });
  const bytes = completeSignature(prepared, cms);
  assertPrefix(before, bytes);
  return { bytes, ocspDer: await issued.attest(platform.clock()) };
}

function readKeptMark(mark: StoredMark): Mark {
  return mark.kind === "image"
    ? { kind: "image", bytes: new Uint8Array(Buffer.from(mark.png_base64, "base64")) }
    : mark;
}

/** Stored and fsynced; the last signature also brings the completed revision. */
export type SignedDocument = {
  readonly document: StoredDocument;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly level: PadesLevel;
  /** DER, obtained after signing. */
  readonly ocspDer: Uint8Array;
  readonly archive: ArchivedRevision | null;
};

type SigningWork = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  readonly content: ActContent;
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
  readonly crl: PublishedCrl;
  /** Proofs of earlier signatures by document; null while others have to sign. */
  readonly completes: ReadonlyMap<string, KeptProof> | null;
};

/**
 * Signs and validates before storing; the last signature is followed by the B-LTA revision.
 * Source: signatures §1; architecture §3, 'Signing, in order'.
 */
export async function signDocument(
  deps: SealingDeps,
  work: SigningWork,
  document: StoredDocument,
): Promise<SignedDocument> {
  const { platform } = deps;
  const own = ownFields(work, document.id);
  const { bytes: after, ocspDer } = await signBytes(
    deps,
    await platform.files.get(document.current.sha256),
    {
      envelopeId: work.aggregate.envelope.id,
      signer: work.recipient,
      ownFields: own,
      ...marksFor(work.content, own),
      signedAt: work.signedAt,
      issued: work.issued,
    },
  );
  const signed = { document, sizeBytes: after.length, ocspDer };
  if (work.completes === null) {
    const level = await checkSigned(deps, after);
    return { ...signed, sha256: await platform.files.put(after), level, archive: null };
  }
  // The whole file is validated, this signature included.
  const { bytes: completed, ...archive } = await archiveCompleted(deps, work, {
    document,
    bytes: after,
    ocspDer,
  });
  // Together they take one admission to the store and one wait for the disk.
  const [sha256, archiveSha256] = await Promise.all([
    platform.files.put(after),
    platform.files.put(completed),
  ]);
  return {
    ...signed,
    sha256,
    level: "B-LTA",
    archive: { ...archive, sha256: archiveSha256, sizeBytes: completed.length },
  };
}

/** A file unsigned when uploaded, whose signers are all known, has our signatures alone. */
async function archiveCompleted(
  deps: SealingDeps,
  { completes, crl, issued }: SigningWork,
  signed: {
    readonly document: StoredDocument;
    readonly bytes: Uint8Array;
    readonly ocspDer: Uint8Array;
  },
): ReturnType<typeof archiveBytes> {
  const { document, bytes, ocspDer } = signed;
  const { ocsps = [], crls = [], serialNumbers = [] } = completes?.get(document.id) ?? {};
  const kept = {
    ocsps: [...ocsps, ocspDer],
    crls: [...crls, crl.der],
    serialNumbers: [...serialNumbers, issued.serialNumber],
  };
  const earlier = await loadIssuedCertificates(deps.platform.db, serialNumbers);
  const others = serialNumbers.flatMap((serial) => earlier.get(serial) ?? []);
  return signatureState(document.control) === "unsigned" && others.length === serialNumbers.length
    ? archiveOurs(deps, bytes, { kept, issued, others })
    : archiveBytes(deps, bytes, kept);
}

async function checkSigned(
  { platform, trust }: SealingDeps,
  bytes: Uint8Array,
): Promise<PadesLevel> {
  // The clock of an outside authority may be ahead.
  const now = new Date(platform.clock().getTime() + 1_000);
  return assertSigned(
    await platform.sandbox.call("validate", bytes, { evidence: await trust.evidence(), now }),
  );
}

/** Without a signature field, the first initials show the signature. */
function marksFor({ mark, initials }: ActContent, own: readonly OwnField[]) {
  const isOnlyInitialled =
    own.some(({ type }) => type === "initials") && own.every(({ type }) => type !== "signature");
  return { mark: isOnlyInitialled ? (initials ?? mark) : mark, initials };
}

function ownFields(work: SigningWork, documentId: string): OwnField[] {
  const values = new Map(work.content.fields.map((field) => [field.id, field.value]));
  return work.aggregate.fields
    .filter((field) => field.recipientId === work.recipient.id && field.documentId === documentId)
    .map((field) => ({
      name: pdfFieldName(field.id),
      ...printedField(field, values.get(field.id) ?? null),
      pageNumber: field.page,
      ...(field.label === null ? {} : { label: field.label }),
    }));
}

/**
 * The core takes "true" or blank where the contract says Oui or Non. Blank initials become blank
 * text: the core would draw the mark.
 */
function printedField(
  field: EnvelopeField,
  value: string | null,
): Pick<OwnField, "type" | "value"> {
  if (isTickBox(field)) return { type: field.type, value: value === "Oui" ? "true" : null };
  if (takesMark(field) && value === LEFT_BLANK) return { type: "text", value: null };
  return { type: field.type, value };
}

const SEAL_FIELD = { namePrefix: "paraphe", ownerKey: "cachet" } as const;
/** Room for certificates and signature beside the time-stamp; a token may use RSA. */
const SEAL_BYTES = 6_144;

/**
 * Seals invisibly by the organisation's key, at B-LTA; validated, not stored. `reason` shows in
 * validators.
 * Errors: `TimestampUnavailableError`; `HsmUnavailableError`; `UnsoundSignatureError`.
 * Source: signatures §2; EN 319 142-1 §6.2 (B-LTA).
 */
export async function sealFile(
  deps: SealingDeps,
  file: Uint8Array,
  reason: string,
): Promise<Uint8Array> {
  const { platform, trust } = deps;
  const issued = await organisationSeal(trust);
  const prepared = await platform.sandbox.call("prepareOwnSignature", file, {
    fields: { namePrefix: SEAL_FIELD.namePrefix, fields: [], ownerKeys: [SEAL_FIELD.ownerKey] },
    signature: {
      ...SEAL_FIELD,
      ownFields: [],
      mark: { kind: "strokes", strokes: [] },
      lines: [],
      signingTime: platform.clock(),
      signerName: parseCertificate(issued.certificateDer).subject.commonName,
      reason,
      reserveBytes: SEAL_BYTES + trust.timestampReserveBytes,
    },
  });
  const { bytes: signed, ocspDer } = await signPrepared(deps, { before: file, prepared, issued });
  const crl = await trust.crlAbout(issued.certificateDer);
  const archive = await archiveBytes(deps, signed, {
    ocsps: [ocspDer],
    crls: crl === null ? [] : [crl.der],
    serialNumbers: [issued.serialNumber],
  });
  return archive.bytes;
}
