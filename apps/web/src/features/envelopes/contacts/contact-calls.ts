import type {
  Contact,
  ContactDoubles,
  ContactImport,
  ContactImportAnswer,
  ContactRequest,
  Contacts,
  ContactSettings,
  ContactsQuery,
  ExistingChoice,
  MergeContactsRequest,
} from "@paraphe/contracts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api/api.ts";

const CONTACTS = "/api/signature/contacts/";
const IMPORT = `${CONTACTS}import/`;
/** 50,000 lines are read, and up to a thousand written, within the call. */
const IMPORT_TIMEOUT_MS = 120_000;
/** Time between two readings of a background import. */
const AGAIN_MS = 1_500;

export const contactCalls = {
  list: (query: ContactsQuery, signal?: AbortSignal) =>
    api.get<Contacts>(CONTACTS, { query: query as Record<string, string | number>, signal }),
  add: (body: ContactRequest) => api.post<Contact>(CONTACTS, { body }),
  change: (id: string, body: ContactRequest) => api.put<Contact>(`${CONTACTS}${id}/`, { body }),
  erase: (id: string) => api.delete<void>(`${CONTACTS}${id}/`),
  merge: (body: MergeContactsRequest) => api.post<Contact>(`${CONTACTS}doubles/merge/`, { body }),
  separate: (first: string, second: string) =>
    api.post<void>(`${CONTACTS}doubles/apart/`, { body: { first, second } }),
  saveSettings: (body: ContactSettings) =>
    api.put<ContactSettings>(`${CONTACTS}settings/`, { body }),
  read: (file: File, signal: AbortSignal) => {
    const body = new FormData();
    body.append("file", file);
    return api.post<ContactImport>(IMPORT, { body, signal, timeoutMs: IMPORT_TIMEOUT_MS });
  },
  start: (existing: ExistingChoice) =>
    api.post<ContactImport>(`${IMPORT}start/`, {
      body: { existing },
      timeoutMs: IMPORT_TIMEOUT_MS,
    }),
  forget: () => api.delete<void>(IMPORT),
  faults: () => csvOf(`${IMPORT}faults/`),
  export: () => csvOf(`${CONTACTS}export/`),
};

async function csvOf(path: string): Promise<Blob> {
  return (await api.request("GET", path, { accept: "text/csv", timeoutMs: 60_000 })).blob();
}

export type Pair = ContactDoubles["results"][number];

export const contactsKey = ["contacts"] as const;

export const contactSettingsQuery = queryOptions({
  queryKey: [...contactsKey, "settings"],
  queryFn: ({ signal }) => api.get<ContactSettings>(`${CONTACTS}settings/`, { signal }),
});

export const doublesQuery = queryOptions({
  queryKey: [...contactsKey, "doubles"],
  queryFn: ({ signal }) => api.get<ContactDoubles>(`${CONTACTS}doubles/`, { signal }),
});

export const importQuery = queryOptions({
  queryKey: ["contact-import"],
  queryFn: async ({ signal }) => (await api.get<ContactImportAnswer>(IMPORT, { signal })).import,
  refetchInterval: ({ state }) => (state.data?.state === "running" ? AGAIN_MS : false),
});
