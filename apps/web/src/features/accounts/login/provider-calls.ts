import type {
  ProviderKind,
  ProviderLinkAnswer,
  ProviderLoginAnswer,
  ProviderReturnAnswer,
  VouchedIdentity,
} from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import { keptInTab, storeInTab } from "../../../lib/browser/tab-memory.ts";

const LOGIN = "/api/token/provider/";
const ANYBODY = "visitor";
const AWAY = "provider-login";
/** `useSignInAgain` stores it. */
const FRESH = "fresh-sign-in";

type Away = { readonly remember: boolean; readonly from: string; readonly isTrial: boolean };

export async function goToProvider(
  provider: ProviderKind,
  away: Pick<Away, "remember" | "from">,
): Promise<void> {
  const fresh = keptInTab(FRESH, ANYBODY) === true;
  const { location } = await api.post<ProviderLoginAnswer>(LOGIN, { body: { provider, fresh } });
  storeInTab(FRESH, { owner: ANYBODY, value: null });
  storeInTab(AWAY, { owner: ANYBODY, value: { ...away, isTrial: false } satisfies Away });
  globalThis.location.assign(location);
}

export async function goToTrial(provider: ProviderKind): Promise<void> {
  const path = `/api/organisation/providers/${provider}/trial/`;
  const { location } = await api.post<ProviderLoginAnswer>(path, { body: {} });
  storeInTab(AWAY, {
    owner: ANYBODY,
    value: { remember: false, from: "", isTrial: true } satisfies Away,
  });
  globalThis.location.replace(location);
}

export function readAway(): Away {
  const { remember, from, isTrial } = (keptInTab(AWAY, ANYBODY) ?? {}) as Partial<Away>;
  const isOwn = typeof from === "string" && /^\/(?!\/)/.test(from);
  return {
    remember: remember === true,
    from: isOwn ? from : "/dashboard",
    isTrial: isTrial === true,
  };
}

const RETURNED = ["state", "code", "iss", "error"] as const;

export function finishAtProvider(
  query: URLSearchParams,
  remember: boolean,
): Promise<ProviderReturnAnswer> {
  const returned = Object.fromEntries(
    RETURNED.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
  );
  return api.post(`${LOGIN}return/`, { body: { ...returned, remember_me: remember } });
}

/** Called after a sign-in by the account's own means. */
export async function linkAccount(): Promise<boolean> {
  const path = "/api/signature/me/provider-link/";
  return (await api.post<ProviderLinkAnswer>(path, { body: {} })).linked;
}

export type TrialResult =
  | { readonly provider: ProviderKind; readonly trial: VouchedIdentity }
  | { readonly provider: ProviderKind; readonly sentence: string };

const TRIALS = "paraphe-provider-trial";

/** A channel, because a window that returns from a provider's page has no opener. */
export function reportTrial(result: TrialResult): void {
  const channel = new BroadcastChannel(TRIALS);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel.postMessage(result);
  channel.close();
}

export function followTrials(hear: (result: TrialResult) => void): () => void {
  const channel = new BroadcastChannel(TRIALS);
  channel.addEventListener("message", ({ data }: MessageEvent<TrialResult>) => hear(data));
  return () => channel.close();
}
