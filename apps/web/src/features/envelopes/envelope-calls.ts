import type {
  CorrectRecipientRequest,
  Envelope,
  EnvelopeList,
  EventsAnswer,
  JournalKind,
  ListEnvelopesQuery,
  Print,
  PrintList,
  SignatureList,
  Status,
  Counts,
} from "@paraphe/contracts";
import { useQueryClient, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";
import { fetchFile } from "../../lib/api/fetch-file.ts";

const ENVELOPES = "/api/signature/envelopes/";
export const PRINTS_A_PAGE = 5;
/** Each stored file is validated anew. */
const VALIDATION_TIMEOUT_MS = 30_000;

export type ListedStatus = Extract<ListEnvelopesQuery["status"], string>;

export const envelopeCalls = {
  list: (query: Readonly<Record<string, string | number | undefined>>, signal?: AbortSignal) =>
    api.get<EnvelopeList>(ENVELOPES, { query, signal }),
  load: (id: string, signal?: AbortSignal) => api.get<Envelope>(`${ENVELOPES}${id}/`, { signal }),
  events: (
    id: string,
    asked: {
      readonly page: number;
      readonly kind?: JournalKind | undefined;
      readonly verify?: "now" | undefined;
    },
    signal?: AbortSignal,
  ) =>
    api.get<EventsAnswer>(`${ENVELOPES}${id}/events/`, {
      query: { ...asked, page_size: 20 },
      signal,
    }),
  cancel: (id: string) => api.post<Envelope>(`${ENVELOPES}${id}/cancel/`, { body: {} }),
  restore: (id: string) => api.post<Envelope>(`${ENVELOPES}${id}/restore/`, { body: {} }),
  duplicate: (id: string) => api.post<Envelope>(`${ENVELOPES}${id}/duplicate/`, { body: {} }),
  /** Without a date, extends by one week. */
  extend: (id: string, deadlineAt?: string) =>
    api.post<Envelope>(`${ENVELOPES}${id}/extend/`, {
      body: deadlineAt === undefined ? {} : { deadline_at: deadlineAt },
    }),
  changeDeadline: (id: string, deadlineAt: string | null) =>
    api.put<Envelope>(`${ENVELOPES}${id}/deadline/`, { body: { deadline_at: deadlineAt } }),
  changeReminders: (id: string, everyDays: number | null) =>
    api.put<Envelope>(`${ENVELOPES}${id}/reminders/`, { body: { every_days: everyDays } }),
  changePublicPage: (id: string, proofOnly: boolean) =>
    api.put<Envelope>(`${ENVELOPES}${id}/public-page/`, { body: { proof_only: proofOnly } }),
  purge: (id: string) => api.delete<void>(`${ENVELOPES}${id}/purge/`),
  remind: (id: string) =>
    api.post<{ readonly reminded: readonly string[] }>(`${ENVELOPES}${id}/remind/`, { body: {} }),
  resend: (id: string, recipientId: string, channel: "email" | "sms") =>
    api.post<Envelope>(`${ENVELOPES}${id}/recipients/${recipientId}/resend/`, {
      body: { channel },
    }),
  correctRecipient: (id: string, recipientId: string, body: CorrectRecipientRequest) =>
    api.patch<Envelope>(`${ENVELOPES}${id}/recipients/${recipientId}/`, { body }),
  download: (id: string) =>
    api.get<{ readonly download_url: string; readonly file_name: string }>(
      `${ENVELOPES}${id}/download/`,
    ),
  file: async (id: string, documentId: string, signal: AbortSignal) =>
    (
      await fetchFile(api, `${ENVELOPES}${id}/documents/${documentId}/file/`, { signal })
    ).arrayBuffer(),
  fileUrl: (id: string, documentId: string) => `${ENVELOPES}${id}/documents/${documentId}/file/`,
  evidence: (id: string) => fetchFile(api, `${ENVELOPES}${id}/evidence/`),
  generatePrint: (id: string, qrType: Print["qr_type"]) =>
    api.post<Print>("/api/signature/prints/generate/", { body: { envelope: id, qr_type: qrType } }),
  prints: (id: string, page: number, signal?: AbortSignal) =>
    api.get<PrintList>("/api/signature/prints/", {
      query: { envelope: id, page, page_size: PRINTS_A_PAGE },
      signal,
    }),
  signatures: (id: string, signal?: AbortSignal) =>
    api.get<SignatureList>("/api/signature/signatures/", {
      query: { envelope: id },
      signal,
      timeoutMs: VALIDATION_TIMEOUT_MS,
    }),
};

/** Statuses in which an answer is missing; `action_required` when the sender's own signature is. */
export const OPEN_STATUSES: ReadonlySet<Status> = new Set(["sent", "pending", "action_required"]);
/** Ended without everybody's signature: nobody can sign, so there is nothing to cancel. */
export const CLOSED: ReadonlySet<Status> = new Set(["declined", "expired"]);

/** Shows the envelope of a call's answer, and reads its journal again. */
export function useFreshDetail() {
  const client = useQueryClient();
  return (envelope: Envelope) => {
    client.setQueryData(["envelopes", "detail", envelope.id], envelope);
    void client.invalidateQueries({ queryKey: ["envelopes", "events", envelope.id] });
  };
}

export function useCounts({ isAsked = true } = {}) {
  return useQuery({
    enabled: isAsked,
    queryKey: ["envelopes", "counts"],
    queryFn: ({ signal }) => api.get<Counts>("/api/signature/envelopes/counts/", { signal }),
  });
}
