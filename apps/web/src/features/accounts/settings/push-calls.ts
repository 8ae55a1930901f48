import type { PushKeyAnswer } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";

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
export async function dropSubscription(endpoint: string): Promise<void> {
  await api.delete(SUBSCRIPTIONS, { body: { endpoint } });
}
