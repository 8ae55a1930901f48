import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import type { ApiClient } from "../support/api-client.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { COLOUR_RULES, expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { person, PHONE } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { createEnvelope, logIn, PASSWORD, sendEnvelope } from "../support/story.ts";
import {
  chooseFiles,
  download,
  exactButton as button,
  exactLink as link,
  expectInSight,
  expectUncovered,
  expectText,
  expectVisible,
  heading,
  modal,
  region,
  title,
} from "../support/controls.ts";

/** Keyboard alone: Tab, Enter, Space and arrows. */
const NEW_PASSWORD = "Cahier-de-Seyès-1892";
const ME = "/api/signature/me/";
/** One red pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

const PERSON = person("maelys.settings", "Maëlys Roux");

const stage = useSenderStage(PERSON);
const save = (page: Page) => press(button(page, "Enregistrer"));

async function openAccount(page: Page): Promise<void> {
  await stage.signIn(page);
  await page.goto("/dashboard");
  await press(button(page, /^Menu utilisateur/));
  await expect(page.getByRole("menuitem", { name: "Mon compte" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(heading(page, "Mon compte")).toBeFocused();
  await expectText(page, "Votre nom figure sur les certificats de signature.");
  await expect(region(page, "Espace de stockage")).toContainText(
    /^Espace de stockageVous utilisez .+ sur 10\sGo/,
  );
}

async function editProfile(page: Page): Promise<void> {
  await expect(page.getByLabel("Email")).toBeDisabled();
  await expectText(page, "PNG, JPG jusqu'à 5MB (optionnel)");
  await typeInto(page, "Prénom", "");
  await typeInto(page, "Nom", "");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Prénom")).toBeFocused();
  await expectVisible(
    page.getByText("Erreurs de validation"),
    page.getByText("Prénom requis").last(),
    page.getByText("Modifications non enregistrées"),
  );
  await lookAt(page, "settings-01-profile-errors");
  await press(link(page, "Nom requis"));
  await expect(page.getByLabel("Nom", { exact: true })).toBeFocused();
  await page.keyboard.type("Œuvrard");
  await typeInto(page, "Prénom", "Maëlys");
  await tabTo(page.getByLabel("Genre"));
  await page.keyboard.press("F");
  await typeInto(page, "Téléphone (facultatif)", PHONE.typed);
  await typeInto(page, "Adresse (facultatif)", "27, quai du Havre");
  await chooseFiles(page, () => press(button(page, "Changer l’image")), {
    name: "moi.png",
    mimeType: "image/png",
    buffer: PICTURE,
  });
  await expectVisible(modal(page, "Cadrer l’image"));
  await tabTo(page.getByRole("application", { name: "Partie gardée de l’image" }));
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowLeft");
  await lookAt(page, "settings-02-crop");
  await press(button(page, "Utiliser cette image"));
  await expect(page.locator("main img")).toHaveAttribute("src", /^blob:/);
  await save(page);
  await expectText(page, "Profil enregistré");
  await expect(page.getByText("Modifications non enregistrées")).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel("Prénom")).toHaveValue("Maëlys");
  await expect(page.getByLabel("Genre")).toHaveValue("Femme");
  await expect(page.getByLabel("Téléphone")).toHaveValue(PHONE.shown);
  const picture = await page.locator("main img").getAttribute("src");
  expect((await page.request.get(stage.server.url + picture)).headers()["content-type"]).toBe(
    "image/webp",
  );
  await lookTwice(page, "settings-02-profile");
  await press(button(page, "Retirer"));
  await expect(button(page, "Changer l’image")).toBeFocused();
  await save(page);
  await expectText(page, "Profil enregistré");
  await expect(page.locator("main img")).toHaveCount(0);
}

async function tryToLeave(page: Page): Promise<void> {
  const question = page.getByRole("alertdialog", { name: "Quitter sans enregistrer" });
  await typeInto(page, "Prénom", "Anne");
  await page.evaluate("history.back()");
  await expectVisible(question);
  await expect(page.getByRole("button", { name: "Rester" })).toBeFocused();
  await lookAt(page, "settings-03-leave");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/profile$/);
  await press(link(page, "Sécurité"));
  await expectText(question, "Vos modifications seront perdues.");
  await page.keyboard.press("Enter");
  await expect(question).toHaveCount(0);
  await expect(page.getByLabel("Prénom")).toHaveValue("Anne");
  await press(button(page, "Annuler"));
  await expect(page.getByLabel("Prénom")).toHaveValue("Maëlys");
  await press(link(page, "Sécurité"));
  await expect(heading(page, "Sécurité")).toBeFocused();
}

async function expectSignedIn(client: ApiClient, status: 200 | 401): Promise<void> {
  expect((await client.get(ME)).status).toBe(status);
}

async function changePassword(page: Page): Promise<void> {
  const elsewhere = await logIn(stage.server.url, PERSON.username);
  await expectText(
    page,
    "Comment vous vous connectez, et où vous l’êtes.",
    "Vos autres sessions seront fermées.",
  );
  await press(button(page, "Changer le mot de passe"));
  await expectText(page, "Ancien mot de passe requis", "Nouveau mot de passe requis");
  await lookAt(page, "settings-04-security-errors");
  await typeInto(page, "Ancien mot de passe", "mauvais");
  await typeInto(page, "Nouveau mot de passe", "abcd");
  await expectText(page, "Minimum 5 caractères");
  await typeInto(page, "Nouveau mot de passe", NEW_PASSWORD);
  await expectText(page, "Excellent");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Nouveau mot de passe")).toHaveAttribute("type", "text");
  await press(button(page, "Changer le mot de passe"));
  await expectText(page, "Ancien mot de passe incorrect");
  await expect(page.getByLabel("Ancien mot de passe")).toBeFocused();
  await expectSignedIn(elsewhere, 200);
  await typeInto(page, "Ancien mot de passe", PASSWORD);
  await press(button(page, "Changer le mot de passe"));
  await expectText(page, "Mot de passe changé");
  await expectSignedIn(elsewhere, 401);
  elsewhere.close();
}

async function chooseTheme(page: Page): Promise<void> {
  await press(link(page, "Mon compte"));
  const themes = page.getByRole("group", { name: "Thème" });
  await press(button(page, "Sombre"));
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  // The browser's own parts: the sign of a date field, scroll bars.
  await expect(page.locator("html")).toHaveCSS("color-scheme", "dark");
  await lookAt(page, "settings-05-account-dark", COLOUR_RULES);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await press(themes.getByRole("button", { name: "Système" }));
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
}

const PAST_THEIR_CARD = `[...document.querySelectorAll("main .card :is(button, a, p)")]
  .filter((part) => part.getBoundingClientRect().right > part.closest(".card").getBoundingClientRect().right + 0.5)
  .map((part) => part.textContent)`;

/** Checks this width, a phone and 320 px (WCAG 2.2, 1.4.10). */
async function expectNothingCut(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  for (const width of [size.width, 390, 320]) {
    await page.setViewportSize({ ...size, width });
    await expectNoSidewaysScroll(page);
    const past = await page.evaluate<readonly string[]>(PAST_THEIR_CARD);
    expect.soft(past, `past their card at ${width} px on ${page.url()}`).toEqual([]);
  }
  await page.setViewportSize(size);
}

