/// <reference lib="webworker" />
/**
 * The service worker, `/sw.js`: shows what is pushed, and opens its page. It keeps nothing and answers no request: it has no `fetch` event,
 * so that pages and the API go to the server as if it were not there.
 */
import { openPage, ownAddress, readPush } from "./read-push.ts";

declare const self: ServiceWorkerGlobalScope;

self.addEventListener("install", () => {
  // A newer worker has nothing to wait for: the old one holds no page.
  void self.skipWaiting();
});

self.addEventListener("push", (event) => {
  const { title, body, url } = readPush(event.data, self.location.origin);
  const shown = self.registration.showNotification(title, {
    body,
    lang: "fr",
    icon: "/icon-192.png",
    // A second message about the same page takes the first one's place.
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
