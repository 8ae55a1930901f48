import type {
  Holdings,
  InvitationAnswer,
  InvitationList,
  InviteRequest,
  MemberList,
  NewTeamRequest,
  OrganisationJournal,
  RemovalRequest,
  RoleRequest,
  TeamList,
  TeamRequest,
} from "@paraphe/contracts";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, apiUrl } from "../../../lib/api/api.ts";

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
export const removeMember = (id: string, body: RemovalRequest) =>
  api.post<void>(`${MEMBERS}${id}/removal/`, { body });

const TEAMS = `${BASE}teams/`;
export const teamsQuery = queryOptions({
  queryKey: ["organisation", "teams"],
  queryFn: ({ signal }) => api.get<TeamList>(TEAMS, { signal }),
});
export const createTeam = (body: NewTeamRequest) => api.post<TeamList>(TEAMS, { body });
export const changeTeam = (id: string, body: TeamRequest) =>
  api.put<TeamList>(`${TEAMS}${id}/`, { body });
export const deleteTeam = (id: string) => api.delete<TeamList>(`${TEAMS}${id}/`);
export const changeTeamsOf = (id: string, teams: readonly string[]) =>
  api.put<MemberList>(`${MEMBERS}${id}/teams/`, { body: { teams } });

export const invite = (body: InviteRequest) => api.post<InvitationList>(INVITATIONS, { body });
export const renewInvitation = (id: string) =>
  api.post<InvitationList>(`${INVITATIONS}${id}/renew/`, {});
export const withdrawInvitation = (id: string) =>
  api.delete<InvitationList>(`${INVITATIONS}${id}/`);

export const checkInvitation = (token: string) =>
  api.post<InvitationAnswer>(`${INVITATIONS}check/`, { body: { token } });
export const acceptInvitation = (token: string) =>
  api.post<void>(`${INVITATIONS}accept/`, { body: { token } });
