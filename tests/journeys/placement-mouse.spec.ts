import { expect } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import {
  boxOf,
  drag,
  field,
  fields,
  GUESTS,
  middle,
  palette,
  said,
  type Scroller,
  usePlacementStage,
} from "../support/placement-stage.ts";
import { test } from "../support/stories.ts";
import { button, expectText, expectVisible, region } from "../support/controls.ts";

const { expectSaved, makeDraft, openFields } = usePlacementStage();

test("fields are placed with the mouse", { tag: "@desk" }, async ({ page }) => {
  const draft = await makeDraft({ "contrat.pdf": makePdf({ pages: 3 }) });
  await openFields(page, draft.id);
  const sheet = await boxOf(page.locator("[data-pdf-page='1']"));
  const at = (x: number, y: number) => ({
    x: sheet.x + sheet.width * x,
    y: sheet.y + sheet.height * y,
  });

  const tool = middle(await boxOf(palette(page, "Signature")));
  await drag(page, tool, { x: tool.x + 40, y: tool.y + 60 });
  await expectVisible(page.locator("[data-outside]"));
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(fields(page)).toHaveCount(0);
  await drag(page, tool, at(0.4, 0.3));
  await expect(page.locator("[data-outside]")).toHaveCount(0);
  await page.mouse.up();
  await expect(fields(page)).toHaveCount(1);
  await expectSaved(draft.id, ([saved]) => {
    expect((saved?.x ?? 0) + (saved?.width ?? 0) / 2).toBeCloseTo(0.4, 2);
    expect((saved?.y ?? 0) + (saved?.height ?? 0) / 2).toBeCloseTo(0.3, 2);
  });

  await palette(page, "Date").click();
  await page.mouse.move(at(0.6, 0.4).x, at(0.6, 0.4).y);
  await expectVisible(page.locator("[data-state='ghost']"));
  await page.mouse.click(at(0.6, 0.4).x, at(0.6, 0.4).y);
  await palette(page, "Texte").click();
  // Near the window's foot a drag scrolls.
  await drag(page, at(0.2, 0.44), at(0.5, 0.5));
  await page.mouse.up();
  await expect(fields(page)).toHaveCount(3);
  await expectSaved(draft.id, (saved) => {
    expect(saved.find(({ type }) => type === "text")?.width).toBeCloseTo(0.3, 2);
    expect(saved.find(({ type }) => type === "text")?.x).toBeCloseTo(0.2, 2);
  });

  const pages = region(page, "Document, pages");
  const scrollTo = (to: number) =>
    pages.evaluate((element, top) => (element as unknown as Scroller).scrollTo({ top }), to);
  await scrollTo(200);
  await palette(page, "Nom").click();
  await page.mouse.click(at(0.7, 0.5).x, at(0.7, 0.5).y);
  await expectSaved(draft.id, (saved) => expect(saved).toHaveLength(4));
  await expectText(page, /^Brouillon enregistré à /);
  expect(await pages.evaluate((element) => (element as unknown as Scroller).scrollTop)).toBe(200);
  await page.keyboard.press("Delete");
  await expect(fields(page)).toHaveCount(3);
  await scrollTo(0);

  const text = field(page, /^Texte de/);
  const from = middle(await boxOf(text));
  const toMargin = { x: from.x + (0.097 - 0.2) * sheet.width, y: from.y };
  await drag(page, from, toMargin);
  await expectVisible(page.locator("[data-axis='x']"));
  await lookAt(page, "56-placement-guide");
  await page.mouse.up();
  await expectSaved(draft.id, (saved) =>
    expect(saved.find(({ type }) => type === "text")?.x).toBe(0.095),
  );
  const corner = middle(await boxOf(page.locator("[data-handle='se']")));
  await drag(page, corner, { x: corner.x + 40, y: corner.y + 20 });
  await page.mouse.up();
  await expectSaved(draft.id, (saved) =>
    expect(saved.find(({ type }) => type === "text")?.width).toBeGreaterThan(0.33),
  );

  await drag(page, at(0.02, 0.12), at(0.95, 0.75));
  await page.mouse.up();
  await said(page, "3 champs sélectionnés");
  await button(page.getByRole("toolbar", { name: "Actions sur le champ" }), "Aligner").click();
  await page.getByRole("menuitem", { name: "Aligner à gauche" }).click();
  await button(
    page.getByRole("complementary", { name: "Propriétés du champ" }),
    "Répartir en hauteur",
  ).click();
  await page
    .getByRole("complementary", { name: "Propriétés du champ" })
    .getByLabel("Attribués à")
    .selectOption({ label: GUESTS[1]?.full_name ?? "" });
  await lookAt(page, "57-placement-several");
  await expectSaved(draft.id, (saved) => {
    expect(new Set(saved.map(({ x }) => x)).size).toBe(1);
    expect(saved.every(({ recipient_id }) => recipient_id === draft.recipients[1]?.id)).toBe(true);
    const [first, second, third] = [...saved].sort((a, b) => a.y - b.y);
    const rooms = [
      (second?.y ?? 0) - (first?.y ?? 0) - (first?.height ?? 0),
      (third?.y ?? 0) - (second?.y ?? 0) - (second?.height ?? 0),
    ];
    expect(rooms[0]).toBeCloseTo(rooms[1] ?? 0, 3);
  });

  await page.keyboard.press("Escape");
  await field(page, /^Date de/).click();
  await field(page, /^Signature de/).click({ modifiers: ["Shift"] });
  await said(page, "2 champs sélectionnés");
  const grabbed = middle(await boxOf(field(page, /^Date de/)));
  const room = await boxOf(region(page, "Document, pages"));
  await drag(page, grabbed, { x: grabbed.x, y: room.y + room.height - 10 });
  await expectText(page, "Page 2 sur 3");
  await page.mouse.move(grabbed.x, room.y + room.height / 2, { steps: 4 });
  await page.mouse.up();
  await expectSaved(draft.id, (saved) =>
    expect(saved.map(({ type, page: number }) => [type, number]).sort()).toEqual([
      ["date", 2],
      ["signature", 2],
      ["text", 1],
    ]),
  );
  await expectNoSidewaysScroll(page);

  await button(page, "Enregistrer cette disposition").click();
  await page.getByLabel("Nom de la disposition").fill("Contrat, trois champs");
  await page.keyboard.press("Enter");
  await expectText(page, /Disposition .* enregistrée\./);
  const shorter = await makeDraft({ "annexe.pdf": makePdf({ pages: 1, text: "Annexe" }) });
  await page.goto(new URL(`/signature/workflow/${shorter.id}?etape=champs`, page.url()).href);
  await button(page, "Appliquer une disposition").click();
  await expectVisible(button(page, "Appliquer Contrat, trois champs"));
  await lookAt(page, "57-placement-layouts");
  await button(page, "Appliquer Contrat, trois champs").click();
  await expectText(page, /Disposition appliquée.*1 champ placé\./, /2 champs laissés de côté/);
  await expectSaved(shorter.id, (saved) =>
    expect(
      saved.map(({ type, page: number, recipient_id }) => [type, number, recipient_id]),
    ).toEqual([["text", 1, shorter.recipients[1]?.id]]),
  );
});
