import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { readZip } from "../../apps/server/testing/zip.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { createEnvelope, expectStatus } from "../support/story.ts";
import {
  chooseFiles,
  download,
  exactButton,
  exactText,
  expectInSight,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  nextFrames,
  region,
  shown,
  shownButton as button,
} from "../support/controls.ts";

/** By touch on the small screen, by keyboard on the wide one. */
const SYNDIC = person("clemence.bulk", "Clémence Aubry");
const GOOD = 58;

const stage = useSenderStage(SYNDIC);

/** Opens with a password alone (ISO 32000-2 §7.6.4): neither key fits an empty one. */
const PROTECTED = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
4 0 obj<</Filter/Standard/V 1/R 2/O<${"ab".repeat(32)}>/U<${"cd".repeat(32)}>/P -4>>endobj
trailer<</Root 1 0 R/Size 5/Encrypt 4 0 R/ID[<00><00>]>>
%%EOF
`;

/** 58 sound files; one is no PDF, one needs a correction, two are encrypted. */
async function writeFiles(folder: string): Promise<readonly string[]> {
  const one = await makeContract("1");
  const number = (index: number) => String(index + 1).padStart(3, "0");
  const files = Array.from({ length: GOOD }, (_, index) => ({
    name: `Attestation_fiscale_2025_lot_${number(index)}.pdf`,
    bytes: Buffer.concat([one, Buffer.from(`%${index}\n`)]),
  }));
  const script = Buffer.from(one)
    .toString("latin1")
    .replace(/\/Type\s*\/Catalog/, "$&/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>")
    // The corrected copy looks different.
    .replace(
      /\/Type\s*\/Page\b/,
      "$&/Annots[<</Type/Annot/Subtype/FreeText/F 4/Rect[60 300 300 330]/Contents(Ajout)/DA(/Helv 14 Tf 0 g)>>]",
    );
  // This file has no cross-reference table.
  files.splice(3, 0, { name: "avec_script.pdf", bytes: Buffer.from(script, "latin1") });
  files.splice(7, 0, { name: "note.pdf", bytes: Buffer.from("%PDF-1.7\nbonjour") });
  files.splice(9, 0, { name: "protege.pdf", bytes: Buffer.from(PROTECTED, "latin1") });
  files.splice(11, 0, {
    name: "destinataires.pdf",
    bytes: Buffer.from(PROTECTED.replace("/Standard", "/Adobe.PubSec"), "latin1"),
  });
  return Promise.all(
    files.map(async ({ name, bytes }) => {
      const path = join(folder, name);
      await writeFile(path, bytes);
      return path;
    }),
  );
}

async function chooseSixty(page: Page, paths: readonly string[]): Promise<void> {
  await page.goto("/signature/bulk-same");
  await expectVisible(heading(page, "Fichiers"));
  await lookAt(page, "70-bulk-empty");
  await chooseFiles(page, () => button(page, "parcourez vos fichiers").tap(), [...paths]);
  await expectText(
    page,
    "3 fichiers ne seront pas signés.",
    /^Ce PDF est protégé par un mot de passe\./,
    /^Ce PDF est chiffré pour des destinataires précis/,
  );
  await expect(page.getByText("59 documents A4 portrait")).toBeVisible({ timeout: 90_000 });
  await lookAt(page, "71-bulk-files");
  await expectNoSidewaysScroll(page);
  await button(page, "Continuer").tap();
  await expect(heading(page, "Placer la signature")).toBeAttached();
}

async function chooseMark(page: Page): Promise<void> {
  await button(page, "Choisir").tap();
  const tab = page.getByRole("tab", { name: "Saisir" });
  await expectVisible(page.getByRole("dialog"));
  await tab.tap();
  await page.getByRole("button", { name: "Utiliser cette signature" }).tap();
  await expect(page.getByRole("dialog")).toBeHidden();
}

async function place(page: Page): Promise<void> {
  await button(page, "Signer 59 documents").tap();
  await expectText(page.getByRole("dialog"), /Il manque votre signature/);
  await lookAt(page, "72-bulk-no-mark");
  await page.getByRole("dialog").getByRole("button", { name: "Fermer" }).tap();
  await chooseMark(page);
  await expectVisible(page.locator("[data-pdf-page] canvas").first());
  const preset = page.getByLabel("Emplacement");
  await preset.selectOption("bas-droite");
  await button(page, "Déplacer vers le haut").tap();
  await expectMarkInItsMiddle(page, "_mark_");
  await expectMarkInItsMiddle(page, "_face_");
  await lookAt(page, "72-bulk-position");
  await expectNoSidewaysScroll(page);
  await button(page, "Fichier suivant").tap();
  await expectText(page, "2 sur 59");
}

async function expectMarkInItsMiddle(page: Page, frame: string): Promise<void> {
  const offset = await page.evaluate<number>(`(() => {
    const frame = [...document.querySelectorAll("[class*=${frame}]:has(> [class*=_text_])")].find((element) => element.checkVisibility());
    const box = frame.getBoundingClientRect();
    const letters = document.createRange();
    letters.selectNodeContents(frame.firstElementChild);
    const ink = letters.getBoundingClientRect();
    return Math.abs((ink.top + ink.bottom) / 2 - (box.top + box.bottom) / 2) / box.height;
  })()`);
  expect(offset, frame).toBeLessThan(0.1);
}

async function preview(page: Page): Promise<void> {
  await button(page, "Voir tous les résultats").tap();
  const cells = region(page, "Tous les résultats").getByRole("button");
  await expect(cells).toHaveCount(59);
  await page.waitForTimeout(600);
  await lookAt(page, "73-bulk-matrix");
  await tabTo(cells.first());
  await page.keyboard.press("ArrowRight");
  await expect(cells.nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expectText(page, "2 sur 59");
  await page.getByLabel("Position propre à ce fichier").tap();
  await page.getByLabel("Emplacement").selectOption("haut-gauche");
}

/** Rows read on a phone on its side keep nothing of that width. */
async function turnAndBack(page: Page): Promise<void> {
  const standing = page.viewportSize();
  await page.setViewportSize({ width: 844, height: 390 });
  for (const name of ["lot_058.pdf", "lot_001.pdf"]) {
    await page.getByText(name).scrollIntoViewIfNeeded();
    await nextFrames(page);
  }
  if (standing) await page.setViewportSize(standing);
  await nextFrames(page);
}

async function signAll(page: Page): Promise<void> {
  await button(page, "Signer 59 documents").tap();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("Je signe 59 documents.");
  await lookAt(page, "74-bulk-consent");
  await dialog.getByRole("button", { name: "Je signe 59 documents" }).tap();
  await page.waitForURL(/\?lot=/);
  await expectVisible(heading(page, /Signature en cours|sur 59/));
  await lookAt(page, "75-bulk-progress");
  await page.reload();
  await expect(heading(page, "58 documents signés sur 59")).toBeVisible({ timeout: 180_000 });
}

async function compareCopy(page: Page): Promise<void> {
  await expect(
    page.getByText("n’a pas le même aspect que l’original à la page 1", { exact: false }),
  ).toBeVisible({ timeout: 60_000 });
  await button(page, /^Comparer avec l’original.: avec_script/).tap();
  await lookAt(page, "77-bulk-copy");
  await button(page, "Comparer les pages").tap();
  await expectVisible(page.getByRole("img", { name: "Copie corrigée, page 1" }));
  await button(page, "J’ai comparé").tap();
  await page.getByRole("checkbox", { name: "J’accepte de signer la copie corrigée" }).tap();
  await expectNoSidewaysScroll(page);
  await button(page, "Signer la copie corrigée").tap();
}

test("sixty-two files are signed at once, except the three that cannot be @touch", async ({
  page,
}, info) => {
  await stage.signIn(page);
  await chooseSixty(page, await writeFiles(info.outputPath()));
  await place(page);
  await preview(page);
  await signAll(page);
  await expectVisible(
    page.getByText("1 document n’a pas pu être signé."),
    page.getByText("Ce PDF doit être corrigé avant d’être signé.", { exact: false }),
  );
  await lookAt(page, "76-bulk-result");
  await turnAndBack(page);
  await expectNoSidewaysScroll(page);
  const downloading = page.waitForEvent("download");
  await button(page, "Télécharger l’archive").tap();
  const entries = readZip(
    new Uint8Array(await streamOf(await (await downloading).createReadStream())),
  );
  expect([...entries.keys()].filter((name) => name.endsWith("_signe.pdf"))).toHaveLength(58);
  expect(entries.get("rapport.csv")?.toString("utf8")).toContain(
    "avec_script.pdf;Échec;Ce PDF doit être corrigé",
  );
  await expect(button(page, /^Réessayer/)).toBeHidden();
  await button(page, /^Accepter et signer la copie corrigée.: avec_script/).tap();
  await compareCopy(page);
  await expect(heading(page, "59 documents signés sur 59")).toBeVisible({ timeout: 60_000 });
});

test("a file of a thousand pages shows its last one with the signature, and draws only what is seen @desk", async ({
  page,
}, info) => {
  const path = info.outputPath("mille.pdf");
  await writeFile(path, blankPages(1_000));
  await stage.signIn(page);
  await page.goto("/signature/bulk-same");
  await chooseFiles(page, () => press(button(page, "parcourez vos fichiers")), [path]);
  await expect(page.getByText("1 document A4 portrait")).toBeVisible({ timeout: 90_000 });
  await press(button(page, "Continuer"));
  const viewer = page.getByRole("region", { name: "Document mille.pdf", exact: true });
  await expect(exactText(viewer, "Page 1000 sur 1000")).toBeVisible({
    timeout: 60_000,
  });
  const mark = viewer.getByRole("button", { name: "Signature, page 1000" });
  await expectInSight(mark);
  expect(await page.locator("canvas").count()).toBeLessThan(10);
  await expectInSight(button(page, "Signer 1 document"));
  const desk = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  // On the small screen the pages come after the settings.
  const showPages = () =>
    viewer.evaluate((pages) => (pages as unknown as { scrollIntoView(): void }).scrollIntoView());
  await showPages();
  await expectInSight(mark);
  for (const turned of [
    { width: 844, height: 390 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(turned);
    await nextFrames(page);
    await expectInSight(mark);
    await expectInSight(button(page, "Signer 1 document"));
  }
  expect(await page.locator("canvas").count()).toBeLessThan(10);
  await page.setViewportSize(desk);
  // The bar stays in place while the pages scroll.
  expect(
    await page.evaluate<number>("document.documentElement.scrollHeight - window.innerHeight"),
  ).toBeLessThanOrEqual(0);
  await press(button(page, "Voir tous les résultats"));
  await expectInSight(button(page, "Signer 1 document"));
});

function blankPages(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(" ");
  const page = (index: number) =>
    `${index + 3} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n`;
  const pages = Array.from({ length: count }, (_, index) => page(index)).join("");
  return Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[${kids}]/Count ${count}>>endobj\n${pages}trailer<</Root 1 0 R/Size ${count + 3}>>\n%%EOF\n`,
    "latin1",
  );
}

