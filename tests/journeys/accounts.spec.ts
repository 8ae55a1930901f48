import { type BrowserContext, expect, type Page } from "@playwright/test";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { type Service, test } from "../support/stories.ts";
import { PASSWORD } from "../support/story.ts";
import {
  exactButton as button,
  exactLink as link,
  expectText,
  expectUncovered,
  expectVisible,
  heading,
  shown,
} from "../support/controls.ts";

/** Keyboard alone: Tab, Enter and Space. */
const PERSON = ofThisWorker({ username: "pauline", email: "pauline@exemple.fr" });
const NEW_PASSWORD = "Cahier-de-Seyès-1892";
const DESK = { width: 1440, height: 900 };

let server: Service["server"];
let mails: Service["mails"];

test.beforeAll(({ service }) => {
  ({ server, mails } = service);
});

async function register(page: Page): Promise<void> {
  await page.goto("/signature/upload");
  await expectVisible(heading(page, "Connexion"));
  await press(link(page, "Créer un compte"));
  await expect(heading(page, "Compte")).toBeFocused();
  await typeInto(page, "Nom d’utilisateur", PERSON.username);
  await typeInto(page, "Email", "pauline@");
  await typeInto(page, "Mot de passe", "abcd");
  await page.keyboard.press("Tab");
  await expectVisible(
    page.getByText("Email invalide"),
    page.getByText("Minimum 5 caractères"),
    page.getByPlaceholder("Minimum 5 caractères"),
  );
  await expect(button(page, "Suivant")).toHaveAttribute("aria-disabled", "true");
  await lookAt(page, "accounts-01-register-errors");
  await expectNoSidewaysScroll(page);
  await page.keyboard.press("Shift+Tab");
  await typeInto(page, "Email", PERSON.email);
  await page.getByLabel("Nom d’utilisateur").focus();
  await typeInto(page, "Mot de passe", "azerty123");
  await press(button(page, "Suivant"));
  // Refused on this step, not after the profile.
  await expectText(page, "Ce mot de passe est trop courant. Choisissez-en un autre");
  await expect(page.getByLabel("Mot de passe", { exact: true })).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(PASSWORD);
  await press(button(page, "Suivant"));

  await expect(heading(page, "Profil")).toBeFocused();
  expect(await page.evaluate<number>("window.scrollY")).toBe(0);
  await press(button(page, "Créer mon compte"));
  await expectText(page, "Erreurs de validation");
  await lookAt(page, "accounts-02-register-summary");
  await press(link(page, "Prénom requis"));
  await expect(page.getByLabel("Prénom")).toBeFocused();
  await page.keyboard.type("Pauline");
  await typeInto(page, "Nom", "Œuvrard");
  // A symmetrical date: the field follows the browser's own order of day and month.
  await typeInto(page, "Date de naissance", "02021984");
  await expectVisible(
    page.getByText("PNG, JPG jusqu'à 5MB (optionnel)"),
    button(page, "Précédent"),
  );
  await press(button(page, "Créer mon compte"));
  await expectVisible(
    heading(page, "Inscription réussie !"),
    page.getByText(
      "Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour activer votre compte.",
    ),
  );
  await press(button(page, "Renvoyer l'email"));
  await expect(button(page, "Renvoyer l'email")).toHaveAttribute("aria-disabled", "true");
  await expect(button(page, "Renvoyer l'email")).toBeFocused();
  await lookAt(page, "accounts-03-register-success");
  await expectVisible(link(page, "Aller à la connexion"));
}

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await typeInto(page, "Nom d’utilisateur", username);
  await typeInto(page, "Mot de passe", password);
  await press(page.getByLabel("Rester connecté"), "Space");
  await press(button(page, "Se connecter"));
}

