import { expect, type Page } from "@playwright/test";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { type OwnService, test } from "../support/stories.ts";
import { PASSWORD, registerPerson } from "../support/story.ts";
import {
  exactButton as button,
  exactLink as link,
  expectText,
  expectVisible,
  heading,
} from "../support/controls.ts";

/** Keyboard alone: Tab, Enter, Space and arrows. */
const addressOf = ({ server }: OwnService): string =>
  /https:\S+\/premier-demarrage#\S+/.exec(server.said())?.[0] ?? "";

async function createOwner(page: Page): Promise<void> {
  await expectVisible(heading(page, "Bienvenue"));
  await press(button(page, "Continuer"));
  await expect(page.getByLabel("Prénom")).toBeFocused();
  await lookTwice(page, "first-start-01-you");
  await expectNoSidewaysScroll(page);
  await typeInto(page, "Prénom", "Clémence");
  await typeInto(page, "Nom", "Aubry-Lefèvre");
  await typeInto(page, "Email", "c.aubry@cabinet-aubry.fr");
  await typeInto(page, "Nom d’utilisateur", "clemence.aubry");
  await typeInto(page, "Mot de passe", PASSWORD);
  await page.keyboard.press("Enter");
  await expect(heading(page, "Votre organisation")).toBeFocused();
}

async function nameOrganisation(page: Page): Promise<void> {
  await typeInto(page, "Nom", "Cabinet Aubry & Associés");
  await tabTo(page.getByLabel("Forme juridique"));
  await page.keyboard.type("SELARL");
  await tabTo(page.getByLabel("SIRET"));
  await page.keyboard.type("732 829 320 00075");
  await typeInto(page, "Adresse du siège", "14 rue aux Juifs, 76000 Rouen");
  await typeInto(page, "Email de contact", "contact@cabinet-aubry.fr");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("SIRET")).toBeFocused();
  await expectText(page, /Ce numéro n’est pas un SIRET/);
  await lookAt(page, "first-start-02-organisation");
  await expectNoSidewaysScroll(page);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("732 829 320 00074");
  await page.keyboard.press("Enter");
  await expect(heading(page, /^Qui peut créer un compte/)).toBeFocused();
}

async function chooseRegistration(page: Page): Promise<void> {
  // The service starts open to everybody; the advice is another choice.
  await expect(page.getByRole("radio", { name: "Sur invitation" })).toBeChecked();
  // Each step was saved: going back keeps it, and so does a reload.
  await press(button(page, "Retour"));
  await expect(page.getByLabel("Nom", { exact: true })).toHaveValue("Cabinet Aubry & Associés");
  await page.reload();
  await tabTo(page.getByRole("radio", { name: "Sur invitation" }));
  await page.keyboard.press("ArrowDown");
  await tabTo(page.getByRole("textbox", { name: "Domaines" }));
  await page.keyboard.type("gmail.com");
  await page.keyboard.press("Enter");
  await expectText(page, /gmail\.com est une messagerie publique/);
  await lookAt(page, "first-start-03-registration");
  await expectNoSidewaysScroll(page);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("cabinet-aubry.fr");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Tout est prêt")).toBeFocused();
  await lookAt(page, "first-start-04-ready");
}

async function changeIdentity(page: Page): Promise<void> {
  await expectVisible(link(page, "Inviter des membres"));
  await page.goto(new URL("/settings/organisation", page.url()).href);
  await expectVisible(heading(page, "Identité et accès"));
  await typeInto(page, "Adresse du siège", "1 quai du Havre, 76000 Rouen");
  await press(link(page, "Inscription"));
  await expectVisible(page.getByRole("alertdialog", { name: /^Quitter sans enregistrer/ }));
  await press(button(page, "Rester"));
  await lookTwice(page, "first-start-05-settings");
  await expectNoSidewaysScroll(page);
  await press(button(page, "Enregistrer"));
  await expectText(page, "Organisation enregistrée");
  await press(link(page, "Inscription"));
  await expect(page.getByRole("textbox", { name: "Domaines" })).toHaveValue("cabinet-aubry.fr");
  await lookAt(page, "first-start-06-registration");
}

async function chooseColours(page: Page): Promise<void> {
  await press(link(page, "Couleurs"));
  const colour = page.getByRole("textbox", { name: "Couleur des boutons" });
  await tabTo(colour);
  await page.keyboard.type("#E8923A");
  await expectText(page, "Choisissez une couleur plus foncée pour enregistrer.");
  await lookAt(page, "first-start-09-contrast");
  await press(button(page, "Prendre celle-ci"));
  await expect(colour).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("#6B1F3A");
  await page.getByLabel("Fichier du logo").setInputFiles({
    name: "logo.svg",
    mimeType: "image/svg+xml",
    buffer: Buffer.from(LOGO),
  });
  await press(button(page, "Sombre"));
  await lookTwice(page, "first-start-10-colours");
  await expectNoSidewaysScroll(page);
  await tabTo(colour);
  await page.keyboard.press("Enter");
  await expectText(page, "Organisation enregistrée");
}

/** A signer sees the organisation's colours before anything of a document. */
async function seeColours(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign/0197a000-0000-7000-8000-000000000000?token=x`);
  await expectVisible(heading(page, "Lien non valide"));
  const accent = await page.evaluate<string>(
    'getComputedStyle(document.documentElement).getPropertyValue("--accent")',
  );
  expect(accent).toBe("#6b1f3a");
  const mark = page.locator("header span span").first();
  await expect(mark).toHaveCSS("background-image", /\/api\/organisation\/logo\/\?v=\d+/);
  await lookTwice(page, "first-start-11-signer");
}

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M16 4 26 26M16 4 6 26M9 19h14M4 30h24" stroke="#6b1f3a" stroke-width="2.4" fill="none"/></svg>`;

test("the holder of the printed address owns the service, names the organisation, and says who may register @touch", async ({
  ownService,
  browser,
}) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(addressOf(ownService));
  await createOwner(page);
  await nameOrganisation(page);
  await chooseRegistration(page);
  await changeIdentity(page);
  await chooseColours(page);

  const visitor = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await visitor.goto(addressOf(ownService));
  await expectVisible(heading(visitor, "Cette adresse a déjà servi"));
  await lookAt(visitor, "first-start-07-used");
  await seeColours(visitor, ownService.server.url);
  await visitor.goto(`${ownService.server.url}/conditions`);
  await expectText(visitor, "1 quai du Havre, 76000 Rouen", "Cabinet Aubry & Associés (SELARL)");
  await visitor.goto(`${ownService.server.url}/register`);
  await expectText(visitor, "Ce service inscrit les adresses en @cabinet-aubry.fr.");
});

test("whoever has an account signs in first, and keeps it @desk", async ({
  ownService,
  browser,
}) => {
  const paul = person("paul.first", "Paul Martin");
  await registerPerson({ url: ownService.server.url, mails: ownService.mails }, paul);
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await page.goto(addressOf(ownService));
  await expectVisible(heading(page, "Bienvenue"));
  await press(link(page, "Se connecter"));
  await typeInto(page, "Nom d’utilisateur", paul.username);
  await typeInto(page, "Mot de passe", PASSWORD);
  await page.keyboard.press("Enter");
  await expectText(page, "Paul Martin");
  await lookAt(page, "first-start-08-claim");
  await press(button(page, "Continuer"));
  await expect(heading(page, "Votre organisation")).toBeFocused();
});