async function chooseAccessibility(page: Page): Promise<void> {
  const choice = (group: string, name: string) =>
    page.getByRole("group", { name: group }).getByRole("button", { name, exact: true });
  await press(choice("Taille du texte", "Très grande"));
  await press(choice("Contraste", "Renforcé"));
  await press(choice("Animations", "Réduites"));
  await page.reload();
  await expect(choice("Taille du texte", "Très grande")).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator("html")).toHaveCSS("font-size", "22px");
  await lookTwice(page, "settings-05-accessibility");
  for (const path of [
    "/settings",
    "/settings/signature",
    "/settings/security",
    "/settings/notifications",
    "/settings/contacts",
    "/profile",
  ]) {
    await page.goto(path);
    await expectVisible(title(page), page.locator("main form, main section").first());
    await expectNothingCut(page);
  }
  await press(choice("Taille du texte", "Normale"));
  await press(choice("Contraste", "Système"));
  await press(choice("Animations", "Système"));
  await expect(page.locator("html")).toHaveCSS("font-size", "16px");
}

const logInAgain = (): Promise<ApiClient> => logIn(stage.server.url, PERSON.username, NEW_PASSWORD);

async function endSessions(page: Page): Promise<void> {
  const others = [await logInAgain(), await logInAgain(), await logInAgain()] as const;
  await press(link(page, "Paramètres"));
  await expect(heading(page, "Paramètres")).toBeFocused();
  await lookTwice(page, "settings-06-menu");
  await press(
    page
      .getByRole("navigation", { name: "Paramètres" })
      .getByRole("link", { name: "Sécurité 4 sessions ouvertes" }),
  );
  const rows = region(page, "Sessions ouvertes").getByRole("listitem");
  await expect(rows).toHaveCount(4);
  await expect(rows.filter({ hasText: "Cette session" })).toHaveCount(1);
  await tabTo(button(page, "Se déconnecter partout"));
  await lookTwice(page, "settings-06-sessions");
  await press(rows.getByRole("button").first());
  await expectText(page, "Session fermée");
  await expect(rows).toHaveCount(3);
  const states = await Promise.all(others.map(async (other) => (await other.get(ME)).status));
  expect(states.sort()).toEqual([200, 200, 401]);
  await press(button(page, "Fermer les autres sessions"));
  await expectText(page, "Cette session reste ouverte.");
  await lookAt(page, "settings-07-end-others");
  await press(button(page, "Fermer les sessions"));
  await expectText(page, "Les autres sessions sont fermées");
  await expect(rows).toHaveCount(1);
  for (const other of others) {
    await expectSignedIn(other, 401);
    other.close();
  }
}

