import { toHex } from "@paraphe/kernel/bytes";
import type { Role } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { writeTogether, type WriteStep } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  addRevisions,
  insertCompletedDocuments,
  insertDocuments,
  type NormalisedCopy,
  type PreparedDocument,
  type ReceivedDocument,
} from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import { auditActor } from "./commit.ts";
import {
  type EnvelopeCircuit,
  type EnvelopeField,
  mustSign,
  type PadesLevel,
} from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import type { Actor } from "./domain/viewer.ts";
import { type EnvelopeToInsert, insertEnvelopeRows, insertFieldRows } from "./store.ts";
import { type RecipientToInsert, insertRecipientRows } from "./recipient-store.ts";

type OwnParts = {
  readonly id: string;
  readonly actor: Actor;
  readonly title: string;
  readonly recipientId: string;
  readonly documentId: string;
  readonly document: ReceivedDocument;
  readonly copy: NormalisedCopy | null;
};

type OwnRows = OwnParts & {
  readonly signed?: { readonly at: Date; readonly level: PadesLevel };
};

function insertOwnSigners(
  platform: Pick<Platform, "clock">,
  owns: readonly OwnRows[],
): readonly WriteStep[] {
  const now = platform.clock();
  return [
    insertEnvelopeRows(owns.map((own) => envelopeRow(own, now))),
    insertRecipientRows(owns.map((own) => ({ envelopeId: own.id, recipients: [signerRow(own)] }))),
  ];
}

function envelopeRow({ id, title, signed, actor: { user } }: OwnRows, now: Date): EnvelopeToInsert {
  return {
    id,
    ownerId: user.id,
    team: null,
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
    documentKind: null,
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

function insertOwnDocument(platform: Platform, own: OwnParts): readonly WriteStep[] {
  return insertDocuments(platform, {
    envelopeId: own.id,
    firstPosition: 1,
    ids: [own.documentId],
    ...documentsOf(own),
  }).writes;
}

function documentsOf({ document, copy }: OwnParts) {
  return { documents: [document], copies: copy === null ? [] : [copy] };
}

/** SHA-256 as uploaded and as signed (a corrected copy). */
type SignedParts = {
  readonly title: string;
  readonly deadlineAt: Date | null;
  readonly senderEmail: string;
  readonly circuit?: Pick<EnvelopeCircuit, "name" | "imposed"> | null;
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly uploaded: Uint8Array;
    readonly original: Uint8Array;
  }[];
  readonly recipients: readonly {
    readonly id: string;
    readonly role: Role;
    readonly fullName: string;
    readonly email: string;
    readonly phoneNumber: string | null;
  }[];
};

/**
 * What the journal commits to of a final envelope: signers and documents in clear, names by salted
 * commitments that a purge closes.
 * Shape: `{id}:{name}`, `{id}:{hexadecimal SHA-256}`; `recipients` as JSON, viewers included.
 */
export function committedParts({
  title,
  senderEmail,
  deadlineAt,
  circuit,
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
      ...(circuit ? { circuit: circuit.name, circuit_imposed: circuit.imposed } : {}),
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

/** Serves a document that its owner alone signs. */
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

/** Its file is checked, prepared and stored. */
export type OwnEnvelope = OwnParts & {
  readonly prepared: PreparedDocument;
  readonly fields: readonly EnvelopeField[];
};

/**
 * Inserts it open, without message or list. The caller commits the consent after this event, in the
 * same transaction.
 */
export async function insertOwnEnvelope(
  trx: Transaction,
  platform: Platform,
  own: OwnEnvelope,
): Promise<NewAuditEvent> {
  const { id, actor, document, copy, prepared } = own;
  const revision = {
    documentId: own.documentId,
    previousNumber: 0,
    kind: "prepared",
    sha256: prepared.sha256,
    sizeBytes: prepared.bytes.length,
    bytes: prepared.bytes,
    recipientId: null,
  } as const;
  await writeTogether(trx, [
    ...insertOwnSigners(platform, [own]),
    ...insertOwnDocument(platform, own),
    insertFieldRows([{ envelopeId: id, fields: own.fields, firstPosition: 1 }]),
    addRevisions(platform, [revision]),
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

type CompletedOwn = Omit<OwnEnvelope, "prepared"> & {
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  readonly level: PadesLevel;
  readonly signedAt: Date;
};

export const OWN_SIGNED_REVISION = 1;

export function insertCompletedOwn(
  platform: Platform,
  owns: readonly CompletedOwn[],
): readonly WriteStep[] {
  const signed = owns.map((own) => ({ ...own, signed: { at: own.signedAt, level: own.level } }));
  return [
    ...insertCompletedDocuments(
      platform,
      owns.map(({ id, documentId, document, copy, completed, recipientId }) => ({
        envelopeId: id,
        id: documentId,
        document,
        copy,
        completed: { ...completed, recipientId },
      })),
    ),
    ...insertOwnSigners(platform, signed),
    insertFieldRows(owns.map(({ id, fields }) => ({ envelopeId: id, fields, firstPosition: 1 }))),
  ];
}
