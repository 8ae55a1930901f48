import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { rememberPasswordMinimum } from "../password-minimum.ts";
import { sessionQuery } from "../use-session.ts";
import { AccessibilityCard, AppearanceCard } from "./appearance-card.tsx";
import { DataCard, StorageCard } from "./data-card.tsx";
import { SecurityPage } from "./security-page.tsx";
import { SettingsPage } from "./settings-page.tsx";
import { openPage, serve } from "./testing/open-page.tsx";
import { linkTo, press } from "../testing/forms.ts";

const ME = "/api/signature/me/";
const here = {
  id: "0192f0c1-0000-7000-8000-00000000000a",
  current: true,
  created_at: "2026-11-21T08:00:00Z",
  last_used_at: "2026-11-21T11:38:00Z",
  remember_me: true,
  device: "Firefox sous Windows",
  ip: "192.0.2.1",
};
const phone = {
  ...here,
  id: "0192f0c1-0000-7000-8000-00000000000b",
  current: false,
  remember_me: false,
  device: "Safari sur iPhone",
  ip: null,
};

const NO_FACTORS = { passkeys: [], totp: null, recovery_codes: { left: 0, total: 0 } };
let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;

beforeEach(() => {
  act(clearToasts);
  answers = {
    [`GET ${ME}sessions/`]: { status: 200, body: { results: [phone, here] } },
    [`GET ${ME}factors/`]: { status: 200, body: NO_FACTORS },
    [`GET ${ME}storage/`]: { status: 200, body: { used_bytes: 0, quota_bytes: null } },
  };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

const messages = () => currentToasts().map(({ message }) => message);
const made = (method: string) =>
  calls.filter((call) => call.method === method).map(({ path }) => path);
const card = (name: string) => within(screen.getByRole("region", { name }));

test("'Paramètres' is the menu of five pages, each with its present state", async () => {
  answers["GET /api/signature/saved-signatures/"] = {
    status: 200,
    body: { count: 2, results: [] },
  };
  openPage(<SettingsPage />);
  expect(screen.getByRole("heading", { level: 1, name: "Paramètres" })).toBeDefined();
  const nav = within(screen.getByRole("navigation", { name: "Paramètres" }));
  await nav.findByText("2 sessions ouvertes");
  await nav.findByText("2 signatures enregistrées");
  expect(
    nav.getAllByRole("link").map((link) => [link.getAttribute("href"), link.textContent]),
  ).toEqual([
    ["/profile", "Mon compteClémence Aubry-Lefèvre, clemence@exemple.fr"],
    ["/settings/signature", "Ma signature2 signatures enregistrées"],
    ["/settings/security", "Sécurité2 sessions ouvertes"],
    ["/settings/notifications", "NotificationsEmail"],
    ["/settings/contacts", "ContactsLes personnes à qui vous envoyez"],
    ["/settings/programmes", "ProgrammesClés d’API, pour relier vos logiciels"],
  ]);
});

test("each page leads to the others, and on a phone to their menu", () => {
  openPage(<SecurityPage />);
  expect(screen.getByRole("heading", { level: 1, name: "Sécurité" })).toBeDefined();
  const nav = within(screen.getByRole("navigation", { name: "Paramètres" }));
  expect(nav.getAllByRole("link").map((link) => link.textContent)).toEqual([
    "Mon compte",
    "Ma signature",
    "Sécurité",
    "Notifications",
    "Contacts",
    "Programmes",
  ]);
  expect(linkTo("Paramètres")).toBe("/settings");
});

test("storage shows its use in words and as a bar, and near its end what frees room", async () => {
  const gb = 1_073_741_824;
  answers[`GET ${ME}storage/`] = {
    status: 200,
    body: { used_bytes: 2.5 * gb, quota_bytes: 10 * gb },
  };
  const cache = openPage(<StorageCard />);
  const storage = card("Espace de stockage");
  expect(await storage.findByText("Vous utilisez 2,5 Go sur 10 Go (25 %).")).toBeDefined();
  expect(storage.getByRole("img", { name: /^2,5.Go sur 10.Go$/ })).toBeDefined();
  answers[`GET ${ME}storage/`] = {
    status: 200,
    body: { used_bytes: 9.96 * gb, quota_bytes: 10 * gb },
  };
  await act(() => cache.invalidateQueries({ queryKey: ["storage"] }));
  expect(await storage.findByText("Vous utilisez 10 Go sur 10 Go (99,6 %).")).toBeDefined();
  expect(
    storage.getByText(/^Supprimez des brouillons, des modèles ou des enveloppes annulées/),
  ).toBeDefined();
  answers[`GET ${ME}storage/`] = { status: 200, body: { used_bytes: 0, quota_bytes: null } };
  await act(() => cache.invalidateQueries({ queryKey: ["storage"] }));
  expect(await storage.findByText("Vous utilisez 0 octet, sans limite.")).toBeDefined();
});

test("password: 'Ancien mot de passe requis', 'Nouveau mot de passe requis', then 'Minimum 5 caractères'; nothing is sent", async () => {
  openPage(<SecurityPage />);
  await press("Changer le mot de passe");
  expect(await screen.findByText("Ancien mot de passe requis")).toBeDefined();
  expect(screen.getByText("Nouveau mot de passe requis")).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText("Ancien mot de passe"));
  await userEvent.type(screen.getByLabelText("Nouveau mot de passe"), "abcd");
  expect(await screen.findByText("Minimum 5 caractères")).toBeDefined();
  expect(screen.getByText("Faible")).toBeDefined();
  expect(made("POST")).toEqual([]);
});

test("password: its length is what the service asks for", async () => {
  act(() => rememberPasswordMinimum({ password_min_length: 8 }));
  try {
    openPage(<SecurityPage />);
    expect(screen.getByText("8 caractères au minimum.")).toBeDefined();
    expect(screen.getByLabelText("Nouveau mot de passe").getAttribute("minlength")).toBe("8");
    await userEvent.type(screen.getByLabelText("Ancien mot de passe"), "Plume-1852");
    await userEvent.type(screen.getByLabelText("Nouveau mot de passe"), "Encrier");
    await press("Changer le mot de passe");
    expect(await screen.findByText("Minimum 8 caractères")).toBeDefined();
    expect(made("POST")).toEqual([]);
  } finally {
    act(() => rememberPasswordMinimum({ password_min_length: 5 }));
  }
});

test("a new password ends the other sessions, as said before, and empties the fields", async () => {
  answers[`POST ${ME}password/`] = { status: 200, body: {} };
  openPage(<SecurityPage />);
  expect(screen.getByText("Vos autres sessions seront fermées.")).toBeDefined();
  await screen.findByText("Safari sur iPhone");
  answers[`GET ${ME}sessions/`] = { status: 200, body: { results: [here] } };
  await userEvent.type(screen.getByLabelText("Ancien mot de passe"), "Plume-1852");
  await userEvent.type(screen.getByLabelText("Nouveau mot de passe"), "Encrier-bleu-1903");
  const shown = screen.getAllByRole("button", {
    name: "Afficher le mot de passe",
  })[1] as HTMLElement;
  await userEvent.click(shown);
  expect(screen.getByLabelText("Nouveau mot de passe").getAttribute("type")).toBe("text");
  await press("Changer le mot de passe");
  await waitFor(() => expect(messages()).toEqual(["Mot de passe changé"]));
  expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
    old_password: "Plume-1852",
    new_password: "Encrier-bleu-1903",
  });
  expect((screen.getByLabelText("Ancien mot de passe") as HTMLInputElement).value).toBe("");
  await waitFor(() => expect(screen.queryByText("Safari sur iPhone")).toBeNull());
});

