import { expect, type Locator, type Page, type TestInfo } from "@playwright/test";
import { drag, slide } from "../support/drag-row.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { useSenderStage } from "../support/sender-stage.ts";
import { signIn } from "../support/sign-in.ts";
import { test } from "../support/stories.ts";
import { createEnvelope, sendEnvelope } from "../support/story.ts";

/** An envelope prepared: people proposed and pasted, ranks, preview, a template saved and used, the sending. On the wide screen the keyboard alone does it. */
const SENDER = ofThisWorker({ username: "solene", email: "solene@exemple.fr", firstName: "Solène", lastName: "Guérin" });
const KNOWN = ofThisWorker({ email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" });
const PASTED = ["Nom;Courriel;Rôle", "Côme Œuvrard;come@exemple.fr;Signataire", "Léa Chêne;lea@exemple.fr;Copie", "Sans adresse;;"].join(
  "\n",
);

const stage = useSenderStage(SENDER);
test.beforeAll(async () => {
  const { id } = await createEnvelope(stage.sender, { title: "Ancien contrat", pdf: await makeContract("1"), guests: [KNOWN] });
  await sendEnvelope(stage.sender, id);
});

const isWide = (info: TestInfo) => info.project.name === "1440";
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).filter({ visible: true }).first();
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Presses a control: by a finger on the small screen, by Tab and Enter on the wide one. */
async function activate(page: Page, control: Locator, info: TestInfo, key = "Enter"): Promise<void> {
  if (isWide(info)) await press(page, control, key);
  else await control.tap();
}

async function write(page: Page, label: string, text: string, info: TestInfo): Promise<void> {
  if (isWide(info)) await typeInto(page, label, text);
  else await page.getByLabel(label, { exact: true }).first().fill(text);
}

async function chooseFile(page: Page, info: TestInfo): Promise<void> {
  await page.goto(`${stage.server.url}/signature/upload`);
  await expect(heading(page, "Documents")).toBeVisible();
  await expect(page.getByRole("link", { name: "Partir d’un modèle" })).toBeVisible();
  const chosen = page.waitForEvent("filechooser");
  await activate(page, button(page, "parcourez vos fichiers"), info);
  await (await chosen).setFiles([
    { name: "bail_12-rue-haute.pdf", mimeType: "application/pdf", buffer: Buffer.from(await makeContract("2")) },
  ]);
  await expect(page.getByText(/2 pages/)).toBeVisible();
  await expect(page.getByLabel("Titre de l’enveloppe")).toHaveValue("Bail 12 rue haute");
  await orderFiles(page, info);
  await activate(page, button(page, "Continuer"), info);
  await expect(heading(page, "Destinataires")).toBeVisible();
}

/** A second file is put first, by Alt and an arrow or by a finger on its handle, then taken out; a deadline on a holiday is said. */
async function orderFiles(page: Page, info: TestInfo): Promise<void> {
  const chosen = page.waitForEvent("filechooser");
  await activate(page, button(page, "parcourez vos fichiers"), info);
  await (await chosen).setFiles([{ name: "annexe.pdf", mimeType: "application/pdf", buffer: Buffer.from(await makeContract("annexe")) }]);
  const handle = page.getByRole("button", { name: "Déplacer annexe.pdf" });
  await expect(handle).toBeVisible();
  const files = page.locator("li[data-file]");
  if (isWide(info)) {
    await tabTo(page, handle);
    await page.keyboard.press("Alt+ArrowUp");
  } else {
    await slide(page, handle, files.first());
    await lookAt(page, "49-prepare-file-dragged", info);
    await page.mouse.up();
  }
  await expect(files).toContainText(["annexe.pdf", "bail_12-rue-haute.pdf"]);
  await page.getByLabel("Échéance (facultatif)").fill(isWide(info) ? "11/11/2027" : "2027-11-11");
  await expect(page.getByText("Le 11 novembre est férié (Armistice 1918).")).toBeVisible();
  await lookAt(page, "49-prepare-files", info);
  await expectNoSidewaysScroll(page);
  await page.getByLabel("Échéance (facultatif)").fill("");
  await activate(page, button(page, "Retirer annexe.pdf"), info);
  await expect(files).toHaveCount(0);
}

/** Whom one asked before is proposed, without accents, by the keyboard or by a finger. */
async function takeProposal(page: Page, info: TestInfo): Promise<void> {
  const name = page.getByRole("combobox", { name: "Nom" }).first();
  if (isWide(info)) await tabTo(page, name);
  else await name.tap();
  await page.keyboard.type("MAEL");
  const option = page.getByRole("option", { name: /Maëlys N'Guessan/ });
  await expect(option).toBeVisible();
  await lookAt(page, "50-prepare-suggestion", info);
  if (isWide(info)) {
    await page.keyboard.press("ArrowDown");
    await expect(option).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
  } else await option.tap();
  await expect(name).toHaveValue(KNOWN.full_name);
  await expect(page.getByLabel("Email", { exact: true }).first()).toHaveValue(KNOWN.email);
}

async function pasteList(page: Page, info: TestInfo): Promise<void> {
  await activate(page, button(page, "Coller une liste"), info);
  const dialog = page.getByRole("dialog", { name: "Coller une liste" });
  await expect(dialog).toBeVisible();
  await page.getByLabel("Noms et adresses").focus();
  await page.keyboard.insertText(PASTED);
  await expect(dialog.getByText("Ce qui a été compris (2)")).toBeVisible();
  await expect(dialog.getByText(/Ligne 4.*aucune adresse email/)).toBeVisible();
  await lookAt(page, "51-prepare-paste", info);
  await expectNoSidewaysScroll(page);
  await activate(page, dialog.getByRole("button", { name: "Ajouter 2 destinataires" }), info);
  await expect(page.getByLabel("Email", { exact: true })).toHaveCount(3);
  await expect(page.getByLabel("Rôle").nth(2)).toHaveValue("viewer");
}

/** A slip in the domain is put right in a press; the line goes again. */
async function correctDomain(page: Page, info: TestInfo): Promise<void> {
  await activate(page, button(page, "Ajouter un destinataire"), info);
  const emails = page.getByLabel("Email", { exact: true });
  await emails.last().fill("zoe@gmial.com");
  await emails.last().blur();
  await expect(page.getByText("Vouliez-vous dire zoe@gmail.com")).toBeVisible();
  await lookAt(page, "51-prepare-domain", info);
  await activate(page, button(page, "Remplacer par zoe@gmail.com"), info);
  await expect(emails.last()).toHaveValue("zoe@gmail.com");
  await activate(page, button(page, "Retirer le destinataire 4"), info);
  await expect(emails).toHaveCount(3);
}

/** Maëlys and Côme at once, then Solène herself; the reader of a copy where she was. */
async function setOrder(page: Page, info: TestInfo): Promise<void> {
  await activate(page, button(page, "M’ajouter comme signataire"), info);
  await expect(page.getByLabel("Email", { exact: true })).toHaveCount(4);
  await activate(page, page.getByRole("switch", { name: "Signature dans l’ordre" }), info, "Space");
  await activate(page, page.getByRole("checkbox", { name: /En même temps que Maëlys/ }), info, "Space");
  const handle = page.getByRole("button", { name: "Déplacer le destinataire 4" });
  if (isWide(info)) {
    await tabTo(page, handle);
    await page.keyboard.press("ArrowUp");
  } else await drag(page, handle, page.locator("li[data-recipient]").nth(2));
  await expect(page.getByLabel("Nom", { exact: true }).nth(2)).toHaveValue("Solène Guérin");
  await expect(page.locator("li[data-recipient] span:has(> .sr:text('Rang'))")).toHaveText(["Rang 1", "Rang 1", "Rang 2", "Rang 3"]);
  // From the top: under the sticky bar a control is covered, which is no fault of its own.
  await page.evaluate("window.scrollTo(0, 0)");
  await lookAt(page, "52-prepare-ranks", info);
  await expectNoSidewaysScroll(page);
  await expect(page.getByText(/Brouillon enregistré/)).toBeVisible();
}

/** Where each signs is the placing's own story: here the service is told, as another client would. */
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

async function preview(page: Page, info: TestInfo): Promise<void> {
  await activate(page, button(page, "Aperçu"), info);
  const dialog = page.getByRole("dialog", { name: /Aperçu.*: rien ne sera signé/ });
  await expect(dialog.getByText("Signer ici")).toBeVisible();
  await expect(dialog.getByText("Autre signataire")).toHaveCount(2);
  await activate(page, dialog.getByRole("button", { name: "Signature, page 2" }), info);
  await expect(dialog.getByText("Signer ici")).toBeInViewport();
  // The words of the page itself: it is drawn.
  await expect(dialog.getByText(/Article 5/).first()).toBeAttached();
  await lookAt(page, "53-prepare-preview", info);
  await expectNoSidewaysScroll(page);
  await dialog.getByLabel("Vu par").selectOption({ label: "Léa Chêne" });
  await expect(dialog.getByText("En copie")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

const proofOnly = (page: Page) => page.getByRole("switch", { name: "Preuve seule" });

/** What the public page will show; the template made after it keeps it. */
async function chooseProofOnly(page: Page, info: TestInfo): Promise<void> {
  await expect(proofOnly(page)).not.toBeChecked();
  await activate(page, proofOnly(page), info, "Space");
  await expect(proofOnly(page)).toBeChecked();
  await lookAt(page, "57-prepare-proof-only", info);
}

async function saveTemplate(page: Page, info: TestInfo): Promise<void> {
  await activate(page, button(page, "Enregistrer comme modèle"), info);
  await expect(page.getByRole("dialog", { name: "Enregistrer comme modèle" })).toBeVisible();
  await write(page, "Nom du modèle", "Bail vide", info);
  await write(page, "Rôle de Maëlys N'Guessan", "Locataire", info);
  await write(page, "Rôle de Côme Œuvrard", "Locataire", info);
  await activate(page, button(page, "Enregistrer le modèle"), info);
  await expect(page.getByText("Ce nom de rôle est déjà pris")).toBeVisible();
  await write(page, "Rôle de Côme Œuvrard", "Garant", info);
  await lookAt(page, "54-prepare-save-template", info);
  await activate(page, button(page, "Enregistrer le modèle"), info);
  await expect(page.getByText(/Modèle .* enregistré\./)).toBeVisible();
}

async function useTemplate(page: Page, info: TestInfo): Promise<void> {
  await page.goto(`${stage.server.url}/signature/upload`);
  await activate(page, page.getByRole("link", { name: "Partir d’un modèle" }), info);
  await expect(heading(page, "Modèles")).toBeVisible();
  await expect(page.getByText("1 modèle", { exact: true })).toBeVisible();
  await lookAt(page, "55-templates", info);
  await expectNoSidewaysScroll(page);
  await activate(page, button(page, "Renommer Bail vide"), info);
  await write(page, "Nom du modèle", "Bail d’habitation", info);
  await page.keyboard.press("Enter");
  await activate(page, button(page, "Utiliser Bail d’habitation"), info);
  const dialog = page.getByRole("dialog", { name: /Partir de/ });
  await activate(page, dialog.getByRole("button", { name: "Créer le brouillon" }), info);
  await expect(dialog.getByText("Nom requis").first()).toBeVisible();
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
  await lookAt(page, "56-templates-use", info);
  await expectNoSidewaysScroll(page);
  await activate(page, dialog.getByRole("button", { name: "Créer le brouillon" }), info);
  await expect(heading(page, "Vérifier et envoyer")).toBeVisible();
  await expect(page.getByText("3 champs placés")).toBeVisible();
}

test("an envelope is prepared from a file, kept as a template, prepared again from it and sent", async ({ page }, info) => {
  await signIn(page, { url: stage.server.url, username: SENDER.username });
  await chooseFile(page, info);
  await takeProposal(page, info);
  await pasteList(page, info);
  await correctDomain(page, info);
  await setOrder(page, info);
  const id = page.url().split("/workflow/")[1]?.split("?")[0] ?? "";
  await placeSignatures(id);
  await page.goto(`${stage.server.url}/signature/workflow/${id}?etape=envoi`);
  await expect(heading(page, "Vérifier et envoyer")).toBeVisible();
  await lookAt(page, "57-prepare-check", info);
  await expectNoSidewaysScroll(page);
  await preview(page, info);
  await chooseProofOnly(page, info);
  await saveTemplate(page, info);
  await useTemplate(page, info);
  await expect(proofOnly(page)).toBeChecked();
  await activate(page, button(page, /^Envoyer/), info);
  await page.waitForURL(/\/signature\/detail\//);
  const sent = page.url().split("/detail/")[1] ?? "";
  // Both of the first rank at once; the second rank waits.
  for (const email of ["anne@exemple.fr", "luc@exemple.fr"]) await stage.mails.waitFor(email, ({ text }) => text.includes(`/sign/${sent}`));
  const { recipients, proof_only } = (await stage.sender.get(`/api/signature/envelopes/${sent}/`)).json;
  expect(proof_only).toBe(true);
  expect(recipients.map((row: { order: number; status: string }) => [row.order, row.status])).toEqual([
    [1, "notified"],
    [1, "notified"],
    [2, "waiting"],
    [3, "waiting"],
  ]);

  await page.goto(`${stage.server.url}/signature/templates`);
  await activate(page, button(page, "Supprimer Bail d’habitation"), info);
  const question = page.getByRole("alertdialog");
  await activate(page, question.getByRole("button", { name: "Supprimer" }), info);
  await expect(page.getByText("Aucun modèle")).toBeVisible();
  await lookAt(page, "58-templates-empty", info);
});
