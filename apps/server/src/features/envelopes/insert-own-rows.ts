import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { holdDocuments, insertHeldDocuments, type NormalisedCopy, type ReceivedDocument } from "../documents/public.ts";
import type { Actor } from "./domain/command.ts";
import type { PadesLevel } from "./domain/envelope.ts";
import { envelopeText } from "./domain/search-text.ts";
import { insertRecipientRows, type RecipientToInsert } from "./recipient-store.ts";
import { type EnvelopeToInsert, insertEnvelopeRows } from "./store.ts";

export type OwnParts = {
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
export type OwnRows = OwnParts & {
  readonly signed?: { readonly at: Date; readonly level: PadesLevel };
};

/**
 * Writes what envelopes that their owner alone signs begin with: themselves and their one signer, the bytes of their one file held. Nobody is asked.
 * `insertOwnDocument` follows, once this has ended.
 */
export async function insertOwnRows(trx: Transaction, platform: Platform, owns: readonly OwnRows[]): Promise<void> {
  await together([insertOwnSigners(trx, platform, owns), ...owns.map((own) => holdDocuments(trx, platform, documentsOf(own)))]);
}

/** The first part, for bytes that are held with what follows. Its statements are sent before it returns. */
export async function insertOwnSigners(trx: Transaction, platform: Pick<Platform, "clock">, owns: readonly OwnRows[]): Promise<void> {
  const now = platform.clock();
  await together([
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
export async function insertOwnDocument(trx: Transaction, platform: Platform, own: OwnParts): Promise<void> {
  await insertHeldDocuments(trx, platform, { envelopeId: own.id, firstPosition: 1, ids: [own.documentId], ...documentsOf(own) });
}

function documentsOf({ document, copy }: OwnParts) {
  return { documents: [document], copies: copy === null ? [] : [copy] };
}
