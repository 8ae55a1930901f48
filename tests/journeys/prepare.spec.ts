import { expect, type Locator, type Page } from "@playwright/test";
import { dragRow, slide } from "../support/placement-stage.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, expectOnePrimaryButton, lookAt } from "../support/look-at.ts";
import { makeContract, pdfFile } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  chooseFiles,
  exactText,
  expectText,
  expectUncovered,
  expectVisible,
  heading,
  link,
  modal,
  shownButton as button,
} from "../support/controls.ts";

/** By keyboard; drags and proposals by mouse first. */
const SENDER = person("solene", "Solène Guérin");
const KNOWN = invitee("maelys", "Maëlys N'Guessan");
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
const PASTED = [
  "Nom;Courriel;Rôle",
  "Côme Œuvrard;come@exemple.fr;Signataire",
  "Léa Chêne;lea@exemple.fr;Copie",
  "Sans adresse;;",
].join("\n");

const stage = useSenderStage(SENDER);
test.beforeAll(async () => {
  await stage.send("Ancien contrat", [KNOWN]);
});

async function expectToFit(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(DESK);
}

const steps = (page: Page) => page.getByRole("list", { name: "Étapes" });
const leftOf = async (part: Locator) => Math.round((await part.boundingBox())?.x ?? Number.NaN);

async function chooseFile(page: Page): Promise<void> {
  await page.goto("/signature/upload");
  await expectVisible(heading(page, "Documents"), link(page, "Partir d’un modèle"));
  const zone = page.locator("div", {
    has: page.locator("> b", { hasText: "Déposez vos PDF ici" }),
  });
  expect((await zone.last().boundingBox())?.height).toBeGreaterThanOrEqual(220);
  await chooseFiles(page, () => press(button(page, "parcourez vos fichiers")), [
    pdfFile("bail_12-rue-haute.pdf", await makeContract("2")),
  ]);
  await expectText(page, /2 pages/);
  await expect(page.getByLabel("Titre de l’enveloppe")).toHaveValue("Bail 12 rue haute");
  await orderFiles(page);
  await expectOnePrimaryButton(page, "the preparation");
  const before = await leftOf(steps(page));
  await press(button(page, "Continuer"));
  await expectVisible(heading(page, "Destinataires"), button(page, "Retour"));
  expect(Math.abs((await leftOf(steps(page))) - before)).toBeLessThanOrEqual(1);
  await expectOnePrimaryButton(page, "the preparation");
}

async function orderFiles(page: Page): Promise<void> {
  await chooseFiles(page, () => press(button(page, "parcourez vos fichiers")), [
    pdfFile("annexe.pdf", await makeContract("annexe")),
  ]);
  const handle = page.getByRole("button", { name: "Déplacer annexe.pdf" });
  await expectVisible(handle);
  const files = page.locator("li[data-file]");
  await slide(page, handle, files.first());
  await lookAt(page, "49-prepare-file-dragged");
  await page.mouse.up();
  await expect(files).toContainText(["annexe.pdf", "bail_12-rue-haute.pdf"]);
  await tabTo(handle);
  await page.keyboard.press("Alt+ArrowDown");
  await expect(files).toContainText(["bail_12-rue-haute.pdf", "annexe.pdf"]);
  await page.keyboard.press("Alt+ArrowUp");
  await expect(files).toContainText(["annexe.pdf", "bail_12-rue-haute.pdf"]);
  await page.getByLabel("Échéance (facultatif)").fill("11/11/2027");
  await expectText(page, "Le 11 novembre est férié (Armistice 1918).");
  await lookAt(page, "49-prepare-files");
  await expectToFit(page);
  await page.getByLabel("Échéance (facultatif)").fill("");
  await press(button(page, "Retirer annexe.pdf"));
  await expect(files).toHaveCount(0);
}

