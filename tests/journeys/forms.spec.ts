import { expect, type Page } from "@playwright/test";
import { FRENCH_FORMS } from "../../packages/pades/testing/french-forms.ts";
import { press } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { expectText, expectVisible, modal, shownButton as button } from "../support/controls.ts";

const SENDER = person("solene.formulaires", "Solène Guérin");
const GUESTS = [invitee("come", "Côme Œuvrard"), invitee("maelys", "Maëlys N'Guessan")];

const stage = useSenderStage(SENDER);

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
  await press(button(page, "Voir la proposition"));
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
  await press(button(page, "Voir la proposition"));
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
});

test("who wants none is not asked again in this tab", async ({ page }) => {
  await openFields(page, "Autorisation parentale");
  await press(button(page, "Ne pas les utiliser"));
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
  await page.reload();
  await expectVisible(page.getByRole("main"));
  await expect(page.getByText("les utiliser", { exact: false })).toBeHidden();
  await expect(boxes(page)).toHaveCount(0);
});
