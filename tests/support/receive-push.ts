import { type BrowserContext, type CDPSession, expect, type Page } from "@playwright/test";

type World = { readonly context: BrowserContext; readonly url: string };

/** `ready` resolves before the worker is active. */
const ACTIVATE = `navigator.serviceWorker.register("/sw.js")
  .then(() => navigator.serviceWorker.ready)
  .then(({ active }) => new Promise((done) => {
    const look = () => active.state === "activated" && done();
    active.addEventListener("statechange", look);
    look();
  }))`;

/** The built worker, driven as a browser's push service does. */
export async function receivePush(page: Page, { context, url }: World): Promise<void> {
  await context.grantPermissions(["notifications"], { origin: url });
  const script = await page.request.get(`${url}/sw.js`);
  expect(script.headers()["content-type"]).toMatch(/javascript/);
  await page.evaluate(ACTIVATE);
  const devtools = await context.newCDPSession(page);
  const registrationId = await registrationOf(devtools, url);
  const data = JSON.stringify({
    title: "Bail signé",
    body: "Côme Œuvrard a signé.",
    url: "/signature/envelopes/completed",
  });
  const shown = `navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((list) => list.map(({ title, body, data }) => [title, body, new URL(data.url).pathname]))`;
  // A message during the worker's start may be lost: it is sent again, and replaces itself.
  await expect(async () => {
    await devtools.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data });
    const notices = [["Bail signé", "Côme Œuvrard a signé.", "/signature/envelopes/completed"]];
    await expect.poll(() => page.evaluate(shown), { timeout: 5_000 }).toEqual(notices);
  }).toPass({ timeout: 60_000 });
  await devtools.detach();
}

async function registrationOf(devtools: CDPSession, url: string): Promise<string> {
  const found = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const registration = registrations.find(({ scopeURL }) => scopeURL === `${url}/`);
      if (registration) resolve(registration.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  return found;
}
