import { expect } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { press, tabTo } from "../support/keyboard.ts";
import { lookAt } from "../support/look-at.ts";
import {
  boxOf,
  fields,
  GUESTS,
  palette,
  said,
  usePlacementStage,
} from "../support/placement-stage.ts";
import { test } from "../support/stories.ts";
import { button, expectText, expectVisible, modal, region } from "../support/controls.ts";

const { expectSaved, makeDraft, openFields } = usePlacementStage();

test("fields are placed with the keyboard alone", { tag: "@desk" }, async ({ page }) => {
  const draft = await makeDraft({
    "contrat.pdf": makePdf({ pages: 3 }),
    "annexe.pdf": smallPdf({ rotate: 90, cropBox: "40 60 540 760" }),
  });
  await openFields(page, draft.id);

  await press(palette(page, "Signature"));
  await page.keyboard.press("Enter");
  await said(page, /^Ajouté\s: Signature de Côme Œuvrard, page 1, gauche/);
  await expect(fields(page)).toHaveCount(1);
  await expect(fields(page).first()).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await said(
    page,
    /^Déplacé de 1 point vers la droite\. Signature de Côme Œuvrard, page 1, gauche .+\s%, haut .+\s%$/,
  );
  const before = await boxOf(fields(page).first());
  await page.keyboard.press("Shift+ArrowUp");
  await said(page, /^Déplacé de 5 points vers le haut/);
  await page.keyboard.press("Alt+ArrowRight");
  await said(page, /^Plus large de 1 point/);
  await page.keyboard.press("Alt+Shift+ArrowDown");
  await said(page, /^Plus haut de 5 points/);
  const after = await boxOf(fields(page).first());
  const scale = (await boxOf(page.locator("[data-pdf-page='1']"))).width / 595;
  expect((before.y - after.y) / scale).toBeCloseTo(5, 1);
  expect((after.width - before.width) / scale).toBeCloseTo(1, 1);
  expect((after.height - before.height) / scale).toBeCloseTo(5, 1);
  await lookAt(page, "50-placement-one");

  await page.keyboard.press("Control+d");
  await said(page, /^Dupliqué\s: Signature/);
  await page.keyboard.press("Control+a");
  await said(page, "2 champs sélectionnés");
  await page.keyboard.press("ArrowLeft");
  await said(page, "Déplacé de 1 point vers la gauche");
  await lookAt(page, "51-placement-two");
  await page.keyboard.press("Delete");
  await said(page, "2 champs supprimés. Ctrl + Z pour annuler.");
  await expect(fields(page)).toHaveCount(0);
  await expect(region(page, "Document, pages")).toBeFocused();
  await page.keyboard.press("Control+z");
  await said(page, /^Annulé\s: suppression$/);
  await expect(fields(page)).toHaveCount(2);
  await page.keyboard.press("Control+Shift+Z");
  await said(page, /^Rétabli\s: suppression$/);
  await expect(fields(page)).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await said(page, /^Annulé\s: ajout$/);
  await expect(fields(page)).toHaveCount(1);
  await page.keyboard.press("Control+y");
  await expect(fields(page)).toHaveCount(2);

  await tabTo(fields(page).last());
  await page.keyboard.press("Control+c");
  await said(page, /^Copié\s: Signature/);
  await tabTo(region(page, "Document, pages"));
  await page.keyboard.press("PageDown");
  await expectText(page, "Page 2 sur 3");
  await page.keyboard.press("Control+v");
  await said(page, /^Collé\s: Signature de Côme Œuvrard, page 2/);
  await expectSaved(draft.id, (saved) => {
    expect(saved.map(({ page: number }) => number).sort()).toEqual([1, 1, 2]);
    const first = saved.filter(({ page: number }) => number === 1).sort((a, b) => b.y - a.y)[0];
    const last = saved.find(({ page: number }) => number === 2);
    expect([last?.x, last?.y]).toEqual([first?.x, first?.y]);
  });

  await press(button(page, "Ajouter sur la page…"));
  const form = modal(page, "Ajouter sur la page");
  await form.getByLabel("Champs pour").selectOption({ label: GUESTS[1]?.full_name ?? "" });
  await form.getByLabel("Document").selectOption({ label: "annexe.pdf" });
  await form.getByLabel("Position").selectOption({ label: "en haut à droite" });
  await form.getByLabel("Largeur").fill("25");
  await lookAt(page, "52-placement-form");
  await button(form, "Ajouter le champ").press("Enter");
  await expectSaved(draft.id, (saved) => {
    const there = saved.filter(({ document_id }) => document_id === draft.documents[1]?.id);
    expect(there).toHaveLength(1);
    expect(there[0]).toMatchObject({
      recipient_id: draft.recipients[1]?.id,
      width: 0.25,
      height: 0.108,
      y: 0.08,
    });
    expect(there[0]?.x).toBeCloseTo(0.655, 5);
  });

  await press(button(page, "Liste des champs"));
  const list = modal(page, "Liste des champs");
  await lookAt(page, "53-placement-list");
  await button(list, "Modifier : Signature de Maëlys N'Guessan, page 1").press("Enter");
  const properties = page.getByRole("complementary", { name: "Propriétés du champ" });
  await expect(properties.getByLabel("Attribué à")).toBeFocused();
  await properties.getByLabel("Type de champ").selectOption("Texte libre");
  await properties.getByLabel("Libellé").fill("Bon pour accord");
  await properties.getByLabel("Gauche").fill("9,5");
  await properties.getByLabel("Gauche").press("Enter");
  await properties.getByLabel("Champ obligatoire").press("Space");
  await expectSaved(draft.id, (saved) =>
    expect(saved.find(({ document_id }) => document_id === draft.documents[1]?.id)).toMatchObject({
      type: "text",
      x: 0.095,
      label: "Bon pour accord",
      required: false,
    }),
  );
  await lookAt(page, "54-placement-other-document");

  await page.keyboard.press("Escape");
  await button(page, "Liste des champs").focus();
  await page.keyboard.press("?");
  await expectVisible(modal(page, "Raccourcis clavier"));
  await lookAt(page, "55-placement-keys");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
