import type { FieldType, Role, StoredStatus } from "@paraphe/contracts";
import type { Envelope, EnvelopeField, EnvelopeRecipient, Flow, PadesLevel, RecipientStatus } from "./domain/envelope.ts";

export type EnvelopeRow = {
  readonly id: string;
  readonly version: number;
  readonly owner_id: string;
  readonly created_by_name: string;
  readonly title: string;
  readonly message: string | null;
  readonly status: string;
  readonly status_before_cancel: string | null;
  readonly flow: string;
  readonly signer_count: number;
  readonly signed_count: number;
  readonly level: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly sent_at: Date | null;
  readonly completed_at: Date | null;
  readonly deadline_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly remind_every_days: number | null;
  readonly proof_only: boolean;
};

/** Rows of an envelope gathered by PostgreSQL as JSON: its times are texts. */
export type RecipientJson = {
  readonly id: string;
  readonly position: number;
  readonly routing_order: number;
  readonly role: Role;
  readonly email: string;
  readonly email_key: string;
  readonly full_name: string;
  readonly phone_number: string | null;
  readonly status: RecipientStatus;
  readonly awaited: boolean;
  readonly notified_at: string | null;
  readonly viewed_at: string | null;
  readonly signed_at: string | null;
  readonly declined_at: string | null;
  readonly decline_reason: string | null;
  readonly reminded_at: string | null;
  readonly asked_at: string | null;
  readonly automatic_reminders: number;
  readonly wrong_tries: number;
};
export type FieldJson = {
  readonly id: string;
  readonly document_id: string;
  readonly recipient_id: string;
  readonly type: FieldType;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
  readonly label: string | null;
  readonly value: string | null;
};

export function readEnvelopeRow(row: EnvelopeRow): Envelope {
  return {
    id: row.id,
    version: row.version,
    ownerId: row.owner_id,
    createdByName: row.created_by_name,
    title: row.title,
    message: row.message,
    status: row.status as StoredStatus,
    statusBeforeCancel: row.status_before_cancel as StoredStatus | null,
    flow: row.flow as Flow,
    signerCount: row.signer_count,
    signedCount: row.signed_count,
    level: row.level as PadesLevel | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sentAt: row.sent_at,
    completedAt: row.completed_at,
    deadlineAt: row.deadline_at,
    cancelledAt: row.cancelled_at,
    remindEveryDays: row.remind_every_days,
    proofOnly: row.proof_only,
  };
}

export function readRecipient(row: RecipientJson): EnvelopeRecipient {
  return {
    id: row.id,
    position: row.position,
    order: row.routing_order,
    role: row.role,
    email: row.email,
    emailKey: row.email_key,
    fullName: row.full_name,
    phoneNumber: row.phone_number,
    status: row.status,
    awaited: row.awaited,
    notifiedAt: toDate(row.notified_at),
    viewedAt: toDate(row.viewed_at),
    signedAt: toDate(row.signed_at),
    declinedAt: toDate(row.declined_at),
    declineReason: row.decline_reason,
    remindedAt: toDate(row.reminded_at),
    askedAt: toDate(row.asked_at),
    automaticReminders: row.automatic_reminders,
    wrongTries: row.wrong_tries,
  };
}

export function readField(row: FieldJson): EnvelopeField {
  return {
    id: row.id,
    documentId: row.document_id,
    recipientId: row.recipient_id,
    type: row.type,
    page: row.page,
    x: row.x,
    y: row.y,
    width: row.width,
    height: row.height,
    required: row.required,
    label: row.label,
    value: row.value,
  };
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
