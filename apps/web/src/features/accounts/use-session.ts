import type { User } from "@paraphe/contracts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { fetchSession } from "./session-calls.ts";

/** The session as the cache keeps it: read once at start, then changed by login, logout and expiry. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: fetchSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
});

/** True once the person has asked to leave: the login page then has no origin to go back to. */
export const leftOnPurposeKey = ["session-left-on-purpose"];

type Session =
  | { readonly state: "loading" }
  | { readonly state: "visitor" }
  | { readonly state: "unreachable"; readonly retry: () => void }
  | { readonly state: "member"; readonly user: User };

/** Gives who is signed in. */
export function useSession(): Session {
  const { data, isPending, isError, refetch } = useQuery(sessionQuery);
  if (data) return { state: "member", user: data };
  if (isPending) return { state: "loading" };
  if (isError) return { state: "unreachable", retry: () => void refetch() };
  return { state: "visitor" };
}
