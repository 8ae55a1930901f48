import type { LoginRequest, User } from "@paraphe/contracts";
import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { ApiError } from "../../lib/api-error.ts";
import { api } from "../../lib/api.ts";
import { callMessage } from "../../lib/call-message.ts";
import { rememberServiceRules } from "../../lib/service-rules.ts";
import { forgetKept } from "../../lib/tab-memory.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { rememberPasswordMinimum } from "./password-minimum.ts";

type UserAnswer = { readonly user: User };

/** Gives the signed-in user, or null for a visitor; also sets the CSRF cookie, and says what the service asks and offers. */
export async function fetchSession(): Promise<User | null> {
  try {
    const answer = await api.get<UserAnswer>("/api/verify-token/");
    learn(answer);
    return answer.user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    learn(error.details.body);
    return null;
  }
}

function learn(answer: unknown): void {
  rememberPasswordMinimum(answer);
  rememberServiceRules(answer);
}

/** Opens a session, then reads who it is. */
export async function logIn(credentials: LoginRequest): Promise<User> {
  await api.post<UserAnswer>("/api/token/", { body: credentials });
  return (await api.get<UserAnswer>("/api/signature/me/")).user;
}

/** Ends the session. */
async function logOut(): Promise<void> {
  await api.post("/api/logout/", { body: {} });
}

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

/** One for the page: what it says does not come back to it. */
let shared: BroadcastChannel | undefined;

function openChannel(): BroadcastChannel {
  shared ??= new BroadcastChannel("paraphe-session");
  return shared;
}

/** Tells this browser's other tabs that somebody signed in or out. */
export function tellOtherTabs(what: "came" | "left"): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  openChannel().postMessage(what);
}

/**
 * Follows what the other tabs do with the session, whose cookies they share: what was read for another person is forgotten before anything
 * else is asked for with the new cookies. Gives the way to stop.
 */
export function followSession(client: QueryClient): () => void {
  const hear = ({ data }: MessageEvent) => {
    if (data === "left") forget(client);
    else void reread(client);
  };
  const channel = openChannel();
  channel.addEventListener("message", hear);
  return () => channel.removeEventListener("message", hear);
}

function forget(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: isNotSession });
  forgetKept();
}

async function reread(client: QueryClient): Promise<void> {
  const before = client.getQueryData(sessionQuery.queryKey);
  try {
    const now = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    if (now?.id !== before?.id) client.removeQueries({ predicate: isNotSession });
  } catch (error) {
    // An outage changes nobody: the next call of this tab will tell.
    console.warn("the session of another tab could not be read", error);
  }
}

function isNotSession({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionQuery.queryKey[0];
}

/** Gives what follows a session that its person has ended: what was read is forgotten, in the other tabs too, and the login page opens. */
export function useLeave(): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return () => {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    forgetKept();
    client.setQueryData(leftOnPurposeKey, true);
    client.setQueryData(sessionQuery.queryKey, null);
    tellOtherTabs("left");
    void navigate("/login", { replace: true, state: null });
  };
}

/** Gives the way to end the session: it clears what was read and goes to the login page. */
export function useLogOut() {
  const leave = useLeave();
  const { mutate, isPending } = useMutation({
    mutationFn: logOut,
    onSuccess: leave,
    onError: (error) => {
      showToast("err", callMessage(error, "Erreur de déconnexion"));
    },
  });
  return { logOut: () => mutate(), isPending };
}

/**
 * What the client does when the session could not be refreshed: says so, forgets what was read, and ends what may remain of it on the server.
 * A visitor who never had one is told nothing.
 */
export function expireSession(
  client: QueryClient,
  reason = "Votre session a expiré. Veuillez vous reconnecter.",
): void {
  if (!client.getQueryData(sessionQuery.queryKey)) return;
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
  showToast("err", reason);
  logOut().catch((error: unknown) => console.warn("the expired session could not be ended", error));
}
