import type { PushKeyAnswer } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { equalBytes, fromBase64Url } from "@paraphe/kernel/bytes";
import { useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { api } from "../../../lib/api.ts";
import { callMessage } from "../../../lib/call-message.ts";

const SUBSCRIPTIONS = "/api/signature/me/push-subscriptions/";

/** Gives the service's public key, which a browser asks for before it subscribes (RFC 8292). */
export async function loadPushKey(): Promise<string> {
  return (await api.get<PushKeyAnswer>(SUBSCRIPTIONS)).public_key;
}

/** Tells the service where this browser receives; the same one again changes nothing. */
export async function keepSubscription(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint, keys } = subscription;
  await api.post(SUBSCRIPTIONS, { body: { endpoint, keys } });
}

/** Tells the service that this browser receives no more. */
async function dropSubscription(endpoint: string): Promise<void> {
  await api.delete(SUBSCRIPTIONS, { body: { endpoint } });
}

const KEY = "paraphe.push";

/** Remembers on this browser whose notifications it receives: another person who signs in here has not asked for theirs. */
function rememberPush(userId: string | null): void {
  try {
    if (userId === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, userId);
  } catch (cause) {
    // Storage may be refused by the browser: the subscription is then renewed from the settings only.
    if (!(cause instanceof DOMException)) throw cause;
  }
}

/** Tells whether this browser receives this person's notifications. */
export function remembersPush(userId: string): boolean {
  try {
    return localStorage.getItem(KEY) === userId;
  } catch (cause) {
    if (cause instanceof DOMException) return false;
    throw cause;
  }
}

/** The browser's side of Web Push: what it can do, what it was allowed, whether it is subscribed. */
type PushState = "unsupported" | "denied" | "off" | "on";

const WORKER = "/sw.js";
/** The development server gives the worker in modules, the build in one classic script. */
const WORKER_OPTIONS: RegistrationOptions = {
  scope: "/",
  updateViaCache: "none",
  type: import.meta.env.DEV ? "module" : "classic",
};

/** Gives where this browser stands. Nothing is asked of the person. */
export async function readPushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "unsupported";
  if (Notification.permission === "denied") return "denied";
  return (await currentSubscription()) && Notification.permission === "granted" ? "on" : "off";
}

/** Gives the subscription this browser has, if any. */
async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Asks the person, then subscribes this browser. Must be called from a press: browsers ignore the question otherwise.
 * Gives null when the person did not allow it; throws when the browser's push service does not answer.
 */
export async function subscribe(
  publicKey: () => Promise<string>,
): Promise<PushSubscriptionJSON | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const key = fromBase64Url(await publicKey());
  if (key === null) throw new Error("The service gave no key of its own");
  await navigator.serviceWorker.register(WORKER, WORKER_OPTIONS);
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  // Made for another key (the service was set up anew): the push service would refuse our messages.
  if (former && !equalBytes(keyOf(former), key)) await former.unsubscribe();
  return (
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  ).toJSON();
}

function keyOf({ options }: PushSubscription): Uint8Array {
  return options.applicationServerKey
    ? new Uint8Array(options.applicationServerKey)
    : Uint8Array.of();
}

/** Ends the subscription of this browser; gives the address it had. */
async function unsubscribe(): Promise<string | null> {
  const subscription = await currentSubscription();
  if (!subscription) return null;
  await subscription.unsubscribe();
  return subscription.endpoint;
}

const FAILURE = "Impossible d’activer les notifications sur ce navigateur";
const SERVICE_AWAY =
  "Le service de notifications de votre navigateur ne répond pas. Réessayez plus tard.";
const NOT_ALLOWED = "Vous n’avez pas autorisé les notifications.";

/** Gives where this browser stands with notifications, and the ways to change it. `failure` is why the last try did not succeed. */
export function usePush(userId: string) {
  const { data: state, refetch } = useQuery({
    queryKey: ["push"],
    queryFn: readPushState,
    staleTime: 0,
    refetchOnWindowFocus: "always",
  });
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);

  const run = async (change: () => Promise<string | undefined>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    const refusal = await change().catch((error: unknown) => {
      console.warn("the subscription to notifications could not be changed", error);
      return error instanceof ApiError ? callMessage(error, FAILURE) : SERVICE_AWAY;
    });
    setFailure(refusal);
    await refetch();
    setBusy(false);
    return refusal === undefined;
  };
  /** True once this browser receives. */
  const enable = () =>
    run(async () => {
      const subscription = await subscribe(loadPushKey);
      if (subscription === null)
        return Notification.permission === "denied" ? undefined : NOT_ALLOWED;
      await keepSubscription(subscription);
      rememberPush(userId);
      return undefined;
    }).then((changed) => changed && Notification.permission === "granted");
  const disable = () =>
    run(async () => {
      rememberPush(null);
      const endpoint = await unsubscribe();
      if (endpoint !== null) await dropSubscription(endpoint);
      return undefined;
    });
  return { state, failure, busy, enable, disable };
}
