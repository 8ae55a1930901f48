import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { liveWithMany } from "../../packages/pades/interop/signing-rounds.ts";
import { FRENCH_FORMS } from "../../packages/pades/testing/french-forms.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { createTestPki } from "../../packages/pades/testing/test-pki.ts";
import { pdfFile } from "../support/make-contract.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { press } from "../support/keyboard.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { hasTool } from "../support/run-tool.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { button, expectText, expectVisible, modal, shownButton } from "../support/controls.ts";

const SENDER = person("solene.control", "Solène Guérin");

const stage = useSenderStage(SENDER);

/** A stamp without an appearance: the copy has one. */
const NOTE = "<</Type/Annot/Subtype/Stamp/F 4/Rect[60 300 300 360]/Name/NotApproved>>";

/** The same file encrypted: `user` opens it, `owner` changes it. */
function encrypted(user: string, owner: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "paraphe-control-"));
  try {
    writeFileSync(join(folder, "in.pdf"), makePdf({ pages: 2 }));
    const paths = [join(folder, "in.pdf"), join(folder, "out.pdf")];
    execFileSync("qpdf", ["--encrypt", user, owner, "256", "--", ...paths]);
    return new Uint8Array(readFileSync(join(folder, "out.pdf")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("each document shows its control: signed elsewhere, to be corrected, refused @touch", async ({
  page,
}, info) => {
  test.skip(!hasTool("qpdf") && !process.env["CI"], "qpdf is not installed");
  const others = await createTestPki("Autre Service");
  const { archived } = await liveWithMany(others, smallPdf(), { count: 2 });
  await stage.signIn(page);
  await page.goto("/signature/upload");
  await page
    .getByLabel("Déposez vos PDF ici")
    .setInputFiles([
      pdfFile("Bail.pdf", makePdf({ pages: 2 })),
      pdfFile("Déjà signé.pdf", archived),
      pdfFile("Protégé contre la modification.pdf", encrypted("", "proprietaire")),
      pdfFile(
        "Actif.pdf",
        smallPdf({ catalogExtra: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" }),
      ),
      pdfFile("Annoté.pdf", makePdf({ pages: 2, pageExtra: `/Annots[${NOTE}]` })),
      pdfFile("Secret.pdf", encrypted("ouvrir", "proprietaire")),
      pdfFile("Coupé.pdf", makePdf().subarray(0, 300)),
    ]);
  await expectVisible(
    page.getByText(
      "Ce PDF porte déjà 2 signatures, qui n’ont pas été altérées. Elles sont conservées.",
      { exact: false },
    ),
    page.getByText("Ce PDF est protégé contre la modification.", { exact: false }),
    page.getByText("Ce PDF contient du code JavaScript. Il est retiré de la copie à signer."),
    page.getByText("Ce PDF est protégé par un mot de passe.", { exact: false }),
    page.getByText("Ce PDF est endommagé et ne peut pas être signé.", { exact: false }),
  );
  await lookAt(page, "40-document-control");
  await expectNoSidewaysScroll(page);
  await page.screenshot({
    path: join("test-results/screens", info.project.name, "40-document-control-full.png"),
    fullPage: true,
  });

  const consents = page.getByRole("checkbox");
  await expect(consents).toHaveCount(3);
  // Changed pages are shown before the copy can be accepted.
  await expectVisible(
    page.getByText("Les pages 1 et 2 changent d’aspect dans la copie corrigée", { exact: false }),
  );
  await expect(consents.last()).toBeDisabled();
  await button(page, "Comparer les pages").press("Enter");
  await expectVisible(page.getByRole("img", { name: "Copie corrigée, page 2" }));
  await lookTwice(page, "41-copy-compared");
  await page.getByRole("switch", { name: "Grandeur réelle" }).press("Space");
  await lookAt(page, "42-copy-compared-large");
  await button(page, "J’ai comparé").press("Enter");
  await expect(consents.last()).toBeEnabled();

  await consents.first().click();
  await expect(consents.first()).toBeDisabled();
  await expect(consents.first()).toBeChecked();
});

const GUESTS = [invitee("come", "Côme Œuvrard"), invitee("maelys", "Maëlys N'Guessan")];

const formOf = (wanted: string) => {
  const form = FRENCH_FORMS.find(({ name }) => name === wanted);
  if (form === undefined) throw new Error(`no form ${wanted}`);
  return form;
};

async function openFields(page: Page, wanted: string): Promise<string> {
  await stage.signIn(page);
  const { id } = await story.createEnvelope(stage.sender, {
    title: wanted,
    pdf: formOf(wanted).bytes,
    guests: GUESTS,
    fields: [],
  });
  await page.goto(`/signature/workflow/${id}?etape=champs`);
  return id;
}

const boxes = (page: Page) => page.locator("[data-field]");

test("a form’s fields are proposed, shown, and placed by keyboard", async ({ page }) => {
  const { fields } = formOf("Demande d’inscription");
  await openFields(page, "Demande d’inscription");
  await expectText(page, "Ce document contient 5\u00a0champs\u00a0: les utiliser\u00a0?");
  await lookAt(page, "form-proposal");
  await expectNoSidewaysScroll(page);
  await press(shownButton(page, "Voir la proposition"));
  const dialog = modal(page, "Champs déjà dans les documents");
  await expectVisible(dialog);
  await press(dialog.locator("summary"));
  await expectText(dialog, "Nom de naissance", "Signature du demandeur");
  await dialog.getByLabel("Champs pour").selectOption({ label: "Maëlys N'Guessan" });
  await lookAt(page, "form-dialog");
  await press(button(dialog, "Utiliser 5 champs"));
  await expect(dialog).toBeHidden();
  await expectText(page, "5 champs sur les documents");
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeFocused();
  await expect(boxes(page)).toHaveCount(fields.length);
  await page.reload();
  await expect(boxes(page)).toHaveCount(fields.length);
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
});

test("text tags are given to the people of their roles, and covered with consent", async ({
  page,
}) => {
  const id = await openFields(page, "Contrat à balises");
  const unread = /Une balise de texte n’est pas reconnue.*«\u00a0\{\{inconnu:client\}\}\u00a0»/;
  await expectVisible(page.getByText(unread));
  await lookAt(page, "form-proposal-tags");
  await expectNoSidewaysScroll(page);
  await press(shownButton(page, "Voir la proposition"));
  const dialog = modal(page, "Champs déjà dans les documents");
  await expect(dialog.getByLabel("Champs de « prestataire » pour")).toHaveValue(/./);
  await expect(
    dialog.getByRole("checkbox", { name: /Recouvrir le texte des 7 balises/ }),
  ).toBeChecked();
  await lookAt(page, "form-dialog-tags");
  await press(button(dialog, "Utiliser 7 champs"));
  await expectText(page, "7 champs sur les documents");
  const { json } = await stage.sender.get(`/api/signature/envelopes/${id}/`);
  const owners = new Set(json.fields.map((one: { recipient_id: string }) => one.recipient_id));
  expect(owners.size).toBe(2);
  await expect(page.getByText(unread)).toBeHidden();
  await page.goto(`/signature/workflow/${id}?etape=documents`);
  await expectVisible(page.getByText(unread));
  await lookAt(page, "form-tags-used");
  await expectNoSidewaysScroll(page);
});

test("who wants none is not asked again in this tab", async ({ page }) => {
  await openFields(page, "Autorisation parentale");
  await press(shownButton(page, "Ne pas les utiliser"));
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
  await page.reload();
  await expectVisible(page.getByRole("main"));
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
  await expect(boxes(page)).toHaveCount(0);
});
