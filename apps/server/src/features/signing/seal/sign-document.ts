import type { OwnField, PadesLevel } from "@paraphe/pades";
import { pdfFieldName, type StoredDocument } from "../../documents/public.ts";
import type { EnvelopeAggregate, EnvelopeField, EnvelopeRecipient } from "../../envelopes/public.ts";
import type { IssuedSigner, PublishedCrl } from "../../trust/public.ts";
import type { ActContent } from "./act-content.ts";
import { type ArchivedRevision, archiveRevision, type KeptProof } from "./archive-revision.ts";
import { assertSigned } from "./check-revision.ts";
import type { SealingDeps } from "./deps.ts";
import { signBytes } from "./sign-bytes.ts";

/** A signed revision, stored and fsynced, not yet referred to by a row; with the last signature, the completed one after it. */
export type SignedDocument = {
  readonly document: StoredDocument;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
  readonly level: PadesLevel;
  /** What was said of the signer's certificate once it had signed (OCSP, DER). */
  readonly ocspDer: Uint8Array;
  readonly archive: ArchivedRevision | null;
};

export type SigningWork = {
  readonly aggregate: EnvelopeAggregate;
  readonly recipient: EnvelopeRecipient;
  readonly content: ActContent;
  readonly signedAt: Date;
  readonly issued: IssuedSigner;
  readonly crl: PublishedCrl;
  /** What proves the signatures that are there already, by document; null while others have still to sign. */
  readonly completes: ReadonlyMap<string, KeptProof> | null;
};

/**
 * Makes one person's signature in one document: an incremental update of the current revision, validated before it is stored.
 * The last person's is followed at once by the revision that proves them all for the long term (level B-LTA).
 * Source: signatures §1; architecture §3, 'Signing, in order'.
 */
export async function signDocument(deps: SealingDeps, work: SigningWork, document: StoredDocument): Promise<SignedDocument> {
  const { platform } = deps;
  const own = ownFields(work, document.id);
  const { bytes: after, ocspDer } = await signBytes(deps, await platform.files.get(document.current.sha256), {
    envelopeId: work.aggregate.envelope.id,
    signer: work.recipient,
    ownFields: own,
    ...marksFor(work.content, own),
    signedAt: work.signedAt,
    issued: work.issued,
  });
  const known = work.completes?.get(document.id) ?? null;
  const signed = { document, sizeBytes: after.length, ocspDer };
  if (work.completes === null) {
    const level = await checkSigned(deps, after);
    return { ...signed, sha256: await platform.files.put(after), level, archive: null };
  }
  // The completed revision is validated whole: this signature, which is a prefix of it, with all the others.
  const archive = await archiveRevision(deps, after, {
    ocsps: [...(known?.ocsps ?? []), ocspDer],
    crls: [...(known?.crls ?? []), work.crl.der],
    serialNumbers: [...(known?.serialNumbers ?? []), work.issued.serialNumber],
  });
  return { ...signed, sha256: await platform.files.put(after), level: "B-LTA", archive };
}

async function checkSigned({ platform, trust }: SealingDeps, bytes: Uint8Array): Promise<PadesLevel> {
  // The time-stamp of an outside authority may be a moment ahead of this machine's clock.
  const now = new Date(platform.clock().getTime() + 1_000);
  return assertSigned(await platform.sandbox.call("validate", bytes, { evidence: await trust.evidence(), now }));
}

/** In a document that one initials only, the signature is in the first place for initials, and looks like them. */
function marksFor({ mark, initials }: ActContent, own: readonly OwnField[]) {
  const isOnlyInitialled = own.some(({ type }) => type === "initials") && own.every(({ type }) => type !== "signature");
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
 * The core takes a box as "true" or blank; the journal and the contract say Oui or Non. Initials left blank are drawn as a text left blank: the
 * core draws the mark in whatever is one's initials.
 */
function printedField(field: EnvelopeField, value: string | null): Pick<OwnField, "type" | "value"> {
  if (field.type === "checkbox") return { type: field.type, value: value === "Oui" ? "true" : null };
  if (field.type === "initials" && value === "Non") return { type: "text", value: null };
  return { type: field.type, value };
}