async function streamOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}

/** A list sent with a template. */
const sending = useSenderStage(person("agathe.envois", "Agathe Aubry"));
const API = "/api/signature";

/** « Lettre »: a client who signs, and a text of theirs. */
async function keepTemplate(name: string, worker: string): Promise<void> {
  const guest = { email: `modele.${worker}@exemple.fr`, full_name: "Modèle" };
  const { id } = await createEnvelope(sending.sender, {
    title: "Lettre de mission",
    pdf: await makeContract(name),
    guests: [guest],
  });
  const { json } = await sending.sender.get(`${API}/envelopes/${id}/`);
  const roles = [{ recipient: json.recipients[0].id, label: "Client" }];
  const kept = { envelope: id, name, roles };
  expectStatus(await sending.sender.post(`${API}/templates/`, { json: kept }), 201, "template");
}

const fileOf = (worker: string) =>
  [
    "Société;Contact;Courriel;Fait à;Réf. interne",
    `Atelier Œuvrard;Théo Lenoir;theo.${worker}@exemple.fr;Dijon;C-1`,
    `=cmd|' /C calc'!A0;Anaïs Le Guen;anais.${worker}@exemple.fr;+33;C-2`,
    `Lycée Flaubert;Éloïse Roux;eloise.${worker}@;Rouen;C-3`,
    `Atelier Œuvrard;Théo Lenoir;theo.${worker}@exemple.fr;Dijon;C-4`,
    `Papeterie Seine;Inès Petit;ines.${worker}@exemple.fr;Lyon;C-5;encore;un texte`,
  ].join("\r\n");

