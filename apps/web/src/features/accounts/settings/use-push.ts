import type { PushKeyAnswer } from "@paraphe/contracts";
import { equalBytes, fromBase64Url } from "@paraphe/kernel/bytes";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { api } from "../../../lib/api/api.ts";

const SUBSCRIPTIONS = "/api/signature/me/push-subscriptions/";

/** RFC 8292: needed to subscribe. */
async function loadPushKey(): Promise<string> {
  return (await api.get<PushKeyAnswer>(SUBSCRIPTIONS)).public_key;
}

/** Idempotent. */
async function storeSubscription(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint, keys } = subscription;
  await api.post(SUBSCRIPTIONS, { body: { endpoint, keys } });
}

async function dropSubscription(endpoint: string): Promise<void> {
  await api.delete(SUBSCRIPTIONS, { body: { endpoint } });
}

const KEY = "paraphe.push";

/** Stores who subscribed, because another account on this browser has not. */
function storePushOwner(userId: string | null): void {
  try {
    if (userId === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, userId);
  } catch (cause) {
    // Storage refused: only the settings page then renews the subscription.
    if (!(cause instanceof DOMException)) throw cause;
  }
}

function isPushOwner(userId: string): boolean {
  try {
    return localStorage.getItem(KEY) === userId;
  } catch (cause) {
    if (cause instanceof DOMException) return false;
    throw cause;
  }
}

type PushState = "unsupported" | "denied" | "off" | "on";

const WORKER = "/sw.js";
/** The development server serves modules, the build one classic script. */
const WORKER_OPTIONS: RegistrationOptions = {
  scope: "/",
  updateViaCache: "none",
  type: import.meta.env.DEV ? "module" : "classic",
};

/** Reads the state without asking for permission. */
async function readPushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "unsupported";
  if (Notification.permission === "denied") return "denied";
  return (await currentSubscription()) && Notification.permission === "granted" ? "on" : "off";
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Works only during a press, because browsers otherwise ignore the request. Null without
 * permission; throws when the push service does not answer.
 */
async function subscribe(publicKey: () => Promise<string>): Promise<PushSubscriptionJSON | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const key = fromBase64Url(await publicKey());
  if (key === null) throw new Error("The service gave no key of its own");
  await navigator.serviceWorker.register(WORKER, WORKER_OPTIONS);
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  // A subscription made with a former key would be refused.
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

/** Returns the endpoint that ended, or null. */
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

/** `failure`: why the last try failed. */
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
  /** Resolves to true once this browser receives messages. */
  const enable = () =>
    run(async () => {
      const subscription = await subscribe(loadPushKey);
      if (subscription === null)
        return Notification.permission === "denied" ? undefined : NOT_ALLOWED;
      await storeSubscription(subscription);
      storePushOwner(userId);
      return undefined;
    }).then((changed) => changed && Notification.permission === "granted");
  const disable = () =>
    run(async () => {
      storePushOwner(null);
      const endpoint = await unsubscribe();
      if (endpoint !== null) await dropSubscription(endpoint);
      return undefined;
    });
  return { state, failure, busy, enable, disable };
}

/**
 * Subscribes again: a logout ends the subscription, and browsers replace their endpoints. Only
 * for the person who subscribed here.
 */
export async function renewPush(userId: string): Promise<void> {
  if (!isPushOwner(userId)) return;
  const state = await readPushState();
  if (state !== "on" && (state !== "off" || Notification.permission !== "granted")) return;
  const subscription = await subscribe(loadPushKey);
  if (subscription) await storeSubscription(subscription);
}
