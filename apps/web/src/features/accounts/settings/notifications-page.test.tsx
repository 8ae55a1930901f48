import { pushSubscriptionRequest } from "@paraphe/contracts";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberServiceRules } from "../../../lib/api/service-rules.ts";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { renewPush } from "./use-push.ts";
import { NotificationsPage } from "./notifications-page.tsx";
import { clemence, openPage, serve } from "./testing/open-page.tsx";
import { KEYS, pushBrowser, withoutPush } from "./testing/push-browser.ts";
import { buttonNamed, linkTo, press } from "../testing/forms.ts";

const CHANNELS = "/api/signature/me/notifications/";
const SUBSCRIPTIONS = "/api/signature/me/push-subscriptions/";
const NIGHT = { quiet_hours: false, daily_summary: false };
/** 65 bytes, as a P-256 point has. */
const KEY = "BA" + "A".repeat(85);

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;

beforeEach(() => {
  act(clearToasts);
  localStorage.clear();
  answers = {
    [`GET ${SUBSCRIPTIONS}`]: { status: 200, body: { public_key: KEY } },
    [`POST ${SUBSCRIPTIONS}`]: { status: 204 },
  };
  answers[`DELETE ${SUBSCRIPTIONS}`] = { status: 204 };
  calls = serve(answers);
});
afterEach(withoutPush);

async function open(channels = { email: true, sms: false, push: false }, user = clemence) {
  answers[`GET ${CHANNELS}`] = {
    status: 200,
    body: { ...NIGHT, waiting: null, sms_offered: true, ...channels },
  };
  const client = openPage(<NotificationsPage />, user);
  await screen.findByRole("switch", { name: "Email" });
  return client;
}
const control = (name: "Email" | "SMS" | "Push") =>
  screen.getByRole("switch", { name }) as HTMLInputElement;
const save = () => press("Enregistrer");
const messages = () => currentToasts().map(({ message }) => message);
const made = (method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body);
const keeps = (channels: object) => {
  answers[`PUT ${CHANNELS}`] = { status: 200, body: channels };
};

test("shows three channels, each with the address or number it uses", async () => {
  pushBrowser();
  await open();
  expect(screen.getByRole("heading", { level: 1, name: "Notifications" })).toBeDefined();
  expect(document.querySelector(".lede")?.textContent).toBe(
    "Choisissez comment nous vous prévenons\u00a0: document à signer, signature reçue, échéance proche.",
  );
  expect(screen.getByRole("group", { name: "Canaux de notification" })).toBeDefined();
  expect(screen.getByText("clemence@exemple.fr")).toBeDefined();
  expect(screen.getByText("06 12 34 56 78")).toBeDefined();
  expect(await screen.findByText("Sur ce navigateur")).toBeDefined();
  expect([control("Email").checked, control("SMS").checked, control("Push").checked]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a service without mail offers neither mail nor its daily summary", async () => {
  act(() => rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: false }));
  await open({ email: false, sms: true, push: false });
  expect(screen.getByText("Ce service n’envoie pas d’email.")).toBeDefined();
  expect(screen.queryByText("clemence@exemple.fr")).toBeNull();
  expect(control("Email").disabled).toBe(true);
  expect(screen.queryByText(/Un seul email|les codes/)).toBeNull();
  act(() => rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: true }));
});

