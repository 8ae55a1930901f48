import type { Document, Envelope, Field, Recipient } from "@paraphe/contracts";

export function makeRecipient(part: Partial<Recipient> = {}): Recipient {
  return {
    id: "r1",
    email: "camille@exemple.fr",
    full_name: "Camille Roux",
    phone_number: null,
    role: "signer",
    order: 1,
    signed: false,
    signed_at: null,
    approved_at: null,
    viewed_at: null,
    status: "waiting",
    decline_reason: null,
    ...part,
  };
}

export function makeField(part: Partial<Field> = {}): Field {
  return {
    id: "f1",
    document_id: "d1",
    recipient_id: "r1",
    type: "signature",
    page: 1,
    x: 0.1,
    y: 0.5,
    width: 0.3,
    height: 0.06,
    required: true,
    label: null,
    value: null,
    ...part,
  };
}

export function makeDocument(part: Partial<Document> = {}): Document {
  return {
    id: "d1",
    name: "contrat.pdf",
    size: 5_000,
    page_count: 2,
    sha256: "0".repeat(64),
    pages: [{ width: 595, height: 842, rotation: 0 }],
    order: 1,
    control: { result: "ok", findings: [], accepted: false },
    ...part,
  };
}

/** A draft with one document. */
export function makeEnvelope(part: Partial<Envelope> = {}): Envelope {
  const documents = part.documents ?? [makeDocument()];
  return {
    id: "e1",
    version: 1,
    title: "Contrat",
    message: null,
    status: "draft",
    flow: "parallel",
    created_at: "2026-11-21T10:00:00Z",
    updated_at: "2026-11-21T10:00:00Z",
    sent_at: null,
    completed_at: null,
    deadline_at: null,
    cancelled_at: null,
    created_by_name: "Paul Martin",
    is_owner: true,
    documents,
    files: documents,
    recipients: [],
    fields: [],
    progress: { signed: 0, total: 0, percent: 0 },
    days_remaining: null,
    level: null,
    download_url: null,
    ...part,
  };
}
