import {
  keepSubscription,
  loadPushKey,
  readPushState,
  remembersPush,
  subscribe,
} from "./use-push.ts";

/**
 * At the start of a session of somebody who chose « Push », tells the service again where this browser receives: a logout has ended the former subscription, and browsers renew
 * theirs by themselves. Only for the person who asked for it on this browser; nobody is asked anything.
 */
export async function keepPush(userId: string): Promise<void> {
  if (!remembersPush(userId)) return;
  const state = await readPushState();
  if (state !== "on" && (state !== "off" || Notification.permission !== "granted")) return;
  const subscription = await subscribe(loadPushKey);
  if (subscription) await keepSubscription(subscription);
}
