import {
  keepSubscription,
  loadPushKey,
  readPushState,
  remembersPush,
  subscribe,
} from "./use-push.ts";

/**
 * Renews the subscription at the start of a session: a logout ended it, and browsers replace their
 * endpoints. Only for whoever subscribed on this browser; asks no permission.
 */
export async function keepPush(userId: string): Promise<void> {
  if (!remembersPush(userId)) return;
  const state = await readPushState();
  if (state !== "on" && (state !== "off" || Notification.permission !== "granted")) return;
  const subscription = await subscribe(loadPushKey);
  if (subscription) await keepSubscription(subscription);
}