test("a wrong old password says so under its field, which is focused", async () => {
  const errors = { old_password: ["Ancien mot de passe incorrect"] };
  answers[`POST ${ME}password/`] = {
    status: 400,
    body: { code: "validation", detail: "Vérifiez les champs.", errors },
  };
  openPage(<SecurityPage />);
  await userEvent.type(screen.getByLabelText("Ancien mot de passe"), "autre");
  await userEvent.type(screen.getByLabelText("Nouveau mot de passe"), "Encrier-bleu-1903");
  await press("Changer le mot de passe");
  expect(await screen.findByText("Ancien mot de passe incorrect")).toBeDefined();
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByLabelText("Ancien mot de passe")),
  );
});

test("another refusal of a password shows the server's sentence above the form", async () => {
  answers[`POST ${ME}password/`] = {
    status: 429,
    body: { detail: "Trop de demandes. Réessayez dans 1 minute." },
  };
  openPage(<SecurityPage />);
  await userEvent.type(screen.getByLabelText("Ancien mot de passe"), "Plume-1852");
  await userEvent.type(screen.getByLabelText("Nouveau mot de passe"), "Encrier-bleu-1903");
  await press("Changer le mot de passe");
  expect(await screen.findByText("Trop de demandes. Réessayez dans 1 minute.")).toBeDefined();
});