async function forgetAndReset(page: Page): Promise<void> {
  await press(link(page, "Mot de passe oublié ?"));
  await expect(heading(page, "Mot de passe oublié")).toBeFocused();
  await typeInto(page, "Email", PERSON.email);
  await press(button(page, "Envoyer le lien"));
  await expectText(
    page,
    "Si un compte existe pour cet email, un lien de réinitialisation a été envoyé.",
  );
  await expect(button(page, "Renvoyer l'email")).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("timer")).toHaveText(/^Nouvel envoi possible dans (60|5\d) s$/);
  await press(page.getByText("Vous ne recevez rien"));
  await expectText(page, "Le lien de réinitialisation est valable 24 heures.");
  await lookAt(page, "accounts-05-forgotten");

  const mail = await mails.waitFor(PERSON.email, ({ text }) => text.includes("/reset-password/"));
  await page.goto(linkIn(mail, /\/reset-password\//).href);
  await expectVisible(link(page, "Recommencer la procédure"));
  await typeInto(page, "Nouveau mot de passe", NEW_PASSWORD);
  await typeInto(page, "Confirmation", `${NEW_PASSWORD}?`);
  await page.keyboard.press("Enter");
  await expectText(page, "Les mots de passe ne correspondent pas.");
  await lookAt(page, "accounts-06-reset");
  await page.getByLabel("Nouveau mot de passe").focus();
  await typeInto(page, "Confirmation", NEW_PASSWORD);
  await press(button(page, "Changer le mot de passe"));
  await expectText(
    page,
    "Mot de passe réinitialisé avec succès. Vous pouvez maintenant vous connecter.",
  );
  expect(new URL(page.url()).search).toBe("?reset=1");
}

async function goToMenuLink(page: Page, name: string): Promise<void> {
  await press(button(page, "Ouvrir le menu"));
  await tabTo(shown(link(page, name)));
}

async function loseSession(context: BrowserContext, names: readonly string[]): Promise<void> {
  for (const name of names) await context.clearCookies({ name });
}

async function activateAndLogIn(page: Page): Promise<void> {
  const mail = await mails.waitFor(PERSON.email, ({ text }) => text.includes("/activate/"));
  await page.goto(linkIn(mail, /\/activate\//).href);
  await expectText(page, "Compte activé avec succès. Vous pouvez maintenant vous connecter.");
  await logIn(page, PERSON.username, "mauvais mot de passe");
  await expectText(page.getByRole("alert"), "Nom d'utilisateur ou mot de passe incorrect.");
  await expect(page.getByLabel("Mot de passe", { exact: true })).toBeFocused();
  await expect(page.getByLabel("Mot de passe", { exact: true })).toHaveValue("");
  await lookTwice(page, "accounts-04-login-wrong");
}

/** Both tabs refresh an expired access token at the same moment. */
async function shareSession(page: Page, context: BrowserContext): Promise<void> {
  await page.goto("/dashboard");
  const second = await context.newPage();
  await second.goto("/signature/envelopes/sent");
  await loseSession(context, ["__Host-access_token"]);
  await Promise.all([page.reload(), second.reload()]);
  await expectVisible(heading(page, "Tableau de bord"), heading(second, "Envoyé"));
  await second.close();
}

async function goOffline(page: Page, context: BrowserContext): Promise<void> {
  await context.setOffline(true);
  await goToMenuLink(page, "Signatures");
  await page.keyboard.press("Enter");
  await expectVisible(
    page.getByText("Erreur réseau ou serveur injoignable").first(),
    page.getByText("Vous êtes hors ligne."),
  );
  const size = page.viewportSize();
  for (const lying of [
    { width: 844, height: 390 },
    { width: 390, height: 420 },
  ]) {
    await page.setViewportSize(lying);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await expectUncovered(page.getByText("Vous êtes hors ligne."));
  }
  if (size) await page.setViewportSize(size);
  await context.setOffline(false);
  await expect(page.getByText("Vous êtes hors ligne.")).toBeHidden();
}

async function expireAndReturn(page: Page, context: BrowserContext): Promise<void> {
  await page.goto("/dashboard");
  await expectVisible(heading(page, "Tableau de bord"));
  await goToMenuLink(page, "Signatures");
  // Runs after the dashboard's own calls, which would end on the login page.
  await loseSession(context, ["__Host-access_token", "__Host-refresh_token"]);
  await page.keyboard.press("Enter");
  await expectVisible(
    page.getByText("Votre session a expiré. Veuillez vous reconnecter."),
    heading(page, "Connexion"),
  );
  await lookAt(page, "accounts-07-expired");
  await logIn(page, PERSON.email, NEW_PASSWORD);
  await page.waitForURL("**/signature/envelopes/sent");
  const remembered = (await context.cookies(`${server.url}/api/`)).find(
    ({ name }) => name === "__Host-refresh_token",
  );
  expect(remembered?.expires ?? 0).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
}

async function expectSignedOut(page: Page): Promise<void> {
  await page.waitForURL("**/login");
  await page.goto("/dashboard");
  await expectVisible(heading(page, "Connexion"));
}

async function logOutAtDesk(page: Page): Promise<void> {
  await page.setViewportSize(DESK);
  await logIn(page, PERSON.username, NEW_PASSWORD);
  await page.waitForURL("**/dashboard");
  await press(shown(link(page, "Signatures")));
  await expectVisible(heading(page, "Envoyé"));
  await press(page.getByRole("button", { name: /^Menu utilisateur/ }));
  await expect(page.getByRole("menuitem", { name: "Mon compte" })).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("menuitem", { name: "Déconnexion" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectSignedOut(page);
}

test("an account is opened and recovered, and its session shared, lost and left, by the keyboard alone @touch", async ({
  page,
  context,
}) => {
  await test.step("register", () => register(page));
  await test.step("activate, log in", () => activateAndLogIn(page));
  await test.step("forget the password", () => forgetAndReset(page));
  await test.step("whoever is signed in is led to the dashboard", async () => {
    await logIn(page, PERSON.username, NEW_PASSWORD);
    await page.waitForURL("**/dashboard");
    for (const address of ["/register", "/password-reset", "/reset-password/a/b"]) {
      await page.goto(address);
      await page.waitForURL("**/dashboard");
    }
  });
  await test.step("two tabs", () => shareSession(page, context));
  await test.step("no network", () => goOffline(page, context));
  await test.step("the session expires", () => expireAndReturn(page, context));
  await test.step("log out", async () => {
    await goToMenuLink(page, "Mon compte");
    await page.keyboard.press("Enter");
    await expect(heading(page, "Mon compte")).toBeFocused();
    await press(button(page, "Ouvrir le menu"));
    await press(button(page, "Déconnexion"));
    await expectSignedOut(page);
  });
  await test.step("log out at a desk", () => logOutAtDesk(page));
});

test("the legal pages are public, and whole on a phone and on paper @desk", async ({ page }) => {
  for (const [address, title] of [
    ["/conditions", "Conditions d’utilisation"],
    ["/confidentialite", "Politique de confidentialité"],
  ] as const) {
    await page.goto(address);
    await expectVisible(heading(page, title));
    await lookTwice(page, `legal-${address.slice(1)}`);
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("navigation", { name: "Sommaire" })).toBeHidden();
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
    await page.setViewportSize(DESK);
  }
  await page.goto("/login");
  for (const name of ["Conditions d’utilisation", "Confidentialité", "Certification"]) {
    const target = await page.getByRole("link", { name }).getAttribute("href");
    expect((await page.request.get(`${server.url}${target}`)).status()).toBe(200);
  }
});

test("the client refuses to start without HTTPS and says why @desk", async ({ page }) => {
  await page.route("http://sans-chiffrement.example/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await page.request.get(server.url + pathname + search, {
      headers: { accept: route.request().headers()["accept"] ?? "*/*" },
    });
    await route.fulfill({
      status: answer.status(),
      body: await answer.body(),
      contentType: answer.headers()["content-type"] ?? "text/plain",
    });
  });
  await page.goto("http://sans-chiffrement.example/login");
  await expectVisible(
    heading(page, "Paraphe ne peut pas démarrer"),
    page.getByText(
      "L’adresse du service doit commencer par https:// (http://sans-chiffrement.example).",
    ),
  );
  await lookAt(page, "accounts-08-refusal");
  // A late request may still pass the route.
  await page.unrouteAll({ behavior: "wait" });
});
