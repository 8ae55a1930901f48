import type { EventMessage } from "@paraphe/contracts";
import { downloadName, type StoredDocument } from "../documents/public.ts";
import type { NewAuditEvent } from "../journal/public.ts";
import type { MemberNotice } from "../notices/public.ts";
import type { WarningDays } from "./domain/deadlines.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import type { Owner } from "./store.ts";

/** What a message about an event is written from: the envelope with its recipients as the event leaves them, and all that was recorded with it. */
export type EventInContext = {
  readonly aggregate: EnvelopeAggregate;
  readonly owner: Owner;
  readonly event: NewAuditEvent;
  readonly events: readonly NewAuditEvent[];
  readonly now: Date;
};
/** A guest's link, and what it is stored as. */
export type GuestLink = { readonly address: string; readonly sha256: Uint8Array };
type Writer = {
  readonly toSender?: (context: EventInContext, link: string) => MemberNotice;
  readonly toRecipient?: (context: EventInContext, recipient: EnvelopeRecipient) => MemberNotice;
  /** To a recipient, with a link that opens the envelope. */
  readonly toGuest?: (
    context: EventInContext,
    recipient: EnvelopeRecipient,
    link: GuestLink,
  ) => MemberNotice;
};

/** How each message of the table of events is written. One `dedupeKey` is one message: it names the event, and the occasion where there may be several. */
export const MESSAGES: Readonly<Record<EventMessage["kind"], Writer>> = {
  signed: {
    toSender: ({ aggregate: { envelope, recipients }, event }, link) => {
      const signer = recipients.find(
        ({ id }) => id === event.detail?.["recipient"],
      ) as EnvelopeRecipient;
      return {
        kind: "signed",
        dedupeKey: `signed:${signer.id}`,
        envelopeId: envelope.id,
        content: {
          envelopeTitle: envelope.title,
          signerName: signer.fullName,
          signedAt: (signer.signedAt as Date).toISOString(),
          signedCount: Number(event.detail?.["signed"]),
          signerCount: envelope.signerCount,
          link,
        },
      };
    },
  },
  completed: {
    toSender: (context, link) => {
      const { id } = context.aggregate.envelope;
      return {
        kind: "completed",
        dedupeKey: `completed:${id}:owner`,
        envelopeId: id,
        content: { ...completion(context), link },
      };
    },
    toGuest: (context, recipient, link) => {
      const { id } = context.aggregate.envelope;
      const content = { ...completion(context), link: link.address };
      return {
        kind: "completed",
        dedupeKey: `completed:${id}:${recipient.id}`,
        envelopeId: id,
        linkSha256: link.sha256,
        content,
      };
    },
  },
  declined: {
    toSender: (context, link) => {
      const { id } = context.aggregate.envelope;
      const content = {
        ...refusal(context),
        reason: String(context.event.personal?.["reason"]),
        link,
      };
      return { kind: "declined", dedupeKey: `declined:${id}:owner`, envelopeId: id, content };
    },
    // The reason is between the two of them.
    toRecipient: (context, recipient) => {
      const { id } = context.aggregate.envelope;
      const content = { ...refusal(context), reason: null, link: null };
      return {
        kind: "declined",
        dedupeKey: `declined:${id}:${recipient.id}`,
        envelopeId: id,
        content,
      };
    },
  },
  cancelled: {
    toRecipient: ({ aggregate: { envelope }, owner, events }, recipient) => ({
      kind: "cancelled",
      // Restored and cancelled again is another occasion.
      dedupeKey: `cancelled:${recipient.id}:${envelope.version}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        senderName: envelope.createdByName,
        senderEmail: owner.email,
        ...(events.some(
          ({ action, detail }) =>
            action === "consent_void" && detail?.["recipient"] === recipient.id,
        )
          ? { consentVoid: true }
          : {}),
      },
    }),
  },
  expired: {
    toSender: (context, link) => {
      const { id, version } = context.aggregate.envelope;
      return {
        kind: "expired",
        dedupeKey: `expired:${id}:owner:${version}`,
        envelopeId: id,
        content: { ...expiry(context), link },
      };
    },
    toRecipient: (context, recipient) => {
      const { id, version } = context.aggregate.envelope;
      const content = { ...expiry(context), link: null };
      return {
        kind: "expired",
        dedupeKey: `expired:${recipient.id}:${version}`,
        envelopeId: id,
        content,
      };
    },
  },
  expiring: {
    toSender: (context, link) => {
      const { id } = context.aggregate.envelope;
      const waitingFor = namedBy(context).map(({ fullName }) => fullName);
      const content = { ...warning(context), role: "signer" as const, waitingFor, link };
      return {
        kind: "expiring",
        dedupeKey: `expiring:${id}:owner:${occasionOf(context)}`,
        envelopeId: id,
        content,
      };
    },
    toGuest: (context, recipient, link) => {
      const content = {
        ...warning(context),
        role: recipient.role,
        waitingFor: null,
        link: link.address,
      };
      const dedupeKey = `expiring:${recipient.id}:${occasionOf(context)}`;
      return {
        kind: "expiring",
        dedupeKey,
        envelopeId: context.aggregate.envelope.id,
        linkSha256: link.sha256,
        content,
      };
    },
  },
  extension_requested: {
    toSender: ({ aggregate: { envelope, recipients }, event, now }, link) => ({
      kind: "extension_requested",
      dedupeKey: `extension_requested:${envelope.id}:${now.toISOString()}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        recipientName:
          recipients.find(({ id }) => id === event.detail?.["recipient"])?.fullName ?? "",
        deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
        link,
      },
    }),
  },
};

/** Gives the recipients that an event names. */
export function namedBy({
  aggregate,
  event,
}: Pick<EventInContext, "aggregate" | "event">): readonly EnvelopeRecipient[] {
  const named = event.detail?.["recipients"];
  return aggregate.recipients.filter(({ id }) => Array.isArray(named) && named.includes(id));
}

function completion({ aggregate: { envelope, documents }, now }: EventInContext) {
  return {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    completedAt: now.toISOString(),
    proofLink: null,
    attachments: attachmentsOf(envelope, documents),
  };
}

function attachmentsOf(
  envelope: Envelope,
  documents: readonly StoredDocument[],
): { name: string; sha256: string; sizeBytes: number }[] {
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

function refusal({ aggregate: { envelope }, event }: EventInContext) {
  return { envelopeTitle: envelope.title, recipientName: event.actor.name ?? "" };
}

function expiry({ aggregate: { envelope }, now }: EventInContext) {
  return {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
  };
}

function warning(context: EventInContext) {
  return {
    ...expiry(context),
    senderEmail: context.owner.email,
    daysLeft: context.event.detail?.["days"] as WarningDays,
  };
}

function occasionOf(context: EventInContext): string {
  return `${String(context.event.detail?.["days"])}:${expiry(context).deadlineAt}`;
}