test("no channel at all says 'Sélectionnez au moins un canal' at once, and cannot be saved", async () => {
  pushBrowser();
  await open();
  await userEvent.click(control("Email"));
  expect(screen.getByRole("alert").textContent).toBe("Sélectionnez au moins un canal");
  expect(buttonNamed("Enregistrer").getAttribute("aria-disabled")).toBe("true");
  await save();
  expect(made("PUT", CHANNELS)).toEqual([]);
  await press("Annuler");
  expect(control("Email").checked).toBe(true);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("the saved choice is announced and in the session", async () => {
  pushBrowser();
  keeps({ ...NIGHT, email: true, sms: true, push: false });
  const client = await open();
  await userEvent.click(control("SMS"));
  expect(screen.getByText("Modifications non enregistrées")).toBeDefined();
  await save();
  await waitFor(() => expect(messages()).toEqual(["Préférences enregistrées"]));
  expect(made("PUT", CHANNELS)).toEqual([{ ...NIGHT, email: true, sms: true, push: false }]);
  expect(client.getQueryData(sessionQuery.queryKey)?.notifications.sms).toBe(true);
  expect(screen.queryByText("Modifications non enregistrées")).toBeNull();
});

test("a refusal stands above the form, and the choice stays as it was made", async () => {
  pushBrowser();
  answers[`PUT ${CHANNELS}`] = { status: 400, body: { detail: "Sélectionnez au moins un canal" } };
  await open();
  await userEvent.click(control("SMS"));
  await save();
  expect((await screen.findByRole("alert")).textContent).toBe("Sélectionnez au moins un canal");
  expect(control("SMS").checked).toBe(true);
});

test("without a number there is no SMS: 'Ajoutez un numéro pour recevoir des SMS.'; a former choice can still be given up", async () => {
  pushBrowser();
  await open(
    { email: true, sms: true, push: false },
    { ...clemence, phone_number: null, phone_verified: false },
  );
  expect(screen.getByText(/Ajoutez un numéro/).textContent).toBe(
    "Ajoutez un numéro pour recevoir des SMS. Ajouter",
  );
  expect(linkTo("Ajouter")).toBe("/profile");
  expect(control("SMS").disabled).toBe(false);
  await userEvent.click(control("SMS"));
  expect(control("SMS").disabled).toBe(true);
});

test("an unverified number gets no SMS, and a link leads to its verification", async () => {
  pushBrowser();
  await open({ email: true, sms: false, push: false }, { ...clemence, phone_verified: false });
  expect(control("SMS").disabled).toBe(true);
  expect(screen.getByText(/Vérifiez ce numéro pour recevoir des SMS/)).toBeDefined();
  expect(linkTo("Vérifier ce numéro")).toBe("/profile");
});

test("a service that sends no texts says so, and offers none", async () => {
  pushBrowser();
  await open({ email: true, sms: false, push: false, sms_offered: false } as never);
  expect(screen.getByText("Ce service n’envoie pas de SMS.")).toBeDefined();
  expect(screen.queryByText("06 12 34 56 78")).toBeNull();
  expect(control("SMS").disabled).toBe(true);
});

test("a browser without push says so", async () => {
  await open();
  expect(
    await screen.findByText("Ce navigateur ne sait pas recevoir de notifications."),
  ).toBeDefined();
  expect(control("Push").disabled).toBe(true);
});

test("a browser that forbids notifications says how to allow them, and asks nobody", async () => {
  const browser = pushBrowser({ permission: "denied" });
  await open();
  expect(
    await screen.findByText("Les notifications sont bloquées par votre navigateur."),
  ).toBeDefined();
  expect(
    screen.getByText(
      "Autorisez-les pour ce site dans les réglages du navigateur, puis revenez ici.",
    ),
  ).toBeDefined();
  expect(control("Push").disabled).toBe(true);
  expect(browser.asked()).toBe(0);
});

test("choosing Push asks for permission only on saving, subscribes this browser, then saves", async () => {
  const browser = pushBrowser();
  keeps({ ...NIGHT, email: true, sms: false, push: true });
  await open();
  await userEvent.click(control("Push"));
  expect(browser.asked()).toBe(0);
  await save();
  await waitFor(() => expect(messages()).toEqual(["Préférences enregistrées"]));
  expect(browser.asked()).toBe(1);
  expect(browser.registered).toEqual(["/sw.js"]);
  expect(browser.subscription?.key.length).toBe(65);
  expect(made("POST", SUBSCRIPTIONS)).toEqual([
    { endpoint: "https://push.exemple.fr/1", keys: KEYS },
  ]);
  expect(pushSubscriptionRequest.safeParse(made("POST", SUBSCRIPTIONS)[0]).success).toBe(true);
  expect(made("PUT", CHANNELS)).toEqual([{ ...NIGHT, email: true, sms: false, push: true }]);
  expect(await screen.findByRole("button", { name: "Désactiver sur ce navigateur" })).toBeDefined();
});

test("without the permission the former choice stays", async () => {
  pushBrowser({ answer: "default" });
  await open();
  await userEvent.click(control("Push"));
  await save();
  expect(await screen.findByText("Vous n’avez pas autorisé les notifications.")).toBeDefined();
  expect(control("Push").checked).toBe(false);
  expect(made("PUT", CHANNELS)).toEqual([]);
  expect(made("POST", SUBSCRIPTIONS)).toEqual([]);
});

test("a refused permission shows how to allow it again", async () => {
  pushBrowser({ answer: "denied" });
  await open();
  await userEvent.click(control("Push"));
  await save();
  expect(
    await screen.findByText("Les notifications sont bloquées par votre navigateur."),
  ).toBeDefined();
  expect(control("Push").checked).toBe(false);
  expect(made("PUT", CHANNELS)).toEqual([]);
});

test("a push service that does not answer is named as such, and nothing is saved", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  pushBrowser({ away: true });
  await open();
  await userEvent.click(control("Push"));
  await save();
  expect(
    await screen.findByText(
      "Le service de notifications de votre navigateur ne répond pas. Réessayez plus tard.",
    ),
  ).toBeDefined();
  expect(made("PUT", CHANNELS)).toEqual([]);
});

test("a refused subscription shows the server's sentence", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  pushBrowser();
  answers[`POST ${SUBSCRIPTIONS}`] = {
    status: 409,
    body: { detail: "Dix navigateurs reçoivent déjà vos notifications." },
  };
  await open();
  await userEvent.click(control("Push"));
  await save();
  expect(
    await screen.findByText("Dix navigateurs reçoivent déjà vos notifications."),
  ).toBeDefined();
  expect(control("Push").checked).toBe(false);
});