type Act = (control: Locator) => Promise<void>;

async function readFiles(page: Page, act: Act, worker: string): Promise<void> {
  const choose = () => act(exactButton(page, "parcourez vos fichiers"));
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
  await act(shown(exactButton(page, /^Contrôler 5\slignes$/)));
  await expectVisible(heading(page, /^2\slignes prêtes, 3 à revoir$/));
  await expectText(page, "Adresse email incomplète", "Déjà à la ligne 2");
  await lookTwice(page, "mailing-02-control");
  await act(exactButton(page, "Aperçu de la ligne 2"));
  const preview = modal(page, /^Aperçu/);
  await expectText(preview, "Atelier Œuvrard", "Dijon");
  await lookAt(page, "mailing-02-preview");
  await act(exactButton(preview, "Fermer l’aperçu"));
  await expect(preview).toHaveCount(0);
  await page.reload();
  await act(exactButton(page, "Corriger la ligne 4"));
  const dialog = modal(page, "Corriger la ligne 4");
  await expectText(dialog, "Adresse email incomplète");
  await typeInto(page, "Client\u00a0: email", `eloise.${worker}@exemple.fr`);
  await lookAt(page, "mailing-03-correct");
  await act(exactButton(dialog, "Enregistrer"));
  await expect(dialog).toHaveCount(0);
  await act(exactButton(modal(page, "Corriger la ligne 6"), "Laisser de côté"));
  await expectText(page, "Laissée de côté");
  await act(shown(exactButton(page, /^Envoyer 3\senveloppes$/)));
  await expect(heading(page, /^3\senveloppes envoyées$/)).toBeVisible({ timeout: 120_000 });
  await lookTwice(page, "mailing-04-report");
  const report = await download(page, () => act(exactButton(page, "Télécharger le rapport (CSV)")));
  const text = await readFile(await report.path(), "utf8");
  expect(text).toContain(`3;'=cmd|' /C calc'!A0;Anaïs Le Guen;anais.${worker}@exemple.fr;'+33;`);
  expect(text).toContain("Déjà à la ligne 2");
  await act(exactButton(page, "Envoyer la ligne 6"));
  await act(exactButton(page, "Corriger la ligne 6"));
  const wide = modal(page, "Corriger la ligne 6");
  await expectText(wide, /^7 cellules pour 5\scolonnes/);
  await lookTwice(page, "mailing-05-wide");
  await act(exactButton(wide, /^Vider 2\scellules en trop$/));
  await expect(wide.getByLabel("Titre de l’enveloppe")).toBeFocused();
  await act(exactButton(wide, "Enregistrer et envoyer"));
  await expect(heading(page, /^4\senveloppes envoyées$/)).toBeVisible({ timeout: 120_000 });
  await expectText(page, "Déjà à la ligne 2");
  for (const name of ["theo", "anais", "eloise", "ines"])
    await sending.mails.waitFor(`${name}.${worker}@exemple.fr`, ({ text: mail }) =>
      mail.includes("/sign/"),
    );
}

async function open(page: Page, act: Act, name: string): Promise<void> {
  await sending.signIn(page);
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
  await expectVisible(heading(page, /^4\senveloppes envoyées$/));
});

test("a list is sent with a template on a phone @touch", async ({ page }) => {
  const tap: Act = (control) => control.tap();
  await keepTemplate("Lettre au doigt", "doigt");
  await open(page, tap, "Lettre au doigt");
  await readFiles(page, tap, "doigt");
  await sendLines(page, tap, "doigt");
});
