import type { Role, StoredStatus } from "@paraphe/contracts";
import type { FieldForm, TemplateContent, TemplateDocument, TemplateRole } from "./template.ts";

type Prepared = {
  readonly envelope: {
    readonly status: StoredStatus;
    readonly title: string;
    readonly message: string | null;
    readonly flow: "parallel" | "sequential";
    readonly remindEveryDays: number | null;
    readonly proofOnly: boolean;
  };
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly pageCount: number;
    readonly original: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  }[];
  readonly recipients: readonly { readonly id: string; readonly role: Role }[];
  readonly fields: readonly (FieldForm & { readonly documentId: string; readonly recipientId: string })[];
};

/**
 * Gives what a template keeps of an envelope: its originals, its fields by place, its roles; nothing of its people.
 * What stands in a draft's fields, its sender wrote there. Once it is sent a field holds what its recipient answered: that stays with them.
 */
export function templateOf(
  prepared: Prepared,
  roles: readonly TemplateRole[],
): { readonly content: TemplateContent; readonly documents: readonly TemplateDocument[] } {
  const documentPlace = new Map(prepared.documents.map((document, index) => [document.id, index]));
  const recipientPlace = new Map(prepared.recipients.map((recipient, index) => [recipient.id, index]));
  const isDraft = prepared.envelope.status === "draft";
  const fields = prepared.fields.flatMap(({ type, page, x, y, width, height, required, label, value, documentId, recipientId }) => {
    const [document_index, recipient_index] = [documentPlace.get(documentId), recipientPlace.get(recipientId)];
    if (document_index === undefined || recipient_index === undefined) return [];
    return [
      {
        document_index,
        recipient_index,
        type,
        page,
        x,
        y,
        width,
        height,
        required,
        label,
        value: isDraft || type === "mention" ? value : null,
      },
    ];
  });
  return {
    content: {
      title: prepared.envelope.title,
      message: prepared.envelope.message,
      flow: prepared.envelope.flow,
      remind_every_days: prepared.envelope.remindEveryDays,
      proof_only: prepared.envelope.proofOnly,
      roles,
      fields,
    },
    documents: prepared.documents.map(({ name, pageCount, original }) => ({
      name,
      pageCount,
      sha256: original.sha256,
      sizeBytes: original.sizeBytes,
    })),
  };
}
