import type { Field, Role } from "@paraphe/contracts";

/** Who is asked, without the person: « Locataire ». `order` is the rank in a sequential flow. */
export type TemplateRole = { readonly label: string; readonly role: Role; readonly order: number };
/** What a field is, wherever it stands. */
export type FieldForm = Readonly<Omit<Field, "id" | "document_id" | "recipient_id">>;
/** A field, by its places in the template's own lists. */
export type TemplateField = FieldForm & { readonly document_index: number; readonly recipient_index: number };
/** What a template keeps beside its files. No person is in it. */
export type TemplateContent = {
  readonly title: string;
  readonly message: string | null;
  readonly flow: "parallel" | "sequential";
  /** Automatic reminders, in days; null for none. */
  readonly remind_every_days: number | null;
  /** `proof_only`: the public page shows the proof without the document. Absent from those kept before there was that choice: not so. */
  readonly proof_only?: boolean;
  readonly roles: readonly TemplateRole[];
  readonly fields: readonly TemplateField[];
};
export type TemplateDocument = {
  readonly name: string;
  readonly pageCount: number;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};
export type Template = {
  readonly id: string;
  readonly name: string;
  readonly content: TemplateContent;
  readonly documents: readonly TemplateDocument[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
