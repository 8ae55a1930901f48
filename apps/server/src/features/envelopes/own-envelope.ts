import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import { inParallel } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  addRevision,
  lockDocumentBytes,
  insertCompletedDocuments,
  insertLockedDocuments,
  type NormalisedCopy,
  type PreparedDocument,
  type ReceivedDocument,
} from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import { auditActor } from "./change-envelope.ts";
import { type EnvelopeField, mustSign, type PadesLevel } from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import type { Actor } from "./domain/viewer.ts";
import { insertRecipientRows, type RecipientToInsert } from "./recipient-store.ts";
import { type EnvelopeToInsert, insertEnvelopeRows, insertFieldRows } from "./store.ts";

type OwnParts = {
  readonly id: string;
  readonly actor: Actor;
  readonly title: string;
  readonly recipientId: string;
  readonly documentId: string;
  readonly document: ReceivedDocument;
  /** The corrected copy that its owner accepted, which is signed in the place of the upload. */
  readonly copy: NormalisedCopy | null;
};

/** `signed`: the owner has signed it already, and it is completed. */
type OwnRows = OwnParts & {
  readonly signed?: { readonly at: Date; readonly level: PadesLevel };
};

/**
 * Writes what envelopes that their owner alone signs begin with: themselves and their one signer, the bytes of their one file held. Nobody is asked.
 * `insertOwnDocument` follows, once this has ended.
 */
async function insertOwnRows(
  trx: Transaction,
  platform: Platform,
  owns: readonly OwnRows[],
): Promise<void> {
  await inParallel([
    insertOwnSigners(trx, platform, owns),
    ...owns.map((own) => lockDocumentBytes(trx, platform, documentsOf(own))),
  ]);
}

/** The first part, for bytes that are held with what follows. Its statements are sent before it returns. */
async function insertOwnSigners(
  trx: Transaction,
  platform: Pick<Platform, "clock">,
  owns: readonly OwnRows[],
): Promise<void> {
  const now = platform.clock();
  await inParallel([
    insertEnvelopeRows(
      trx,
      owns.map((own) => envelopeRow(own, now)),
    ),
    insertRecipientRows(
      trx,
      owns.map((own) => ({ envelopeId: own.id, recipients: [signerRow(own)] })),
    ),
  ]);
}

function envelopeRow({ id, title, signed, actor: { user } }: OwnRows, now: Date): EnvelopeToInsert {
  return {
    id,
    ownerId: user.id,
    createdByName: user.full_name,
    title,
    searchText: envelopeText(title, user.full_name, []),
    status: "sent",
    message: null,
    flow: "parallel",
    signerCount: 1,
    createdAt: now,
    deadlineAt: null,
    remindEveryDays: null,
    proofOnly: false,
    ...(signed ? { completed: { at: now, level: signed.level } } : {}),
  };
}

function signerRow({ recipientId, signed, actor: { user } }: OwnRows): RecipientToInsert {
  return {
    id: recipientId,
    position: 1,
    order: 1,
    role: "signer",
    email: user.email,
    emailKey: user.email_key,
    fullName: user.full_name,
    phoneNumber: null,
    ...(signed ? { signedAt: signed.at } : {}),
  };
}

/** Adds its one file. The statements are sent before it returns: what refers to it may be begun with it, after it. */
async function insertOwnDocument(
  trx: Transaction,
  platform: Platform,
  own: OwnParts,
): Promise<void> {
  await insertLockedDocuments(trx, platform, {
    envelopeId: own.id,
    firstPosition: 1,
    ids: [own.documentId],
    ...documentsOf(own),
  });
}

function documentsOf({ document, copy }: OwnParts) {
  return { documents: [document], copies: copy === null ? [] : [copy] };
}

/** What is signed, by whom, and until when. `uploaded` and `original`: SHA-256 of a file as it was deposited, and as it is signed: another one where a corrected copy was accepted. */
type SignedParts = {
  readonly title: string;
  readonly deadlineAt: Date | null;
  /** Of the account that sends, at that moment. */
  readonly senderEmail: string;
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly uploaded: Uint8Array;
    readonly original: Uint8Array;
  }[];
  readonly recipients: readonly {
    readonly id: string;
    readonly role: "signer" | "approver" | "viewer";
    readonly fullName: string;
    readonly email: string;
    readonly phoneNumber: string | null;
  }[];
};

/**
 * Gives what the journal commits to of an envelope from the moment when it does not change any more: who must sign which documents stands in the chain for ever,
 * what they are called only by salted commitments, which a purge closes.
 * Shape: texts `{id}:{name}`, `{id}:{SHA-256 in hexadecimal}`; `deadline_at`: as of now, ISO 8601; `recipients` is their JSON, those in copy too.
 */
