import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { downloadName, type StoredDocument } from "../documents/public.ts";
import { enqueueNotices, type MemberNotice, type Notice, noticesForMember, selectUnreached } from "../notices/public.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import { pushesToRecipients } from "./invite-recipients.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { mintRecipientTokens, recipientLink, tokenSha256 } from "./recipient-token.ts";
import { type Owner, selectOwner } from "./store.ts";

type Told = {
  readonly owner: Owner;
  /** What the sender is told, on the channels they chose; null: nothing. */
  readonly toOwner: MemberNotice | null;
  readonly toRecipients: readonly { readonly recipient: EnvelopeRecipient; readonly notice: MemberNotice }[];
};

/**
 * Asks for the messages of one event of an envelope. Recipients are told by mail, whatever they chose for an account they may have; push
 * messages come beside.
 */
export async function tellPeople(trx: Transaction, platform: Platform, { owner, toOwner, toRecipients }: Told): Promise<void> {
  const own = toOwner === null ? [] : await noticesForMember(trx, platform, { member: owner, notice: toOwner });
  const pairs = toRecipients.map(({ recipient, notice }) => ({ emailKey: recipient.emailKey, notice: { ...notice, senderId: owner.id } }));
  const pushes = await pushesToRecipients(trx, platform, { told: pairs, except: owner.id });
  const mails = toRecipients.map(({ recipient, notice }) => {
    const to = { fullName: recipient.fullName, address: recipient.email };
    return { ...notice, channel: "email", to, recipientId: recipient.id, senderId: owner.id } as Notice;
  });
  await enqueueNotices(trx, platform, [...own, ...mails, ...pushes]);
}

export function ownerLink(platform: Platform, envelopeId: string): string {
  return `${platform.settings.publicUrl}/signature/detail/${envelopeId}`;
}

/** Those who had been asked, and whom a closed envelope concerns: of a request that never left nobody is told that it ended. */
async function asked(
  trx: Transaction,
  { envelope, recipients }: Pick<EnvelopeAggregate, "envelope" | "recipients">,
): Promise<readonly EnvelopeRecipient[]> {
  const unreached = await selectUnreached(trx, { envelopeIds: [envelope.id], waiting: "not-left" });
  return recipients.filter(({ id, notifiedAt, viewedAt }) => notifiedAt !== null && (viewedAt !== null || !unreached.has(id)));
}

/** Tells the sender that one recipient has signed. */
export async function notifySigned(
  trx: Transaction,
  platform: Platform,
  signed: {
    readonly envelope: Envelope;
    readonly owner: Owner;
    readonly signer: EnvelopeRecipient;
    readonly signedAt: Date;
    readonly signedCount: number;
  },
): Promise<void> {
  const toOwner = {
    kind: "signed",
    dedupeKey: `signed:${signed.signer.id}`,
    envelopeId: signed.envelope.id,
    content: {
      envelopeTitle: signed.envelope.title,
      signerName: signed.signer.fullName,
      signedAt: signed.signedAt.toISOString(),
      signedCount: signed.signedCount,
      signerCount: signed.envelope.signerCount,
      link: ownerLink(platform, signed.envelope.id),
    },
  } as const;
  await tellPeople(trx, platform, { owner: signed.owner, toOwner, toRecipients: [] });
}

/** Tells everybody that all have signed, with the signed files, or the link to them; people in copy get theirs now. */
export async function notifyCompleted(
  trx: Transaction,
  platform: Platform,
  { envelope, recipients, documents }: EnvelopeAggregate,
): Promise<void> {
  const completedAt = platform.clock();
  const owner = await selectOwner(trx, envelope.ownerId);
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    completedAt: completedAt.toISOString(),
    proofLink: null,
    attachments: attachmentsOf(envelope, documents),
  };
  const common = { kind: "completed", envelopeId: envelope.id } as const;
  // One address, one copy: the sender's own, and two people of one address.
  const told = new Set([owner.email.toLowerCase()]);
  const others = recipients.filter((recipient) => !told.has(recipient.emailKey) && told.add(recipient.emailKey));
  const tokens = await mintRecipientTokens(
    trx,
    platform,
    others.map((recipient) => recipient.id),
  );
  await tellPeople(trx, platform, {
    owner,
    toOwner: { ...common, dedupeKey: `completed:${envelope.id}:owner`, content: { ...content, link: ownerLink(platform, envelope.id) } },
    toRecipients: others.map((recipient, index) => ({
      recipient,
      notice: {
        ...common,
        dedupeKey: `completed:${envelope.id}:${recipient.id}`,
        linkSha256: tokenSha256(tokens[index] as string),
        content: { ...content, link: recipientLink(platform, envelope.id, tokens[index] as string) },
      },
    })),
  });
}

