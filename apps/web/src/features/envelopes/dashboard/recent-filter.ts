import { RECENT_DOCUMENTS, type Envelope } from "@paraphe/contracts";

export type RecentStatus = "all" | "draft" | "sent" | "completed" | "action_required";

export const RECENT_STATUSES: readonly { readonly value: RecentStatus; readonly label: string }[] = [
  { value: "all", label: "Tous" },
  { value: "draft", label: "Brouillons" },
  { value: "sent", label: "Envoyées" },
  { value: "completed", label: "Complétées" },
  { value: "action_required", label: "Action requise" },
];

/** Gives the filter an address names; all of them for any other text. */
export function recentStatus(text: string | null): RecentStatus {
  return RECENT_STATUSES.find(({ value }) => value === text)?.value ?? "all";
}

/** True when the filters ask for less than the five most recent documents. */
export function isFiltered(status: RecentStatus, search: string): boolean {
  return status !== "all" || search.trim() !== "";
}

/**
 * Gives the queries of a filtered search: the five most recent that match, among all of one's envelopes, not among the five on show. 'Tous' asks three lists:
 * one's own, and those received that wait or are completed.
 */
export function recentQueries(status: RecentStatus, search: string) {
  const lists = status === "all" ? [{}, { status: "action_required" as const }, { status: "completed" as const }] : [{ status }];
  const wanted = search.trim() === "" ? {} : { search: search.trim(), search_in: "title" as const };
  return lists.map((list) => ({ ...list, ...wanted, page_size: RECENT_DOCUMENTS, ordering: "-created_at" as const }));
}

/** Gives the five newest of several lists, each envelope once. */
export function newestOf(lists: readonly (readonly Envelope[])[]): readonly Envelope[] {
  const envelopes = new Map(lists.flat().map((envelope) => [envelope.id, envelope]));
  return [...envelopes.values()].toSorted((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, RECENT_DOCUMENTS);
}