export function committedParts({
  title,
  senderEmail,
  deadlineAt,
  documents,
  recipients,
}: SignedParts) {
  const signers = recipients.filter(mustSign);
  return {
    detail: {
      signers: signers.map(({ id }) => id),
      document_ids: documents.map(({ id }) => id),
      uploaded: documents.map(({ id, uploaded }) => `${id}:${toHex(uploaded)}`),
      originals: documents.map(({ id, original }) => `${id}:${toHex(original)}`),
      deadline_at: deadlineAt?.toISOString() ?? null,
    },
    personal: {
      title,
      sender_email: senderEmail,
      document_names: documents.map(({ id, name }) => `${id}:${name}`),
      signer_names: signers.map(({ id, fullName }) => `${id}:${fullName}`),
      recipients: recipients.map(({ id, role, fullName, email, phoneNumber }) =>
        JSON.stringify({ id, role, full_name: fullName, email, phone_number: phoneNumber }),
      ),
    },
  } satisfies Pick<NewAuditEvent, "detail" | "personal">;
}

/** The same of a document that its owner alone signs, which is sent to nobody. */
export function committedOwnParts({
  title,
  documentId,
  document,
  copy,
  recipientId,
  actor: { user },
}: OwnParts) {
  const own = {
    id: recipientId,
    role: "signer",
    fullName: user.full_name,
    email: user.email,
    phoneNumber: null,
  } as const;
  const file = {
    id: documentId,
    name: document.name,
    uploaded: document.sha256,
    original: (copy ?? document).sha256,
  };
  return committedParts({
    title,
    senderEmail: user.email,
    deadlineAt: null,
    documents: [file],
    recipients: [own],
  });
}

/** An envelope that its owner alone signs, ready to be: its one file controlled, prepared and in storage. */
export type OwnEnvelope = OwnParts & {
  readonly prepared: PreparedDocument;
  readonly fields: readonly EnvelopeField[];
};

/**
 * Writes an envelope open for its owner's own signature: nobody is asked, nothing is sent, and it is in no list of what waits for somebody.
 * The caller commits the owner's consent in the same transaction, and appends the event given back before the consent's own.
 */
export async function insertOwnEnvelope(
  trx: Transaction,
  platform: Platform,
  own: OwnEnvelope,
): Promise<NewAuditEvent> {
  const { id, actor, document, copy, prepared } = own;
  await insertOwnRows(trx, platform, [own]);
  await inParallel([
    insertOwnDocument(trx, platform, own),
    insertFieldRows(trx, [{ envelopeId: id, fields: own.fields, firstPosition: 1 }]),
    addRevision(trx, platform, {
      documentId: own.documentId,
      previousNumber: 0,
      kind: "prepared",
      sha256: prepared.sha256,
      sizeBytes: prepared.bytes.length,
      bytes: prepared.bytes,
      recipientId: null,
    }),
  ]);
  const hashes = [document.sha256, ...(copy === null ? [] : [copy.sha256]), prepared.sha256];
  const parts = committedOwnParts(own);
  return {
    envelopeId: id,
    action: "envelope_created",
    actor: auditActor(actor),
    detail: {
      documents: hashes.map((sha256) => toHex(sha256)),
      recipients: 1,
      fields: own.fields.length,
      ...parts.detail,
    },
    personal: parts.personal,
  };
}

/** An envelope whose one file is signed and proven already. `completed`: its last revision, in storage. */
type CompletedOwn = Omit<OwnEnvelope, "prepared"> & {
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  readonly level: PadesLevel;
  readonly signedAt: Date;
};

/** Number of the revision that holds the signature of a document signed in one go: right after the original. */
export const OWN_SIGNED_REVISION = 1;

/**
 * Writes envelopes that their owner alone has signed, as completed. Its statements are sent before it returns: what refers to them may be begun with it,
 * after it, and one journey takes it all there.
 */
export async function insertCompletedOwn(
  trx: Transaction,
  platform: Platform,
  owns: readonly CompletedOwn[],
): Promise<void> {
  await inParallel([
    insertOwnSigners(
      trx,
      platform,
      owns.map((own) => ({ ...own, signed: { at: own.signedAt, level: own.level } })),
    ),
    insertCompletedDocuments(
      trx,
      platform,
      owns.map(({ id, documentId, document, copy, completed, recipientId }) => ({
        envelopeId: id,
        id: documentId,
        document,
        copy,
        completed: { ...completed, recipientId },
      })),
    ),
    insertFieldRows(
      trx,
      owns.map(({ id, fields }) => ({ envelopeId: id, fields, firstPosition: 1 })),
    ),
  ]);
}