test("the theme is chosen among 'Clair', 'Sombre' and 'Système', and kept on this device", async () => {
  openPage(<AppearanceCard />);
  const theme = within(screen.getByRole("group", { name: "Thème" }));
  expect(screen.getByText("Les documents restent sur fond blanc.")).toBeDefined();
  expect(theme.getByRole("button", { name: "Système" }).getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(theme.getByRole("button", { name: "Sombre" }));
  expect(document.documentElement.dataset["theme"]).toBe("dark");
  expect(localStorage.getItem("paraphe.theme")).toBe("dark");
  await userEvent.click(theme.getByRole("button", { name: "Clair" }));
  expect(document.documentElement.dataset["theme"]).toBe("light");
  await userEvent.click(theme.getByRole("button", { name: "Système" }));
});

test("'Déconnexion' ends this session and forgets it", async () => {
  answers["POST /api/logout/"] = { status: 200, body: {} };
  const client = openPage(<SettingsPage />);
  await userEvent.click(card("Session").getByRole("button", { name: "Déconnexion" }));
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(client.getQueryData(sessionQuery.queryKey)).toBeNull();
});

test("each session says its device, its last use, its address and since when; this one cannot be ended from the list", async () => {
  openPage(<SecurityPage />);
  await screen.findByText("Firefox sous Windows");
  const [mine, other] = card("Sessions ouvertes").getAllByRole("listitem") as [
    HTMLElement,
    HTMLElement,
  ];
  expect(within(mine).getByText("Cette session")).toBeDefined();
  expect(mine.textContent).toContain("Active maintenant · 192.0.2.1");
  expect(mine.textContent).toContain("Ouverte le 21\u00a0nov. 2026 · Rester connecté");
  expect(within(mine).queryByRole("button")).toBeNull();
  expect(other.textContent).toContain("Safari sur iPhone");
  expect(other.textContent).toContain(
    "Dernière activité le 21\u00a0nov. 2026 à\u00a012\u00a0h\u00a038",
  );
  expect(
    within(other).getByRole("button", { name: /^Fermer la session Safari sur iPhone/ }).textContent,
  ).toBe("Fermer");
});

test("ending a session takes it off the list; the focus stays on the card", async () => {
  answers[`DELETE ${ME}sessions/${phone.id}/`] = { status: 204 };
  openPage(<SecurityPage />);
  await screen.findByText("Safari sur iPhone");
  answers[`GET ${ME}sessions/`] = { status: 200, body: { results: [here] } };
  await press(/^Fermer la session Safari/);
  await waitFor(() => expect(messages()).toEqual(["Session fermée"]));
  await waitFor(() => expect(screen.queryByText("Safari sur iPhone")).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Sessions ouvertes" }));
  expect(screen.queryByRole("button", { name: "Fermer les autres sessions" })).toBeNull();
});

test("a session that has ended already shows the server's sentence, and leaves the list", async () => {
  answers[`DELETE ${ME}sessions/${phone.id}/`] = { status: 404, body: { detail: "Introuvable." } };
  openPage(<SecurityPage />);
  await screen.findByText("Safari sur iPhone");
  answers[`GET ${ME}sessions/`] = { status: 200, body: { results: [here] } };
  await press(/^Fermer la session Safari/);
  await waitFor(() => expect(messages()).toEqual(["Introuvable."]));
  await waitFor(() => expect(screen.queryByText("Safari sur iPhone")).toBeNull());
});

test("'Fermer les autres sessions' asks, then ends them and keeps this one", async () => {
  answers[`DELETE ${ME}sessions/`] = { status: 204 };
  openPage(<SecurityPage />);
  await screen.findByText("Safari sur iPhone");
  await press("Fermer les autres sessions");
  const question = within(
    screen.getByRole("alertdialog", { name: "Fermer les autres sessions\u202f?" }),
  );
  expect(question.getByText("Cette session reste ouverte.")).toBeDefined();
  await userEvent.click(question.getByRole("button", { name: "Fermer les sessions" }));
  await waitFor(() => expect(messages()).toEqual(["Les autres sessions sont fermées"]));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(made("POST")).toEqual([]);
});

test("'Se déconnecter partout' ends the others, then this one", async () => {
  answers[`DELETE ${ME}sessions/`] = { status: 204 };
  answers["POST /api/logout/"] = { status: 200, body: {} };
  openPage(<SecurityPage />);
  await screen.findByText("Safari sur iPhone");
  await press("Se déconnecter partout");
  await userEvent.click(
    within(screen.getByRole("alertdialog")).getByRole("button", { name: "Se déconnecter" }),
  );
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect([...made("DELETE"), ...made("POST")]).toEqual([`${ME}sessions/`, "/api/logout/"]);
});

test("sessions that do not load say so, and can be asked for again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  answers[`GET ${ME}sessions/`] = { status: 500 };
  openPage(<SecurityPage />);
  expect(await screen.findByText("Impossible de charger vos sessions")).toBeDefined();
  answers[`GET ${ME}sessions/`] = { status: 200, body: { results: [here] } };
  await press("Réessayer");
  expect(await screen.findByText("Firefox sous Windows")).toBeDefined();
});

test("the export is saved under a name with its day", async () => {
  answers[`GET ${ME}export/`] = { status: 200, body: { archive: true } };
  openPage(<DataCard />);
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    expect(this.download).toMatch(/^paraphe-mes-donnees-\d{4}-\d\d-\d\d\.zip$/);
  });
  await press("Exporter");
  await waitFor(() => expect(click).toHaveBeenCalledOnce());
  expect(messages()).toEqual(["Vos données sont téléchargées"]);
});

