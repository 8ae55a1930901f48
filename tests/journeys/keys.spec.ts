import { expect } from "@playwright/test";
import { press, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  exactButton as button,
  expectText,
  expectVisible,
  heading,
  modal,
  region,
} from "../support/controls.ts";

/** Keyboard alone: a key is made, copied, used by a program, and revoked. */
const stage = useSenderStage(person("ines.cles", "Inès Boudjellal"));

test("a program reads what its key allows, until the key is revoked @touch", async ({ page }) => {
  await stage.signIn(page);
  await page.goto("/settings/programmes");
  await expectVisible(heading(page, "Programmes"), page.getByText("Aucune clé"));
  await lookTwice(page, "keys-01-empty");
  await press(button(page, "Nouvelle clé"));
  const dialog = modal(page, "Nouvelle clé d’API");
  await press(dialog.getByRole("checkbox", { name: /^Lire les enveloppes/ }), "Space");
  await press(button(dialog, "Créer la clé"));
  await expectText(dialog, /Nom de la clé requis/, /Choisissez au moins un droit/);
  await press(dialog.getByRole("checkbox", { name: /^Lire les enveloppes/ }), "Space");
  await typeInto(page, "Nom", "Logiciel de paie");
  await typeInto(page, "Adresses IP admises (facultatif)", "10.0.0.0/33");
  await press(button(dialog, "Créer la clé"));
  await expectText(dialog, /Adresse IP invalide/);
  await lookTwice(page, "keys-02-new");
  await typeInto(page, "Adresses IP admises (facultatif)", "");
  await press(button(dialog, "Créer la clé"));
  const shown = modal(page, /^Votre clé «\sLogiciel de paie\s»$/);
  const secret = (await shown.getByText(/^pk_live_\w{32}$/).textContent()) ?? "";
  await lookTwice(page, "keys-03-created");
  await page.keyboard.press("Escape");
  await press(
    button(page.getByRole("alertdialog", { name: /^Fermer sans copier/ }), "Garder ouvert"),
  );
  await press(shown.getByRole("checkbox", { name: "J’ai copié cette clé" }), "Space");
  await press(button(shown, "Terminer"));

  const ask = () =>
    page.request.get("/api/signature/envelopes/", {
      headers: { authorization: `Bearer ${secret}` },
    });
  expect((await ask()).status()).toBe(200);
  await page.reload();
  await expectText(region(page, "Clés d’API"), "Logiciel de paie", "envelopes:read");
  await expect(page.getByText(secret)).toHaveCount(0);
  await lookTwice(page, "keys-04-list");
  await page.setViewportSize({ width: 1440, height: 900 });
  await lookAt(page, "keys-04-list-desk");

  await press(button(page, "Révoquer Logiciel de paie"));
  const question = page.getByRole("alertdialog", { name: /^Révoquer «\sLogiciel de paie\s»/ });
  await expect(button(question, "Garder la clé")).toBeFocused();
  await press(button(question, "Révoquer la clé"));
  await expectText(page, "Clé révoquée");
  await expectVisible(page.getByText("Aucune clé"));
  expect((await ask()).status()).toBe(401);
});
