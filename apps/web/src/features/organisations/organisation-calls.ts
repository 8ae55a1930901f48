import type {
  AccessRequest,
  AppearanceRequest,
  FirstAccount,
  MailsRequest,
  OrganisationAnswer,
  OrganisationIdentity,
  OrganisationSettings,
  ProviderKind,
  ProviderList,
  ProviderRequest,
  RegistrationChoice,
  User,
} from "@paraphe/contracts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";

const FIRST_START = "/api/signature/first-start/";
const BASE = "/api/organisation/";

export async function checkFirstStart(token: string): Promise<true> {
  await api.post(`${FIRST_START}check/`, { body: { token } });
  return true;
}

/** `account`: for a visitor, whom the answer signs in. */
export async function claimFirstStart(claim: {
  readonly token: string;
  readonly account?: FirstAccount;
}): Promise<User> {
  return (await api.post<{ readonly user: User }>(FIRST_START, { body: claim })).user;
}

export const settingsQuery = queryOptions({
  queryKey: ["organisation"],
  queryFn: ({ signal }) => api.get<OrganisationSettings>(`${BASE}settings/`, { signal }),
});

const PROVIDERS = `${BASE}providers/`;
export const providersQuery = queryOptions({
  queryKey: ["organisation-providers"],
  queryFn: ({ signal }) => api.get<ProviderList>(PROVIDERS, { signal }),
});

export function saveProvider(kind: ProviderKind, body: ProviderRequest): Promise<ProviderList> {
  return api.put<ProviderList>(`${PROVIDERS}${kind}/`, { body });
}

export function removeProvider(kind: ProviderKind): Promise<ProviderList> {
  return api.delete<ProviderList>(`${PROVIDERS}${kind}/`);
}

/** Public. */
export const identityQuery = queryOptions({
  queryKey: ["organisation-identity"],
  queryFn: async ({ signal }) => (await api.get<OrganisationAnswer>(BASE, { signal })).identity,
});

type TypedIdentity = { readonly [K in keyof OrganisationIdentity]: string | null };

export function saveIdentity(
  change: TypedIdentity & { readonly version: number },
): Promise<OrganisationSettings> {
  return api.put<OrganisationSettings>(`${BASE}identity/`, { body: change });
}

export function saveAccess(
  change: Omit<AccessRequest, "password_min_length" | "idle_hours"> & {
    readonly password_min_length: number | null;
    readonly idle_hours: number | null;
  },
): Promise<OrganisationSettings> {
  return api.put<OrganisationSettings>(`${BASE}access/`, { body: change });
}

export function saveRegistration(change: {
  readonly choice: RegistrationChoice;
  readonly version: number;
}): Promise<OrganisationSettings> {
  return api.put<OrganisationSettings>(`${BASE}registration/`, { body: change });
}

export function saveAppearance(change: AppearanceRequest): Promise<OrganisationSettings> {
  return api.put<OrganisationSettings>(`${BASE}appearance/`, { body: change });
}

export function saveMails(change: MailsRequest): Promise<OrganisationSettings> {
  return api.put<OrganisationSettings>(`${BASE}mails/`, { body: change });
}
