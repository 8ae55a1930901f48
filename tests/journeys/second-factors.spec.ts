import { type CDPSession, expect, type Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { person, personOf } from "../support/of-this-worker.ts";
import { nameOrganisation, openOwnPage } from "../support/own-organisation.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { confirmAddress, logIn, PASSWORD, registerPerson, sendContract } from "../support/story.ts";
import {
  download,
  exactButton as button,
  expectText,
  expectVisible,
  heading,
  modal,
  region,
} from "../support/controls.ts";

/** Keyboard alone; the browser's own authenticator stands for the device. */
const PERSON = person("ondine.facteurs", "Ondine Roux");
const stage = useSenderStage(PERSON);
const CODE = "Code à 6 chiffres";

async function addAuthenticator(
  page: Page,
): Promise<{ readonly cdp: CDPSession; readonly id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

/** `ahead`: a step that no login has used. */
function codeOf(secret: string, ahead = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) }).generate({
    timestamp: Date.now() + ahead * 30_000,
  });
}

async function leave(page: Page): Promise<void> {
  await press(button(page, "Ouvrir le menu"));
  await press(button(page, "Déconnexion"));
  await expectVisible(heading(page, "Connexion"));
}

async function givePassword(page: Page): Promise<void> {
  await typeInto(page, "Nom d’utilisateur", PERSON.username);
  await typeInto(page, "Mot de passe", PASSWORD);
  await page.keyboard.press("Enter");
  await expect(heading(page, "Deuxième étape")).toBeVisible();
}

async function activate(page: Page): Promise<{ secret: string; codes: readonly string[] }> {
  await press(button(page, "Activer"));
  const dialog = modal(page, "Activer l’application d’authentification");
  await expectVisible(dialog.getByRole("img", { name: /^QR code/ }));
  await press(dialog.getByText("Saisir la clé à la main"));
  const secret = (await dialog.locator("code").textContent()) ?? "";
  await lookTwice(page, "factors-02-app");
  await tabTo(dialog.getByLabel("2. Recopiez le code affiché"));
  await page.keyboard.type("000000");
  await expectText(page, "Code incorrect. Attendez le code suivant, puis réessayez.");
  await expect(dialog.getByLabel("2. Recopiez le code affiché")).toBeFocused();
  await expect(dialog.getByLabel("2. Recopiez le code affiché")).toHaveValue("");
  await page.keyboard.type(codeOf(secret));
  const codes = modal(page, "Vos codes de secours");
  await expect(codes.getByRole("listitem")).toHaveCount(8);
  await expect(button(codes, "Terminer")).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Escape");
  await lookTwice(page, "factors-03-codes");
  const file = await download(page, () => press(button(codes, "Télécharger")));
  expect(file.suggestedFilename()).toBe("codes-paraphe.txt");
  const texts = await codes.getByRole("listitem").allTextContents();
  await press(codes.getByLabel("J’ai mis ces codes en lieu sûr"), "Space");
  await press(button(codes, "Terminer"));
  await expectVisible(page.getByText("8 codes sur 8 encore utilisables"));
  return { secret, codes: texts };
}

