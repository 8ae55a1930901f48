import { expect, type Page } from "@playwright/test";
import { makeContract } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectInSight,
  expectVisible,
  modal,
  nextFrames,
  region,
} from "../support/controls.ts";

/** 1280 × 1024 at 400 %, less the scroll bar (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 305, height: 256 };
const UPRIGHT = { width: 390, height: 844 };
const LYING = { width: 844, height: 390 };
const SENDER = person("clemence.reflow", "Clémence Aubry-Lefèvre");
const COME = invitee("come", "Côme Œuvrard");
const MAELYS = invitee("maelys", "Maëlys N’Guessan");

const stage = useSenderStage(SENDER);
let draft: string;

test.beforeAll(async () => {
  const pdf = await makeContract("Avenant au bail");
  const wanted = { title: "Avenant au bail", pdf, guests: [COME, MAELYS] };
  draft = (await story.createEnvelope(stage.sender, wanted)).id;
});

const sideways = (page: Page) =>
  page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );

test("the preparation and the ways to a signature fit a window at 400 % @desk", async ({
  page,
}) => {
  await stage.signIn(page);
  await test.step("the preparation at 400 %", () => expectPreparationToFit(page));
  await test.step("the ways to a signature are read to the end at 320 pixels", () =>
    expectWaysToFit(page));
});

test("a phone on its side has the tools beside the pages @touch", async ({ page }) => {
  await stage.signIn(page);
  await expectToolsBesidePages(page);
});

test("an envelope of two files keeps its words apart on a phone @touch", async ({ page }) => {
  const annex = await makeContract("annexe");
  const guests = [COME, MAELYS];
  const id = await stage.send("Avenant et annexe", guests, { annex, flow: "sequential" });
  await stage.signIn(page);
  await page.setViewportSize(UPRIGHT);
  await page.goto(`/signature/detail/${id}`);
  const title = page.getByRole("heading", { level: 2, name: "Document" });
  const choice = page.getByRole("combobox", { name: "Fichier affiché" });
  await choice.scrollIntoViewIfNeeded();
  const [words, files] = await Promise.all([title.boundingBox(), choice.boundingBox()]);
  const isBeside = (files?.x ?? 0) >= (words?.x ?? 0) + (words?.width ?? 0);
  const isBelow = (files?.y ?? 0) >= (words?.y ?? 0) + (words?.height ?? 0);
  expect(isBeside || isBelow).toBe(true);
  const waiting = await exactText(page, MAELYS.full_name).boundingBox();
  expect(waiting?.height).toBeLessThan(32);
  // After the press the button is disabled and says until when.
  const remind = button(page, "Envoyer un rappel");
  await remind.press("Enter");
  await page.keyboard.press("Enter");
  await expect(remind).toHaveAttribute("aria-disabled", "true");
  const tooltip = await page.getByRole("tooltip").boundingBox();
  expect(tooltip?.x).toBeGreaterThanOrEqual(0);
  expect((tooltip?.x ?? 0) + (tooltip?.width ?? 0)).toBeLessThanOrEqual(UPRIGHT.width);
});

async function expectPreparationToFit(page: Page): Promise<void> {
  await page.setViewportSize(ZOOMED);
  for (const [step, heading] of [
    ["documents", "Documents"],
    ["destinataires", "Destinataires"],
    ["envoi", "Vérifier et envoyer"],
    ["champs", "Placer les champs"],
  ] as const) {
    await page.goto(`/signature/workflow/${draft}?etape=${step}`);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeAttached();
    expect(await sideways(page), step).toBeLessThanOrEqual(0);
  }
  const pages = region(page, "Document").first();
  await expectVisible(pages);
  expect((await pages.boundingBox())?.height).toBeGreaterThan(120);
  const next = button(page, "Continuer").last();
  await next.scrollIntoViewIfNeeded();
  const box = await next.boundingBox();
  expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThanOrEqual(ZOOMED.height);
  await next.click();
  await expectVisible(page.getByRole("heading", { level: 1, name: "Vérifier et envoyer" }));
}

/** A field can be placed without scrolling the window. */
async function expectToolsBesidePages(page: Page): Promise<void> {
  await page.setViewportSize(LYING);
  await page.goto(`/signature/workflow/${draft}?etape=champs`);
  for (const name of ["Liste des champs", "Continuer"])
    await expectInSight(button(page, name).filter({ visible: true }));
  await expect(page.locator("[data-pdf-page='1']")).toBeInViewport();
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  const placed = button(page, /^Nom de .*, page 1,/);
  await placed.evaluate((field) =>
    (field as unknown as { scrollIntoView(how: object): void }).scrollIntoView({ block: "end" }),
  );
  await placed.click();
  const bar = page.getByRole("toolbar", { name: "Actions sur le champ" });
  await expectInSight(bar);
  // Without the focus the selected field stays in sight as well.
  await placed.evaluate((field) => (field as unknown as { blur(): void }).blur());
  for (const size of [UPRIGHT, LYING, UPRIGHT]) {
    await page.setViewportSize(size);
    await nextFrames(page);
    await expectInSight(placed);
  }
  await expectNameWhole(page);
}

async function expectNameWhole(page: Page): Promise<void> {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ] as const) {
    await page.setViewportSize({ width, height });
    const person = page.getByLabel("Champs pour").filter({ visible: true });
    await person.selectOption({ label: MAELYS.full_name });
    const room = await page.evaluate<number>(`(() => {
      const select = [...document.querySelectorAll("select")].find((one) => one.value !== "" && one.checkVisibility());
      const { font, paddingLeft, paddingRight } = getComputedStyle(select);
      const pen = new OffscreenCanvas(1, 1).getContext("2d");
      pen.font = font;
      const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return room - pen.measureText(select.selectedOptions[0].text).width;
    })()`);
    expect(room, `${width} px`).toBeGreaterThanOrEqual(0);
  }
}

async function expectWaysToFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`/signature/workflow/${draft}?etape=champs`);
  const person = page.getByLabel("Champs pour").filter({ visible: true });
  await expectVisible(person);
  expect((await person.boundingBox())?.width).toBeGreaterThan(110);
  await page.goto("/signature/saved-signatures");
  await button(page, "Nouvelle signature").first().click();
  const ways = modal(page, "Nouvelle signature").getByRole("tablist");
  await expect(ways.getByRole("tab")).toHaveText(["Dessiner", "Saisir", "Importer"]);
  const hidden = await ways.evaluate((list) => {
    const { scrollWidth, clientWidth } = list as unknown as {
      readonly scrollWidth: number;
      readonly clientWidth: number;
    };
    return scrollWidth - clientWidth;
  });
  expect(hidden).toBe(0);
}
