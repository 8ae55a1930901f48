import type {
  Holdings,
  InvitationAnswer,
  InvitationList,
  InviteRequest,
  MemberList,
  OrganisationJournal,
  RoleRequest,
} from "@paraphe/contracts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, apiUrl } from "../../lib/api/api.ts";

const BASE = "/api/organisation/";
const MEMBERS = `${BASE}members/`;
const INVITATIONS = `${BASE}invitations/`;

export const membersQuery = queryOptions({
  queryKey: ["organisation", "members"],
  queryFn: ({ signal }) => api.get<MemberList>(MEMBERS, { signal }),
});

export const invitationsQuery = queryOptions({
  queryKey: ["organisation", "invitations"],
  queryFn: ({ signal }) => api.get<InvitationList>(INVITATIONS, { signal }),
});

export const journalQuery = infiniteQueryOptions({
  queryKey: ["organisation", "journal"],
  initialPageParam: null as string | null,
  queryFn: ({ signal, pageParam }) =>
    api.get<OrganisationJournal>(
      `${BASE}journal/${pageParam === null ? "" : `?before=${pageParam}`}`,
      { signal },
    ),
  getNextPageParam: ({ next }) => next,
});

export const journalExport = (format: "csv" | "json"): string =>
  apiUrl(`${BASE}journal/export/?format=${format}`);

export const changeRole = (id: string, change: RoleRequest) =>
  api.put<MemberList>(`${MEMBERS}${id}/role/`, { body: change });
export const endSessions = (id: string) => api.delete<void>(`${MEMBERS}${id}/sessions/`);
export const resetFactors = (id: string) => api.delete<void>(`${MEMBERS}${id}/factors/`);
export const readHoldings = (id: string) => api.get<Holdings>(`${MEMBERS}${id}/holdings/`);
export const removeMember = (id: string, heirId: string) =>
  api.post<void>(`${MEMBERS}${id}/removal/`, { body: { heir_id: heirId } });

export const invite = (body: InviteRequest) => api.post<InvitationList>(INVITATIONS, { body });
export const renewInvitation = (id: string) =>
  api.post<InvitationList>(`${INVITATIONS}${id}/renew/`, {});
export const withdrawInvitation = (id: string) =>
  api.delete<InvitationList>(`${INVITATIONS}${id}/`);

/** For the holder of a link. */
export const checkInvitation = (token: string) =>
  api.post<InvitationAnswer>(`${INVITATIONS}check/`, { body: { token } });
export const acceptInvitation = (token: string) =>
  api.post<void>(`${INVITATIONS}accept/`, { body: { token } });
