import { type CreateEnvelopeRequest, isToCopy } from "@paraphe/contracts";
import type { Envelope, EnvelopeField, EnvelopeRecipient } from "./envelope.ts";

type Source = {
  readonly envelope: Pick<
    Envelope,
    "status" | "team" | "title" | "message" | "flow" | "remindEveryDays" | "proofOnly"
  >;
  readonly documents: readonly { readonly id: string }[];
  readonly recipients: readonly Pick<
    EnvelopeRecipient,
    "id" | "email" | "fullName" | "phoneNumber" | "role" | "order"
  >[];
  readonly fields: readonly EnvelopeField[];
};

/**
 * The same request without signatures, state or deadline, for its team if among these. Recipients'
 * answers stay out; the sender's mentions come.
 */
export function duplicateOf(
  { envelope, documents, recipients, fields }: Source,
  teams: readonly { readonly id: string }[],
): CreateEnvelopeRequest {
  const documentPlace = new Map(documents.map(({ id }, index) => [id, index]));
  const recipientPlace = new Map(recipients.map(({ id }, index) => [id, index]));
  const isDraft = envelope.status === "draft";
  return {
    title: envelope.title,
    message: envelope.message,
    deadline_at: null,
    flow: envelope.flow,
    reminders: { every_days: envelope.remindEveryDays, business_days: true },
    proof_only: envelope.proofOnly,
    team: teams.find(({ id }) => id === envelope.team?.id)?.id ?? null,
    recipients: recipients.map(({ email, fullName, phoneNumber, role, order }) => ({
      email,
      full_name: fullName,
      phone_number: phoneNumber,
      role,
      order,
    })),
    fields: fields.flatMap(({ id: _own, documentId, recipientId, value, ...form }) => {
      const [document_index, recipient_index] = [
        documentPlace.get(documentId),
        recipientPlace.get(recipientId),
      ];
      if (document_index === undefined || recipient_index === undefined) return [];
      return [
        {
          ...form,
          document_index,
          recipient_index,
          value: isDraft || isToCopy(form) ? value : null,
        },
      ];
    }),
  };
}