test("giving up Push saves the choice, then ends this browser's subscription here and at the service", async () => {
  const browser = pushBrowser({
    permission: "granted",
    subscription: { endpoint: "https://push.exemple.fr/1", key: new Uint8Array(65) },
  });
  keeps({ ...NIGHT, email: true, sms: false, push: false });
  await open({ email: true, sms: false, push: true });
  await userEvent.click(control("Push"));
  await save();
  await waitFor(() =>
    expect(made("DELETE", SUBSCRIPTIONS)).toEqual([{ endpoint: "https://push.exemple.fr/1" }]),
  );
  expect(browser.subscription).toBeNull();
});

test("Push chosen on another browser can be added and ended here without changing the choice", async () => {
  const browser = pushBrowser();
  await open({ email: true, sms: false, push: true });
  expect(await screen.findByText("Pas sur ce navigateur")).toBeDefined();
  await press("Activer sur ce navigateur");
  await userEvent.click(
    await screen.findByRole("button", { name: "Désactiver sur ce navigateur" }),
  );
  expect(await screen.findByText("Pas sur ce navigateur")).toBeDefined();
  expect(browser.subscription).toBeNull();
  expect(made("DELETE", SUBSCRIPTIONS)).toHaveLength(1);
  expect(made("PUT", CHANNELS)).toEqual([]);
});

test("a subscription made for a former key of the service is made again", async () => {
  const browser = pushBrowser({
    permission: "granted",
    subscription: { endpoint: "https://push.exemple.fr/ancien", key: new Uint8Array(65) },
  });
  keeps({ ...NIGHT, email: true, sms: false, push: true });
  localStorage.setItem("paraphe.push", clemence.id);
  await renewPush(clemence.id);
  expect(browser.subscription?.endpoint).toBe("https://push.exemple.fr/1");
  expect(made("POST", SUBSCRIPTIONS)).toHaveLength(1);
});

test("a new session renews the subscription of the person who asked for it here, and of nobody else", async () => {
  pushBrowser({
    permission: "granted",
    subscription: {
      endpoint: "https://push.exemple.fr/1",
      key: Uint8Array.from({ length: 65 }, (_, index) => (index === 0 ? 4 : 0)),
    },
  });
  localStorage.setItem("paraphe.push", "quelqu’un d’autre");
  await renewPush(clemence.id);
  expect(calls).toEqual([]);
  localStorage.setItem("paraphe.push", clemence.id);
  await renewPush(clemence.id);
  expect(made("POST", SUBSCRIPTIONS)).toEqual([
    { endpoint: "https://push.exemple.fr/1", keys: KEYS },
  ]);
});

test("a new session asks for no permission that was never given", async () => {
  const browser = pushBrowser();
  localStorage.setItem("paraphe.push", clemence.id);
  await renewPush(clemence.id);
  expect(browser.asked()).toBe(0);
  expect(calls).toEqual([]);
});

test("'Envoyer une notification d’essai' uses the saved channels and names them, or shows the refusal", async () => {
  answers[`POST ${CHANNELS}test/`] = { status: 202, body: { channels: ["email", "sms"] } };
  await open();
  await press("Envoyer une notification d’essai");
  await waitFor(() => expect(messages()).toEqual(["Notification d’essai envoyée par email, SMS"]));
  answers[`POST ${CHANNELS}test/`] = {
    status: 429,
    body: { detail: "Trop de demandes. Réessayez dans 1 h." },
  };
  await press("Envoyer une notification d’essai");
  await waitFor(() => expect(messages()).toContain("Trop de demandes. Réessayez dans 1 h."));
  await userEvent.click(control("SMS"));
  expect(screen.queryByRole("button", { name: "Envoyer une notification d’essai" })).toBeNull();
});

test("'Heures calmes' and 'Résumé quotidien' are chosen apart from the channels and saved with them", async () => {
  const kept = { email: true, sms: false, push: false, quiet_hours: true, daily_summary: true };
  keeps(kept);
  await open();
  expect(screen.getByRole("group", { name: "Moment des notifications" })).toBeDefined();
  const quiet = screen.getByRole("switch", {
    name: "Heures calmes 20\u00a0h–8\u00a0h",
  }) as HTMLInputElement;
  const summary = screen.getByRole("switch", { name: "Résumé quotidien" }) as HTMLInputElement;
  expect([quiet.checked, summary.checked]).toEqual([false, false]);
  await userEvent.click(quiet);
  await userEvent.click(summary);
  expect(screen.getByText("Modifications non enregistrées")).toBeDefined();
  await save();
  await waitFor(() => expect(messages()).toEqual(["Préférences enregistrées"]));
  expect(made("PUT", CHANNELS)).toEqual([kept]);
  expect([quiet.checked, summary.checked]).toEqual([true, true]);
});

test.each([
  [1, "2026-11-22T07:00:00.000Z", "1 message en attente", "Sera envoyé à 08\u00a0h\u00a000"],
  [3, "2026-07-15T06:00:00.000Z", "3 messages en attente", "Seront envoyés à 08\u00a0h\u00a000"],
])("what waits says until when: %i", async (count, until, title, words) => {
  await open({ email: true, sms: false, push: false, waiting: { count, until } } as never);
  expect(screen.getByText(title).parentElement?.textContent).toBe(title + words);
});
