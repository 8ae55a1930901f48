import type { LoginRequest, LogoutAnswer, TeamRef, User } from "@paraphe/contracts";
import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { api } from "../../lib/api/api.ts";
import { rememberServiceRules, serviceRules } from "../../lib/api/service-rules.ts";
import { forgetKept, storeInTab } from "../../lib/browser/tab-memory.ts";
import { clearToasts, showToast } from "../../ui/toast/toast-store.ts";
import { rememberPasswordMinimum } from "./password-minimum.ts";

type UserAnswer = { readonly user: User };

/** Null for a visitor; also sets the CSRF cookie and the service's rules. */
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

export async function logIn(credentials: LoginRequest): Promise<User> {
  await api.post<UserAnswer>("/api/token/", { body: credentials });
  return loadUser();
}

export async function loadUser(): Promise<User> {
  return (await api.get<UserAnswer>("/api/signature/me/")).user;
}

function logOut(): Promise<LogoutAnswer> {
  return api.post<LogoutAnswer>("/api/logout/", { body: {} });
}

/** Read once at start, then changed by login, logout and expiry. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: fetchSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
});

/** After a logout the login page has no origin to return to. */
export const leftOnPurposeKey = ["session-left-on-purpose"];

type Session =
  | { readonly state: "loading" }
  | { readonly state: "visitor" }
  | { readonly state: "unreachable"; readonly retry: () => void }
  | { readonly state: "member"; readonly user: User };

export function useSession(): Session {
  const { data, isPending, isError, refetch } = useQuery(sessionQuery);
  if (data) return { state: "member", user: data };
  if (isPending) return { state: "loading" };
  if (isError) return { state: "unreachable", retry: () => void refetch() };
  return { state: "visitor" };
}

/** One for the page: a channel does not receive its own messages. */
let shared: BroadcastChannel | undefined;

function openChannel(): BroadcastChannel {
  shared ??= new BroadcastChannel("paraphe-session");
  return shared;
}

export function notifyOtherTabs(what: "came" | "left"): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  openChannel().postMessage(what);
}

/**
 * Follows other tabs, which share the session cookies: another person's cached answers are dropped.
 * Returns the way to stop.
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
    // An outage does not change the user: the next call decides.
    console.warn("the session of another tab could not be read", error);
  }
}

function isNotSession({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionQuery.queryKey[0];
}

/** Clears the cache, in the other tabs too, and opens the login page. */
export function useLeave(): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return () => {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    forgetKept();
    client.setQueryData(leftOnPurposeKey, true);
    client.setQueryData(sessionQuery.queryKey, null);
    notifyOtherTabs("left");
    void navigate("/login", { replace: true, state: null });
  };
}

export function useLogOut() {
  const leave = useLeave();
  const { mutate, isPending } = useMutation({
    mutationFn: logOut,
    onSuccess: ({ location }) => {
      // The provider ends its session too, and comes back to the login page.
      if (location === undefined) return leave();
      forgetKept();
      notifyOtherTabs("left");
      globalThis.location.assign(location);
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Erreur de déconnexion"));
    },
  });
  return { logOut: () => mutate(), isPending };
}

/** Logs out; the next login leads back to this page. */
export function useSignInAgain(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await logOut();
    client.removeQueries({ predicate: isNotSession });
    forgetKept();
    // The provider then asks again who the person is.
    storeInTab("fresh-sign-in", { owner: "visitor", value: true });
    client.setQueryData(sessionQuery.queryKey, null);
    notifyOtherTabs("left");
  };
}

/** Called after a failed refresh; a visitor without a session sees nothing. */
export function expireSession(
  client: QueryClient,
  reason = "Votre session a expiré. Veuillez vous reconnecter.",
): void {
  if (!client.getQueryData(sessionQuery.queryKey)) return;
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
  // An error shown just before would hide the reason.
  clearToasts();
  showToast("err", reason);
  logOut().catch((error: unknown) => console.warn("the expired session could not be ended", error));
}

/** From the required day on, the service answers nothing until a second factor exists. */
export function lacksFactor({ second_factor_by: by }: User): boolean {
  return by !== undefined && Date.parse(by) <= Date.now();
}

/** Before the address is confirmed, what was sent to it is unknown rather than none. */
export function useIsUnconfirmed(): boolean {
  const session = useSession();
  return session.state === "member" && !session.user.email_confirmed;
}

export function unconfirmedAddress(): string {
  return serviceRules().mail
    ? "Les documents envoyés à votre adresse s’affichent ici une fois qu’elle est confirmée, par un lien que nous y envoyons."
    : "Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée, par un email que ce service n’envoie pas. Adressez-vous à la personne qui l’administre.";
}

/** The name a person signs with; the username without one. */
export function fullName({
  first_name: firstName,
  last_name: lastName,
  username,
}: Pick<User, "first_name" | "last_name" | "username">): string {
  return `${firstName} ${lastName}`.trim() || username;
}

/** False for a reader, who only consults. */
export function useMayWork(): boolean {
  const session = useSession();
  return session.state !== "member" || session.user.organisation_role !== "reader";
}

export function useTeams(): readonly TeamRef[] {
  const session = useSession();
  return (session.state === "member" ? session.user.teams : undefined) ?? [];
}