test("a refused export says why, and the reason stays", async () => {
  answers[`GET ${ME}export/`] = {
    status: 429,
    body: { detail: "Trop de demandes. Réessayez dans 20 minutes." },
  };
  openPage(<DataCard />);
  await press("Exporter");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Trop de demandes. Réessayez dans 20 minutes.",
  );
  expect(messages()).toEqual(["Trop de demandes. Réessayez dans 20 minutes."]);
});

test("'Accessibilité' applies text size, contrast and animations at once, and stores them on this device", async () => {
  openPage(<AccessibilityCard />);
  const { dataset } = document.documentElement;
  for (const [group, choice, name, value] of [
    ["Taille du texte", "Très grande", "text", "larger"],
    ["Taille du texte", "Grande", "text", "large"],
    ["Contraste", "Renforcé", "contrast", "more"],
    ["Animations", "Réduites", "motion", "less"],
  ] as const) {
    const button = within(card("Accessibilité").getByRole("group", { name: group })).getByRole(
      "button",
      { name: choice },
    );
    await userEvent.click(button);
    expect([button.getAttribute("aria-pressed"), dataset[name]]).toEqual(["true", value]);
  }
  expect(JSON.parse(localStorage.getItem("paraphe.accessibility") ?? "")).toEqual({
    text: "large",
    contrast: "more",
    motion: "less",
  });
});
