import { type CDPSession, expect } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import {
  boxOf,
  field,
  fields,
  middle,
  palette,
  type Scroller,
  usePlacementStage,
} from "../support/placement-stage.ts";
import { test } from "../support/stories.ts";
import { button, expectInSight, expectText, expectVisible, region } from "../support/controls.ts";

const { expectSaved, makeDraft, openFields, read } = usePlacementStage();

function fingers(cdp: CDPSession) {
  const send = (
    type: "touchStart" | "touchMove" | "touchEnd",
    points: { x: number; y: number }[],
  ) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map((point, id) => ({ ...point, id })),
    });
  return {
    down: (...points: { x: number; y: number }[]) => send("touchStart", points),
    move: (...points: { x: number; y: number }[]) => send("touchMove", points),
    up: () => send("touchEnd", []),
    async slide(from: { x: number; y: number }, to: { x: number; y: number }) {
      for (let step = 1; step <= 8; step += 1)
        await send("touchMove", [
          { x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 },
        ]);
    },
  };
}

test("fields are placed with a finger", { tag: "@touch" }, async ({ page, context }) => {
  const draft = await makeDraft({ "contrat.pdf": makePdf({ pages: 3 }) });
  await openFields(page, draft.id);
  const finger = fingers(await context.newCDPSession(page));
  const sheet = await boxOf(page.locator("[data-pdf-page='1']"));
  const at = (x: number, y: number) => ({
    x: sheet.x + sheet.width * x,
    y: sheet.y + sheet.height * y,
  });

  await palette(page, "Signature").tap();
  await expectText(page, "Placez «\u00a0Signature\u00a0» sur la page");
  await lookAt(page, "58-placement-tool-in-hand");
  await page.touchscreen.tap(at(0.4, 0.2).x, at(0.4, 0.2).y);
  await expect(fields(page)).toHaveCount(1);
  await palette(page, "Date").tap();
  await finger.down(at(0.2, 0.35));
  await finger.slide(at(0.2, 0.35), at(0.6, 0.4));
  await finger.up();
  await expect(fields(page)).toHaveCount(2);
  await lookAt(page, "59-placement-touch");
  await expectNoSidewaysScroll(page);
  await expectSaved(draft.id, (saved) =>
    expect(saved.find(({ type }) => type === "date")?.width).toBeCloseTo(0.4, 1),
  );

  const signature = field(page, /^Signature de/);
  const placed = (await read(draft.id)).fields;
  const start = middle(await boxOf(signature));
  await finger.down(start);
  await finger.slide(start, { x: start.x, y: start.y - 80 });
  await finger.up();
  const pages = region(page, "Document, pages");
  await expect
    .poll(() => pages.evaluate((element) => (element as unknown as Scroller).scrollTop))
    .toBeGreaterThan(20);
  // Scrolling goes on for a moment.
  await expect(async () => {
    await pages.evaluate((element) => (element as unknown as Scroller).scrollTo({ top: 0 }));
    await page.waitForTimeout(150);
    expect(await pages.evaluate((element) => (element as unknown as Scroller).scrollTop)).toBe(0);
  }).toPass({ timeout: 15_000 });
  expect((await read(draft.id)).fields).toEqual(placed);
  await finger.down(start);
  await expect(signature).toHaveAttribute("aria-pressed", "true");
  await finger.slide(start, at(0.6, 0.3));
  await expect(page.locator("[data-loupe]")).toBeInViewport();
  await lookAt(page, "59-placement-loupe");
  await finger.up();
  await expect(page.locator("[data-loupe]")).toHaveCount(0);
  await expectSaved(draft.id, (saved) => {
    const moved = saved.find(({ type }) => type === "signature");
    expect((moved?.x ?? 0) + (moved?.width ?? 0) / 2).toBeCloseTo(0.6, 1);
    expect((moved?.y ?? 0) + (moved?.height ?? 0) / 2).toBeCloseTo(0.3, 1);
  });

  const saved = (await read(draft.id)).fields;
  const under = middle(await boxOf(signature));
  const saves: string[] = [];
  page.on("request", (request) => request.method() === "PATCH" && saves.push(request.url()));
  await page.clock.install();
  await finger.down(under);
  await finger.down(under, { x: under.x, y: under.y + 120 });
  for (let step = 1; step <= 6; step += 1)
    await finger.move(
      { x: under.x, y: under.y - 8 * step },
      { x: under.x, y: under.y + 120 + 8 * step },
    );
  await finger.up();
  // Longer than the delay of autosave.
  await page.clock.runFor(1_500);
  expect(saves).toEqual([]);
  expect((await read(draft.id)).fields).toEqual(saved);

  await pages.evaluate((element) => (element as unknown as Scroller).scrollTo({ top: 0 }));
  const held = middle(await boxOf(signature));
  const room = await boxOf(pages);
  await finger.down(held);
  await finger.slide(held, { x: held.x, y: room.y + room.height - 8 });
  await expectText(page, "Page 2 sur 3");
  // The page number follows the middle of the window.
  await finger.move({ x: held.x, y: room.y + room.height * 0.75 });
  await finger.up();
  await expectSaved(draft.id, (after) =>
    expect(after.find(({ type }) => type === "signature")?.page).toBeGreaterThan(1),
  );

  await button(
    page.getByRole("toolbar", { name: "Actions sur le champ" }),
    "Propriétés du champ",
  ).tap();
  await lookAt(page, "60-placement-properties");
  await page.keyboard.press("Escape");
  await button(page, "Liste des champs").tap();
  await button(page, "Enregistrer cette disposition").tap();
  await page.getByLabel("Nom de la disposition").fill("Au doigt");
  await page.getByRole("button", { name: "Enregistrer", exact: true }).tap();
  await button(page, "Liste des champs").tap();
  await lookAt(page, "60-placement-list");
  await expectInSight(button(page, /^Supprimer : /).first());
  // Each field is a card, and nothing stands beside the window.
  const table = page.getByRole("table", { name: /^Champs placés/ });
  expect(await table.evaluate((node) => node.parentElement?.scrollWidth)).toBe(
    await table.evaluate((node) => node.parentElement?.clientWidth),
  );
  await button(page, "Appliquer une disposition").tap();
  await expectVisible(button(page, "Appliquer Au doigt"));
  await lookAt(page, "60-placement-layouts");
  await expectNoSidewaysScroll(page);
});
