import { expect, type Page } from "@playwright/test";
import { everythingCanBeHit } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { button, expectInSight, expectVisible, region } from "../support/controls.ts";

const SENDER = person("edmee", "Edmée Garnier");
const GUESTS = Array.from({ length: 8 }, (_, index) => ({
  email: `invite${index}@exemple.fr`,
  full_name: `Invité ${index}`,
}));
/** 1440 × 900 at 400 %. */
const ZOOMED = { width: 360, height: 225 };

const stage = useSenderStage(SENDER);
let address: string;

test.beforeAll(async () => {
  const { id } = await story.createEnvelope(stage.sender, {
    title: "Avenant au bail",
    pdf: await makeContract("Avenant au bail"),
    annex: await makeContract("Annexe"),
    guests: GUESTS,
  });
  address = `/signature/workflow/${id}`;
});

const bar = (page: Page) => region(page, "Enveloppe en préparation");
const barBottom = async (page: Page) => {
  const box = await bar(page).boundingBox();
  return (box?.y ?? 0) + (box?.height ?? 0);
};

/** Whatever has the focus stands below the sticky bar. */
async function tabUnderBar(page: Page): Promise<void> {
  await page.goto(`${address}?etape=destinataires`);
  await expectVisible(page.getByRole("heading", { level: 1, name: "Destinataires" }));
  await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
  await expect(bar(page).getByText("Avenant au bail")).toBeInViewport();
  await page.getByLabel("Message aux destinataires").focus();
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Shift+Tab");
    const [top, inside] = await page.evaluate<[number, boolean]>(
      "[document.activeElement.getBoundingClientRect().top, document.activeElement.closest('main') !== null]",
    );
    if (!inside) break;
    expect(top).toBeGreaterThanOrEqual((await barBottom(page)) - 1);
  }
}

async function expectNothingStays(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expectVisible(page.getByRole("heading", { level: 1 }));
  const staying = await page.evaluate<string[]>(
    `[...document.querySelectorAll("body *:not([class*=toast])")].filter((element) => ["fixed", "sticky"].includes(getComputedStyle(element).position)
      && element.getBoundingClientRect().height > 1 && element.getBoundingClientRect().top < innerHeight
      && element.getBoundingClientRect().bottom > 0).map((element) => element.className)`,
  );
  expect(staying, path).toEqual([]);
}

async function pressEverything(page: Page): Promise<void> {
  for (const [step, heading] of [
    ["documents", "Documents"],
    ["destinataires", "Destinataires"],
    ["envoi", "Vérifier et envoyer"],
    ["champs", "Placer les champs"],
  ] as const) {
    await page.goto(`${address}?etape=${step}`);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeAttached();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await everythingCanBeHit(page, step);
  }
  const choice = page.getByLabel("Document affiché");
  await expect(page.locator("[data-field]")).not.toHaveCount(0);
  await choice.click();
  await choice.selectOption({ index: 1 });
  await expect(page.locator("[data-field]")).toHaveCount(0);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  for (const select of await page.locator("select").filter({ visible: true }).all())
    expect(
      (await select.boundingBox())?.width,
      (await select.getAttribute("id")) ?? "",
    ).toBeGreaterThan(120);
  await page.setViewportSize({ width: 390, height: 844 });
  expect((await choice.boundingBox())?.width).toBeGreaterThan(350);
  if (size) await page.setViewportSize(size);
}

/** On a phone on its side the way on stays in sight, and half of the window is the step's. */
async function expectLowBars(page: Page): Promise<void> {
  for (const size of [
    { width: 844, height: 390 },
    { width: 667, height: 331 },
  ]) {
    await page.setViewportSize(size);
    for (const [step, heading, act] of [
      ["documents", "Documents", "Continuer"],
      ["destinataires", "Destinataires", "Continuer"],
      ["champs", "Placer les champs", "Continuer"],
      ["envoi", "Vérifier et envoyer", "Envoyer"],
    ] as const) {
      await page.goto(`${address}?etape=${step}`);
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeAttached();
      const next = button(page, act).filter({ visible: true });
      for (const end of ["0", "document.documentElement.scrollHeight"]) {
        await page.evaluate(`window.scrollTo(0, ${end})`);
        await expectInSight(next);
        expect(await barBottom(page), step).toBeLessThanOrEqual(size.height / 2);
      }
    }
    await page.goto(`${address}?etape=champs`);
    const pages = await region(page, "Document, pages").boundingBox();
    expect(pages?.height).toBeGreaterThanOrEqual(size.height / 2);
  }
}

test("the editor's bar stays in sight, covers no control and no focus, and does not stick at 400 % @desk", async ({
  page,
}) => {
  await stage.signIn(page);
  for (const size of [
    { width: 1280, height: 720 },
    { width: 390, height: 760 },
  ])
    await test.step(`the bar at ${size.width} pixels`, async () => {
      await page.setViewportSize(size);
      await tabUnderBar(page);
    });
  await test.step("every control of every step can be pressed", () => pressEverything(page));
  await test.step("the bars of a phone on its side", () => expectLowBars(page));
  await page.setViewportSize(ZOOMED);
  for (const path of [`${address}?etape=destinataires`, "/signature/envelopes/sent"])
    await expectNothingStays(page, path);
  await page.goto(`${address}?etape=documents`);
  const title = page.getByLabel("Titre de l’enveloppe");
  const next = button(page, "Continuer").last();
  await expectVisible(title);
  expect((await next.boundingBox())?.y ?? 0).toBeGreaterThan((await title.boundingBox())?.y ?? 0);
  await next.click();
  await expect(page.getByRole("heading", { level: 1, name: "Destinataires" })).toBeAttached();
});
