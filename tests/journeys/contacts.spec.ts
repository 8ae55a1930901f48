import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  chooseFiles,
  download,
  exactButton as button,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  region,
} from "../support/controls.ts";

/** Keyboard alone: kept from a sending, imported, compared, erased, and no longer proposed. */
const PERSON = person("solene.contacts", "Solène Aubry");
const ELOISE = invitee("eloise.saint-coeur", "Éloïse Saint-Cœur");
const stage = useSenderStage(PERSON);

const FILE = [
  "Nom complet;Courriel;Téléphone;Société",
  "Camille Œuvrard;camille@oeuvrard.fr;06 12 34 56 78;Œuvrard SARL",
  "Anaïs Le Guen;anais.leguen@;;",
  ";juridique@sogexia.fr;;Sogexia",
  `ELOISE Saint-Cœur;${ELOISE.email};;La Poste`,
  "Éloïse Saint-Cœur;e.saint-coeur@exemple.fr;06 99 99 99 99;",
  `=cmd|' /C calc'!A0;formule@exemple.fr;;`,
  "C. Œuvrard;CAMILLE@oeuvrard.fr;;",
].join("\r\n");

async function importFile(page: Page): Promise<void> {
  await press(button(page, "Importer"));
  const dialog = modal(page, "Importer des contacts");
  const choose = () => press(dialog.getByRole("button", { name: "parcourez vos fichiers" }));
  await chooseFiles(page, choose, {
    name: "contacts.xlsx",
    mimeType: "application/zip",
    buffer: Buffer.from("PK\u0003\u0004"),
  });
  await expectText(dialog, "Fichier non reconnu", /^Ce fichier est un classeur/);
  await chooseFiles(page, choose, {
    name: "clients.csv",
    mimeType: "text/csv",
    // Encoded as an old spreadsheet writes it.
    buffer: Buffer.from(FILE.replaceAll("Œ", "\u008c").replaceAll("œ", "\u009c"), "latin1"),
  });
  await expectText(
    dialog,
    /^clients\.csv · 7\slignes, séparées par des points-virgules, accents de Windows reconnus\./,
    "Adresse email incomplète",
    /juridique.*sera pris/,
    /^Existe déjà/,
  );
  await lookTwice(page, "contacts-02-import");
  const faults = await download(page, () => press(button(dialog, "Télécharger les fautes")));
  expect(await readFile(await faults.path(), "utf8")).toContain("3;Anaïs Le Guen;anais.leguen@;");
  await press(dialog.getByRole("button", { name: /^Importer 5\scontacts$/ }));
  await expectText(page, /^5\scontacts importés$/);
  await expect(dialog).toHaveCount(0);
}

async function compare(page: Page): Promise<void> {
  await press(button(page, "Les comparer"));
  const dialog = modal(page, /^Le même contact/);
  await expectText(dialog, "1 sur 1");
  const phone = dialog.getByRole("radiogroup", { name: "Téléphone" });
  await tabTo(phone.getByRole("radio", { name: "06 99 99 99 99" }));
  await page.keyboard.press("ArrowLeft");
  await expect(phone.getByRole("radio", { name: "aucun" })).toBeChecked();
  await page.keyboard.press("ArrowRight");
  await expectVisible(dialog.getByText("Garder e.saint-coeur@exemple.fr comme seconde adresse"));
  await lookTwice(page, "contacts-03-doubles");
  await press(button(dialog, "Fusionner"));
  await expectText(page, "Contacts fusionnés");
  await expect(dialog).toHaveCount(0);
  await expectVisible(region(page, "Contacts").getByText("e.saint-coeur@exemple.fr"));
}

async function addAndErase(page: Page): Promise<void> {
  await press(button(page, "Nouveau contact"));
  const dialog = modal(page, "Nouveau contact");
  await expect(dialog.getByLabel("Nom", { exact: true })).toBeFocused();
  await page.keyboard.type("Théo Lenoir");
  await typeInto(page, "Email", "camille@oeuvrard.fr");
  await lookAt(page, "contacts-04-add");
  await press(button(dialog, "Ajouter"));
  await expectText(dialog, "Un autre de vos contacts a déjà cette adresse.");
  await expect(dialog.getByLabel("Email", { exact: true })).toBeFocused();
  await typeInto(page, "Email", "theo@atelier-lenoir.fr");
  await press(button(dialog, "Ajouter"));
  await expectText(page, "Contact ajouté");
  await press(button(page, /^Actions pour Théo/));
  await page.keyboard.press("Enter");
  const changing = modal(page, "Modifier le contact");
  await typeInto(page, "Email", "camille@oeuvrard.fr");
  await press(button(changing, "Enregistrer"));
  await expectText(changing, "Un autre de vos contacts a déjà cette adresse.");
  await expectVisible(button(changing, "Comparer avec Camille Œuvrard"));
  await lookTwice(page, "contacts-06-taken");
  await press(button(changing, "Comparer avec Camille Œuvrard"));
  await expectVisible(modal(page, /^Le même contact/));
  await lookAt(page, "contacts-07-compared");
  await page.keyboard.press("Escape");
  await tabTo(page.getByRole("searchbox", { name: "Rechercher un contact" }));
  await page.keyboard.type("eloise");
  await page.keyboard.press("Enter");
  await expectText(page, /^1\scontact$/);
  await press(button(page, /^Actions pour Éloïse/));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const question = page.getByRole("alertdialog", { name: /^Effacer Éloïse/ });
  await expect(button(question, "Garder le contact")).toBeFocused();
  await lookAt(page, "contacts-05-erase");
  await press(button(question, "Effacer"));
  await expectText(page, "Contact effacé", "Aucun contact trouvé");
}

test("contacts are kept from a sending, imported with a preview, merged, erased and no longer proposed @desk", async ({
  page,
}) => {
  await stage.signIn(page);
  await page.goto("/settings/contacts");
  await expectText(page, "Aucun contact");
  await lookAt(page, "contacts-00-empty");
  await stage.send("Bail", [ELOISE]);
  await page.goto("/settings");
  await press(link(page.getByRole("main"), /^Contacts/));
  await expect(heading(page, "Contacts")).toBeFocused();
  await expectText(page, ELOISE.email, /^1\senveloppe/);
  await importFile(page);
  await lookTwice(page, "contacts-01-list");
  await compare(page);
  await addAndErase(page);

  const typed = (search: string) =>
    stage.sender.get(`/api/signature/recipients/suggestions/?search=${search}`);
  expect((await typed("eloise")).json["results"]).toEqual([]);
  expect((await typed("theo")).json["results"]).toHaveLength(1);
});