function attachmentsOf(envelope: Envelope, documents: readonly StoredDocument[]): { name: string; sha256: string; sizeBytes: number }[] {
  return documents.map((document) => ({
    name: downloadName({
      title: documents.length === 1 ? envelope.title : document.name.replace(/\.pdf$/i, ""),
      signed: true,
      ending: "pdf",
    }),
    sha256: Buffer.from(document.current.sha256).toString("hex"),
    sizeBytes: document.current.sizeBytes,
  }));
}

/** Tells the sender that a recipient refuses, and the others who had been asked that nothing is awaited any more. */
export async function notifyDeclined(
  trx: Transaction,
  platform: Platform,
  declined: { readonly aggregate: EnvelopeAggregate; readonly recipient: EnvelopeRecipient; readonly reason: string },
): Promise<void> {
  const { envelope } = declined.aggregate;
  const told = await asked(trx, declined.aggregate);
  const owner = await selectOwner(trx, envelope.ownerId);
  const content = { envelopeTitle: envelope.title, recipientName: declined.recipient.fullName };
  const common = { kind: "declined", envelopeId: envelope.id } as const;
  await tellPeople(trx, platform, {
    owner,
    toOwner: {
      ...common,
      dedupeKey: `declined:${envelope.id}:owner`,
      content: { ...content, reason: declined.reason, link: ownerLink(platform, envelope.id) },
    },
    toRecipients: told
      .filter((other) => other.id !== declined.recipient.id)
      .map((recipient) => ({
        recipient,
        // The reason is between the two of them.
        notice: { ...common, dedupeKey: `declined:${envelope.id}:${recipient.id}`, content: { ...content, reason: null, link: null } },
      })),
  });
}

/** Tells those who had been asked that the sender takes the request back; `voided` are those whose consent no signature was made of. */
export async function notifyCancelled(
  trx: Transaction,
  platform: Platform,
  { voided, ...aggregate }: EnvelopeAggregate & { readonly voided: ReadonlySet<string> },
): Promise<void> {
  const { envelope } = aggregate;
  const told = await asked(trx, aggregate);
  const owner = await selectOwner(trx, envelope.ownerId);
  await tellPeople(trx, platform, {
    owner,
    toOwner: null,
    toRecipients: told.map((recipient) => ({
      recipient,
      notice: {
        kind: "cancelled",
        // Restored and cancelled again is another occasion.
        dedupeKey: `cancelled:${recipient.id}:${envelope.version}`,
        envelopeId: envelope.id,
        content: {
          envelopeTitle: envelope.title,
          senderName: envelope.createdByName,
          senderEmail: owner.email,
          ...(voided.has(recipient.id) ? { consentVoid: true } : {}),
        },
      },
    })),
  });
}

/** Tells the sender, and those who had not signed yet, that the deadline has passed. */
export async function notifyExpired(trx: Transaction, platform: Platform, aggregate: EnvelopeAggregate): Promise<void> {
  const { envelope } = aggregate;
  const told = await asked(trx, aggregate);
  const owner = await selectOwner(trx, envelope.ownerId);
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    deadlineAt: (envelope.deadlineAt ?? platform.clock()).toISOString(),
  };
  const common = { kind: "expired", envelopeId: envelope.id } as const;
  await tellPeople(trx, platform, {
    owner,
    toOwner: {
      ...common,
      dedupeKey: `expired:${envelope.id}:owner:${envelope.version}`,
      content: { ...content, link: ownerLink(platform, envelope.id) },
    },
    toRecipients: told
      .filter((other) => other.status !== "signed")
      .map((recipient) => ({
        recipient,
        notice: { ...common, dedupeKey: `expired:${recipient.id}:${envelope.version}`, content: { ...content, link: null } },
      })),
  });
}