async function takeProposal(page: Page): Promise<void> {
  const name = page.getByRole("combobox", { name: "Nom" }).first();
  const email = page.getByLabel("Email", { exact: true }).first();
  const option = page.getByRole("option", { name: /Maëlys N'Guessan/ });
  await tabTo(name);
  await page.keyboard.type("MAEL");
  await expectVisible(option);
  await lookAt(page, "50-prepare-suggestion");
  await option.click();
  await expect(name).toHaveValue(KNOWN.full_name);
  await expect(email).toHaveValue(KNOWN.email);
  await email.fill("");
  await typeInto(page, "Nom", "MAEL");
  await expectVisible(option);
  await page.keyboard.press("ArrowDown");
  await expect(option).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(name).toHaveValue(KNOWN.full_name);
  await expect(email).toHaveValue(KNOWN.email);
}

async function pasteList(page: Page): Promise<void> {
  await press(button(page, "Coller une liste"));
  const dialog = modal(page, "Coller une liste");
  await expectVisible(dialog);
  await page.getByLabel("Noms et adresses").focus();
  await page.keyboard.insertText(PASTED);
  await expectText(dialog, "Ce qui a été compris (2)", /Ligne 4.*aucune adresse email/);
  await lookAt(page, "51-prepare-paste");
  await expectToFit(page);
  await press(dialog.getByRole("button", { name: "Ajouter 2 destinataires" }));
  await expect(page.getByLabel("Email", { exact: true })).toHaveCount(3);
  await expect(page.getByLabel("Rôle").nth(2)).toHaveValue("viewer");
}

/** The message below the field stands above the bottom bar. */
async function seeFault(page: Page): Promise<void> {
  const email = page.getByLabel("Email", { exact: true }).nth(1);
  const kept = await email.inputValue();
  await page.setViewportSize(PHONE);
  await email.fill("come@exemple");
  // A field just above the bar counts as seen: the browser scrolls no further for it.
  await email.evaluate(
    "(field) => scrollBy(0, field.getBoundingClientRect().bottom - innerHeight + 88)",
  );
  await button(page, "Continuer").click();
  await expect(email).toBeFocused();
  await expectUncovered(page.getByText("Email invalide"));
  await email.fill(kept);
  await page.setViewportSize(DESK);
}

async function correctDomain(page: Page): Promise<void> {
  await press(button(page, "Ajouter un destinataire"));
  const emails = page.getByLabel("Email", { exact: true });
  await emails.last().fill("zoe@gmial.com");
  await emails.last().blur();
  await expectText(page, "Vouliez-vous dire zoe@gmail.com");
  await lookAt(page, "51-prepare-domain");
  await press(button(page, "Remplacer par zoe@gmail.com"));
  await expect(emails.last()).toHaveValue("zoe@gmail.com");
  await press(button(page, "Retirer le destinataire 4"));
  await expect(emails).toHaveCount(3);
}

async function setOrder(page: Page): Promise<void> {
  await press(button(page, "M’ajouter comme signataire"));
  await expect(page.getByLabel("Email", { exact: true })).toHaveCount(4);
  await press(page.getByRole("switch", { name: "Signature dans l’ordre" }), "Space");
  await press(page.getByRole("checkbox", { name: /En même temps que Maëlys/ }), "Space");
  const handle = (rank: number) =>
    page.getByRole("button", { name: `Déplacer le destinataire ${rank}` });
  const names = page.getByLabel("Nom", { exact: true });
  await dragRow(page, handle(4), page.locator("li[data-recipient]").nth(2));
  await expect(names.nth(2)).toHaveValue("Solène Guérin");
  await tabTo(handle(3));
  await page.keyboard.press("ArrowDown");
  await expect(names.nth(3)).toHaveValue("Solène Guérin");
  await page.keyboard.press("ArrowUp");
  await expect(names.nth(2)).toHaveValue("Solène Guérin");
  await expect(page.locator("li[data-recipient] span:has(> .sr:text('Rang'))")).toHaveText([
    "Rang 1",
    "Rang 1",
    "Rang 2",
    "Rang 3",
  ]);
  // The sticky bar covers controls of a scrolled page.
  await page.evaluate("window.scrollTo(0, 0)");
  await lookAt(page, "52-prepare-ranks");
  await expectToFit(page);
  await expectText(page, /Brouillon enregistré/);
}

/** Placement has its own story. */
async function placeSignatures(id: string): Promise<void> {
  const path = `/api/signature/envelopes/${id}/`;
  const { recipients, documents } = (await stage.sender.get(path)).json;
  const fields = recipients
    .filter(({ role }: { role: string }) => role !== "viewer")
    .map((recipient: { id: string }, index: number) => ({
      document_id: documents[0].id,
      recipient_id: recipient.id,
      type: "signature",
      page: 2,
      x: 0.1,
      y: 0.5 + 0.1 * index,
      width: 0.3,
      height: 0.07,
    }));
  expect((await stage.sender.patch(path, { json: { fields } })).status).toBe(200);
}

async function preview(page: Page): Promise<void> {
  await press(button(page, "Aperçu"));
  const dialog = modal(page, /Aperçu.*: rien ne sera signé/);
  await expectText(dialog, "Signer ici");
  await expect(dialog.getByText("Autre signataire")).toHaveCount(2);
  await press(dialog.getByRole("button", { name: "Signature, page 2" }));
  await expect(dialog.getByText("Signer ici")).toBeInViewport();
  await expect(dialog.getByText(/Article 5/).first()).toBeAttached();
  await lookAt(page, "53-prepare-preview");
  await expectToFit(page);
  await dialog.getByLabel("Vu par").selectOption({ label: "Léa Chêne" });
  await expectText(dialog, "En copie");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

const proofOnly = (page: Page) =>
  page.getByRole("switch", { name: "Ne pas montrer le document sur la page publique" });

async function chooseProofOnly(page: Page): Promise<void> {
  await expect(proofOnly(page)).not.toBeChecked();
  await press(proofOnly(page), "Space");
  await expect(proofOnly(page)).toBeChecked();
  await lookAt(page, "57-prepare-proof-only");
}

async function saveTemplate(page: Page): Promise<void> {
  await press(button(page, "Enregistrer comme modèle"));
  await expectVisible(modal(page, "Enregistrer comme modèle"));
  await typeInto(page, "Nom du modèle", "Bail vide");
  await typeInto(page, "Rôle de Maëlys N'Guessan", "Locataire");
  await typeInto(page, "Rôle de Côme Œuvrard", "Locataire");
  await press(button(page, "Enregistrer le modèle"));
  await expectText(page, "Ce nom de rôle est déjà pris");
  await typeInto(page, "Rôle de Côme Œuvrard", "Garant");
  await lookAt(page, "54-prepare-save-template");
  await press(button(page, "Enregistrer le modèle"));
  await expectText(page, /Modèle .* enregistré\./);
}

async function useTemplate(page: Page): Promise<void> {
  await page.goto("/signature/upload");
  await press(link(page, "Partir d’un modèle"));
  await expectVisible(heading(page, "Modèles"), exactText(page, "1 modèle"));
  await lookAt(page, "55-templates");
  await expectToFit(page);
  await press(button(page, "Renommer Bail vide"));
  await typeInto(page, "Nom du modèle", "Bail d’habitation");
  await page.keyboard.press("Enter");
  await press(button(page, "Utiliser Bail d’habitation"));
  const dialog = modal(page, /Partir de/);
  await press(dialog.getByRole("button", { name: "Créer le brouillon" }));
  await expectVisible(dialog.getByText("Nom requis").first());
  for (const [index, [name, email]] of (
    [
      ["Anne Petit", "anne@exemple.fr"],
      ["Luc Petit", "luc@exemple.fr"],
      ["Zoé Martin", "zoe@exemple.fr"],
      ["Agence Haute", "agence@exemple.fr"],
    ] as const
  ).entries()) {
    await dialog.getByLabel("Nom", { exact: true }).nth(index).fill(name);
    await dialog.getByLabel("Email", { exact: true }).nth(index).fill(email);
  }
  await lookAt(page, "56-templates-use");
  await expectToFit(page);
  await press(dialog.getByRole("button", { name: "Créer le brouillon" }));
  await expectVisible(heading(page, "Vérifier et envoyer"), page.getByText("3 champs placés"));
}

test("an envelope is prepared from a file, saved as a template, prepared from it and sent @desk", async ({
  page,
}) => {
  await stage.signIn(page);
  await chooseFile(page);
  await takeProposal(page);
  await pasteList(page);
  await correctDomain(page);
  await seeFault(page);
  await setOrder(page);
  const id = page.url().split("/workflow/")[1]?.split("?")[0] ?? "";
  await placeSignatures(id);
  await page.goto(`/signature/workflow/${id}?etape=envoi`);
  await expectVisible(heading(page, "Vérifier et envoyer"));
  await lookAt(page, "57-prepare-check");
  await expectToFit(page);
  await preview(page);
  await chooseProofOnly(page);
  await saveTemplate(page);
  await useTemplate(page);
  await expect(proofOnly(page)).toBeChecked();
  await press(button(page, /^Envoyer/));
  await page.waitForURL(/\/signature\/detail\//);
  const sent = page.url().split("/detail/")[1] ?? "";
  for (const email of ["anne@exemple.fr", "luc@exemple.fr"])
    await stage.mails.waitFor(email, ({ text }) => text.includes(`/sign/${sent}`));
  const { recipients, proof_only } = (await stage.sender.get(`/api/signature/envelopes/${sent}/`))
    .json;
  expect(proof_only).toBe(true);
  expect(
    recipients.map((row: { order: number; status: string }) => [row.order, row.status]),
  ).toEqual([
    [1, "notified"],
    [1, "notified"],
    [2, "waiting"],
    [3, "waiting"],
  ]);

  await page.goto("/signature/templates");
  await press(button(page, "Supprimer Bail d’habitation"));
  const question = page.getByRole("alertdialog");
  await press(question.getByRole("button", { name: "Supprimer" }));
  await expectText(page, "Aucun modèle");
  await lookAt(page, "58-templates-empty");
});
