import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page } from "@playwright/test";
import { makeContract } from "../support/make-contract.ts";
import { press, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { createEnvelope, expectStatus } from "../support/story.ts";
import {
  chooseFiles,
  download,
  exactButton as button,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  shown,
} from "../support/controls.ts";

const PERSON = person("agathe.envois", "Agathe Aubry");
const stage = useSenderStage(PERSON);
const API = "/api/signature";

/** « Lettre »: a client who signs, and a text of theirs. */
async function keepTemplate(name: string, worker: string): Promise<void> {
  const guest = { email: `modele.${worker}@exemple.fr`, full_name: "Modèle" };
  const { id } = await createEnvelope(stage.sender, {
    title: "Lettre de mission",
    pdf: await makeContract(name),
    guests: [guest],
  });
  const { json } = await stage.sender.get(`${API}/envelopes/${id}/`);
  const roles = [{ recipient: json.recipients[0].id, label: "Client" }];
  const kept = { envelope: id, name, roles };
  expectStatus(await stage.sender.post(`${API}/templates/`, { json: kept }), 201, "template");
}

const fileOf = (worker: string) =>
  [
    "Société;Contact;Courriel;Fait à;Réf. interne",
    `Atelier Œuvrard;Théo Lenoir;theo.${worker}@exemple.fr;Dijon;C-1`,
    `=cmd|' /C calc'!A0;Anaïs Le Guen;anais.${worker}@exemple.fr;+33;C-2`,
    `Lycée Flaubert;Éloïse Roux;eloise.${worker}@;Rouen;C-3`,
    `Atelier Œuvrard;Théo Lenoir;theo.${worker}@exemple.fr;Dijon;C-4`,
  ].join("\r\n");

type Act = (control: Locator) => Promise<void>;

async function readFiles(page: Page, act: Act, worker: string): Promise<void> {
  const choose = () => act(button(page, "parcourez vos fichiers"));
  await chooseFiles(page, choose, {
    name: "clients.xlsx",
    mimeType: "application/zip",
    buffer: Buffer.from("PK\u0003\u0004"),
  });
  await expectText(page, "Fichier non reconnu", /clients\.xlsx.*est un classeur/);
  await lookTwice(page, "mailing-00-file");
  await chooseFiles(page, choose, {
    name: "clients.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(fileOf(worker).replaceAll("Œ", "\u008c"), "latin1"),
  });
}

/** The lines are checked, one is corrected, the double is left; what leaves is said and found. */
async function sendLines(page: Page, act: Act, worker: string): Promise<void> {
  await expectVisible(heading(page, /^Que contient chaque colonne/));
  await expectText(page, /^Nous avons reconnu 4\scolonnes sur 5/);
  await expect(page.getByLabel("Colonne Société\u00a0: devient")).toHaveValue("title");
  await lookTwice(page, "mailing-01-columns");
  await act(shown(button(page, /^Contrôler 4\slignes$/)));
  await expectVisible(heading(page, /^2\slignes prêtes, 2 à revoir$/));
  await expectText(page, "Adresse email incomplète", "Déjà à la ligne 2");
  await lookTwice(page, "mailing-02-control");
  await page.reload();
  await act(button(page, "Corriger la ligne 4"));
  const dialog = modal(page, "Corriger la ligne 4");
  await expectText(dialog, "Adresse email incomplète");
  await typeInto(page, "Client\u00a0: email", `eloise.${worker}@exemple.fr`);
  await lookAt(page, "mailing-03-correct");
  await act(button(dialog, "Enregistrer"));
  await expect(dialog).toHaveCount(0);
  await act(shown(button(page, /^Envoyer 3\senveloppes$/)));
  await expect(heading(page, /^3\senveloppes envoyées$/)).toBeVisible({ timeout: 120_000 });
  await lookTwice(page, "mailing-04-report");
  const report = await download(page, () => act(button(page, "Télécharger le rapport (CSV)")));
  const text = await readFile(await report.path(), "utf8");
  expect(text).toContain(`3;'=cmd|' /C calc'!A0;Anaïs Le Guen;anais.${worker}@exemple.fr;'+33;`);
  expect(text).toContain("Déjà à la ligne 2");
  for (const name of ["theo", "anais", "eloise"])
    await stage.mails.waitFor(`${name}.${worker}@exemple.fr`, ({ text: mail }) =>
      mail.includes("/sign/"),
    );
}

async function open(page: Page, act: Act, name: string): Promise<void> {
  await stage.signIn(page);
  await page.goto("/signature/templates");
  await act(link(page, `Envoyer ${name} à une liste`));
  await expectVisible(heading(page, "Un modèle, une liste"));
}

test("a list is sent with a template by the keyboard alone: workbook refused, columns guessed, a line corrected, each person invited once @desk", async ({
  page,
}) => {
  await keepTemplate("Lettre de mission", "desk");
  await open(page, press, "Lettre de mission");
  await readFiles(page, press, "desk");
  await sendLines(page, press, "desk");
  await page.goBack();
  await expectVisible(heading(page, /^3\senveloppes envoyées$/));
});

test("a list is sent with a template on a phone @touch", async ({ page }) => {
  const tap: Act = (control) => control.tap();
  await keepTemplate("Lettre au doigt", "doigt");
  await open(page, tap, "Lettre au doigt");
  await readFiles(page, tap, "doigt");
  await sendLines(page, tap, "doigt");
});