async function exportData(page: Page): Promise<void> {
  await press(link(page, "Mon compte"));
  const saved = await download(page, () => press(button(page, "Exporter")));
  expect(saved.suggestedFilename()).toMatch(/^paraphe-mes-donnees-\d{4}-\d\d-\d\d\.zip$/);
  expect((await readFile(await saved.path())).subarray(0, 2).toString()).toBe("PK");
  await expectText(page, "Vos données sont téléchargées");
}

async function eraseAccount(page: Page): Promise<void> {
  const sender = await logInAgain();
  const draft = {
    title: "Bail en cours",
    pdf: await makeContract("settings"),
    guests: [{ email: "come@exemple.fr", full_name: "Côme Œuvrard" }],
  };
  await sendEnvelope(sender, (await createEnvelope(sender, draft)).id);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 844, height: 390 });
  await press(button(page, "Supprimer"));
  const dialog = page.getByRole("alertdialog", { name: "Supprimer votre compte" });
  await expectInSight(dialog.getByRole("heading"));
  await press(button(dialog, "Supprimer mon compte"));
  await expectUncovered(dialog.getByText("Mot de passe requis"));
  if (size) await page.setViewportSize(size);
  await expect(dialog.getByLabel("Mot de passe", { exact: true })).toBeFocused();
  await lookTwice(page, "settings-10-erase");
  await page.keyboard.press("Enter");
  await expectText(dialog, "Mot de passe requis");
  await page.keyboard.type("mauvais");
  await page.keyboard.press("Enter");
  await expectText(dialog, "Mot de passe incorrect");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(NEW_PASSWORD);
  await page.keyboard.press("Enter");
  await expectText(dialog, "Bail en cours");
  await lookAt(page, "settings-11-erase-open");
  await press(
    dialog.getByRole("checkbox", {
      name: "Annuler aussi cette enveloppe. Ses destinataires seront prévenus.",
    }),
    "Space",
  );
  await press(dialog.getByRole("button", { name: "Supprimer mon compte" }));
  await expectVisible(heading(page, "Connexion"), page.getByText("Votre compte est supprimé"));
  await expectSignedIn(sender, 401);
  sender.close();
  await stage.mails.waitFor(
    PERSON.email,
    ({ subject }) => subject === "Votre compte Paraphe est supprimé",
  );
  await typeInto(page, "Nom d’utilisateur", PERSON.username);
  await typeInto(page, "Mot de passe", NEW_PASSWORD);
  await page.keyboard.press("Enter");
  await expectVisible(page.getByText("Nom d'utilisateur ou mot de passe incorrect.").first());
}

test("an account is edited, secured and erased by the keyboard alone @desk", async ({ page }) => {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  await openAccount(page);
  await editProfile(page);
  await tryToLeave(page);
  await changePassword(page);
  await chooseTheme(page);
  await chooseAccessibility(page);
  await endSessions(page);
  await exportData(page);
  await eraseAccount(page);
  expect(troubles).toEqual([]);
});