test("a person adds an application and a passkey, signs in with each, and removes them @touch", async ({
  page,
}) => {
  const { cdp, id } = await addAuthenticator(page);
  // This authenticator would answer what the login page offers before the button is pressed.
  await page.addInitScript(
    "PublicKeyCredential.isConditionalMediationAvailable = async () => false",
  );
  const verifyUser = (isUserVerified: boolean) =>
    cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified });
  await stage.signIn(page);
  await page.goto("/settings/security");
  await expectText(page, "Un code à 6 chiffres sur votre téléphone");
  await lookTwice(page, "factors-01-none");
  const { secret, codes } = await activate(page);
  const mail = await stage.mails.waitFor(PERSON.email, ({ subject }) =>
    subject.includes("Application d’authentification activée"),
  );
  expect(mail.text).toContain("Si ce changement vient de vous, vous n’avez rien à faire.");

  await test.step("the application is asked for after the password", async () => {
    await leave(page);
    await lookAt(page, "factors-04-login");
    await givePassword(page);
    await expect(page.getByLabel(CODE)).toBeFocused();
    await page.keyboard.type("000000");
    await expectText(page, "Code incorrect. Attendez le code suivant, puis réessayez.");
    await expect(page.getByLabel(CODE)).toBeFocused();
    await expect(page.getByLabel(CODE)).toHaveValue("");
    await lookTwice(page, "factors-05-code");
    await page.keyboard.type(codeOf(secret, 1));
    await expectVisible(heading(page, /Tableau de bord|Bonjour/));
  });

  await test.step("a recovery code opens one session and says how many are left", async () => {
    await leave(page);
    await givePassword(page);
    await press(button(page, "Utiliser un code de secours"));
    await expectText(page, "8 lettres ou chiffres. Il vous en restera 7.");
    await lookTwice(page, "factors-06-recovery");
    await page.keyboard.type((codes[0] ?? "").toLowerCase());
    await page.keyboard.press("Enter");
    await expectText(page, "Il vous reste 7 codes de secours");
  });

  await test.step("a passkey is added, and signs in alone", async () => {
    await page.goto("/settings/security");
    await press(button(page, "Ajouter une clé d’accès"));
    const dialog = modal(page, "Ajouter une clé d’accès");
    await expect(dialog.getByLabel("Nom de la clé")).toBeFocused();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("Clé du bureau");
    await lookAt(page, "factors-07-add-key");
    await page.keyboard.press("Enter");
    await expectVisible(region(page, "Clés d’accès").getByText("Clé du bureau"));
    await lookTwice(page, "factors-08-both");
    // Beside the button the text has four lines.
    const words = page.getByText("Visage, empreinte ou clé physique, à la place du mot de passe");
    expect((await words.boundingBox())?.height).toBeLessThan(50);
    await leave(page);
    await press(button(page, "Se connecter avec une clé d’accès"));
    await expectVisible(heading(page, /Tableau de bord|Bonjour/));
  });

  await test.step("a key that does not answer says so", async () => {
    await verifyUser(false);
    await leave(page);
    await press(button(page, "Se connecter avec une clé d’accès"));
    await expectText(
      page,
      "Aucune clé d’accès n’a répondu. Réessayez, ou connectez-vous avec votre mot de passe.",
    );
    await lookAt(page, "factors-09-cancelled");
    await givePassword(page);
    await verifyUser(true);
    await press(button(page, "Utiliser une clé d’accès"));
    await expectVisible(heading(page, /Tableau de bord|Bonjour/));
  });

  await test.step("both are removed, and the password is enough again", async () => {
    await page.goto("/settings/security");
    await press(button(page, "Retirer Clé du bureau"));
    await expectText(page, "Il vous restera : application d’authentification.");
    await expect(button(page, "Garder la clé")).toBeFocused();
    await lookAt(page, "factors-10-remove");
    await press(button(page, "Retirer la clé"));
    await expectText(page, "Clé d’accès retirée");
    await press(button(page, "Retirer l’application d’authentification"));
    await expectText(page, "Il ne vous restera que votre mot de passe.");
    await press(button(page, "Retirer l’application"));
    await expectText(page, "Un code à 6 chiffres sur votre téléphone");
    await expectNoSidewaysScroll(page);
  });
});

test("where each signature is confirmed, a member's mailed link leads to the account", async ({
  ownService,
  browser,
}) => {
  const mayor = personOf("clemence.facteurs", "Clémence Aubry-Lefèvre");
  const fanny = personOf("fanny.facteurs", "Fanny Delaunay");
  const { server, mails } = ownService;
  const world = { url: server.url, mails };
  await nameOrganisation(ownService, mayor, { isOpen: true });
  await registerPerson(world, fanny);
  const sender = await logIn(server.url, fanny.username);
  const guest = { email: mayor.email, full_name: "Clémence Aubry-Lefèvre" };
  const first = await sendContract(sender, "Convention", [guest], { fields: [] });
  await confirmAddress(world, mayor, first);
  const id = await sendContract(sender, "Arrêté", [guest], { fields: [] });
  sender.close();

  const settings = await openOwnPage(browser, ownService, mayor.username);
  await settings.goto("/settings/organisation/connexion");
  await press(settings.getByRole("switch", { name: /^La redemander/ }), "Space");
  await lookTwice(settings, "factors-11-each-signature");
  await press(button(settings.getByRole("form", { name: /^Second/ }), "Enregistrer"));
  await expectText(settings, "Organisation enregistrée");

  const page = await openOwnPage(browser, ownService);
  const mail = await mails.waitFor(mayor.email, ({ text }) => text.includes(`/sign/${id}`));
  const { pathname, search } = linkIn(mail, /\/sign\//);
  await page.goto(pathname + search);
  await expectVisible(heading(page, "Signez dans votre compte"));
  await expectText(page, /Votre organisation demande un second facteur avant chaque signature/);
  await lookTwice(page, "factors-12-link");
  await press(page.getByRole("link", { name: "Se connecter" }));
  await typeInto(page, "Nom d’utilisateur", mayor.username);
  await typeInto(page, "Mot de passe", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/signature/sign/${id}`);
  await expectVisible(page.getByText("Arrêté").locator("visible=true").first());
});
