/// <reference lib="webworker" />
/**
 * `/sw.js`: shows push messages and opens their pages. Without a `fetch` event it caches nothing.
 */
import { openPage, ownAddress, readPush } from "./read-push.ts";

declare const self: ServiceWorkerGlobalScope;

self.addEventListener("install", () => {
  // The old worker serves no page, so there is nothing to wait for.
  void self.skipWaiting();
});

self.addEventListener("push", (event) => {
  const { title, body, url } = readPush(event.data, self.location.origin);
  const shown = self.registration.showNotification(title, {
    body,
    lang: "fr",
    icon: "/icon-192.png",
    // A second message about a page replaces the first.
    tag: url,
    data: { url },
  });
  event.waitUntil(shown);
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = (event.notification.data ?? {}) as { url?: string };
  event.waitUntil(follow(ownAddress(url, self.location.origin)));
});

async function follow(address: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  await openPage(address, { pages, open: (url) => self.clients.openWindow(url) });
}
