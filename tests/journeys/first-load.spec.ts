import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import { makeContract } from "../support/make-contract.ts";
import { MOST_MOVED, movedIn, MOVES } from "../support/look-at.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { codeIn, isCode, linkIn } from "../support/start-mail-server.ts";
import { createEnvelope } from "../support/story.ts";
import { button, exactText, expectVisible, heading } from "../support/controls.ts";

const SENDER = person("solene.load", "Solène Guérin");
const GUEST = invitee("maelys", "Maëlys N'Guessan");

/** A phone's pixel density, at which pictures weigh more. */
test.use({ deviceScaleFactor: 2 });

const stage = useSenderStage(SENDER);

async function makeDraft(title: string): Promise<string> {
  const { id } = await createEnvelope(stage.sender, {
    title,
    pdf: await makeContract("1"),
    guests: [GUEST],
  });
  return id;
}

const ENGINE = /\/assets\/(open-pdf-|pdf\.worker)/;

/** Scripts asked for so far, in kB (1 000 bytes) transferred, those of `apart` left out. */
function scriptKb(page: Page, apart = ENGINE): Promise<number> {
  return page.evaluate<number>(
    `performance.getEntriesByType("resource").filter(({ name }) => /\\.m?js$/.test(name) && !${apart}.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000`,
  );
}

/** A page with nothing stored, whose PDF engine waits for `letEngineCome`. */
async function openWithoutEngine(context: BrowserContext) {
  const page = await context.newPage();
  const asked: string[] = [];
  const gate = Promise.withResolvers<void>();
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await page.route(ENGINE, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const picture = page.locator('[data-pdf-page="1"] img');
  return { page, asked, picture, letEngineCome: () => gate.resolve() };
}

/** Position once scrolling has stopped. */
async function stillPlace(element: Locator) {
  let place = await element.boundingBox();
  await expect(async () => {
    const before = place;
    await element.page().waitForTimeout(200);
    place = await element.boundingBox();
    expect(place).toEqual(before);
  }).toPass();
  return place;
}

/** The drawn page takes the picture's place. */
async function expectTakenOver(
  page: Page,
  picture: Locator,
  letEngineCome: () => void,
): Promise<void> {
  const place = await stillPlace(picture);
  expect(
    await picture.evaluate((image: { readonly naturalWidth?: number }) => image.naturalWidth),
  ).toBeGreaterThan(500);
  letEngineCome();
  await expect(page.getByText("CONTRAT DE PRESTATION DE SERVICES")).toBeAttached();
  expect(await page.locator('[data-pdf-page="1"] canvas').boundingBox()).toEqual(place);
}

test("a first load has at most 180 kB of script @touch", async ({ page }) => {
  const sentId = await stage.send("Ancien contrat", [GUEST]);
  await stage.signIn(page);
  for (const [path, title] of [
    ["/signature/upload", "Documents"],
    [`/signature/detail/${sentId}`, "Ancien contrat"],
  ] as const) {
    await page.goto(path);
    await expectVisible(heading(page, title));
    // Late requests count too.
    await page.waitForTimeout(1_500);
    const weight = await scriptKb(page);
    expect.soft(weight, path).toBeGreaterThan(100);
    expect.soft(weight, path).toBeLessThanOrEqual(180);
  }
});

test("a guest reads page one and begins before the PDF engine, in 12 requests; with the engine the script has at most 180 kB @touch", async ({
  browser,
}) => {
  const id = await stage.send("Bail", [GUEST]);
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const first = await context.newPage();
  const { href } = linkIn(
    await stage.mails.waitFor(GUEST.email, ({ text }) => text.includes(`/sign/${id}`)),
    /\/sign\//,
  );
  await first.goto(href);
  await button(first, "Recevoir mon code").tap();
  await first
    .getByRole("textbox", { name: /code/i })
    .fill(codeIn(await stage.mails.waitFor(GUEST.email, isCode)));
  await expectVisible(button(first, "Commencer"));
  await first.close();
  // Opened again, the page asks for everything together.
  const { page, asked, picture, letEngineCome } = await openWithoutEngine(context);
  await page.addInitScript(MOVES);
  await page.goto(href);
  await expectVisible(picture, button(page, "Commencer"));
  expect(asked.filter((path) => !ENGINE.test(path)).length, asked.join("\n")).toBeLessThanOrEqual(
    12,
  );
  const weight = await scriptKb(page);
  expect(weight).toBeGreaterThan(80);
  expect(weight).toBeLessThanOrEqual(180);
  await button(page, "Commencer").tap();
  await expect(page.getByRole("textbox", { name: "Fait à (facultatif)" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expectTakenOver(page, picture, letEngineCome);
  expect(await movedIn(page)).toBeLessThanOrEqual(MOST_MOVED);
  // Counts the engine and what it loads, except its worker's thread.
  await page.waitForTimeout(1_500);
  expect(await scriptKb(page, /pdf\.worker/)).toBeLessThanOrEqual(180);
  await context.close();
});

test("page one can take fields before the PDF engine, with at most 260 kB of script @touch", async ({
  page: signedIn,
}) => {
  const id = await makeDraft("Contrat");
  await stage.signIn(signedIn);
  const { page, picture, letEngineCome } = await openWithoutEngine(signedIn.context());
  await page.goto(`/signature/workflow/${id}?etape=documents`);
  await expectVisible(page.locator("[data-file] img, li img").first());
  await page.addInitScript(MOVES);
  await page.goto(`/signature/workflow/${id}?etape=champs`);
  await expectVisible(picture, button(page, "Continuer"));
  const weight = await scriptKb(page);
  expect(weight).toBeGreaterThan(100);
  expect(weight).toBeLessThanOrEqual(260);
  await expectTakenOver(page, picture, letEngineCome);
  expect(await movedIn(page)).toBeLessThanOrEqual(MOST_MOVED);
});

test("a step whose script fails says so, keeps what was typed, and opens on a new try @desk", async ({
  page,
}) => {
  const id = await makeDraft("Contrat");
  await stage.signIn(page);
  const lost = /\/assets\/send-step-[^/]*\.js$/;
  await page.route(lost, (route) => route.abort());
  await page.goto(`/signature/workflow/${id}?etape=destinataires`);
  await page.getByLabel("Message aux destinataires (facultatif)").fill("Bonjour");
  await page.goto(`/signature/workflow/${id}?etape=envoi`);
  await expectVisible(
    page.getByText("Cette partie de la page n’a pas pu être chargée."),
    exactText(page, "Contrat").first(),
  );
  await page.unroute(lost);
  await button(page, "Réessayer").click();
  const again = button(page, "Recharger la page");
  // Some browsers ask again, others remember the failure.
  await expectVisible(again.or(heading(page, "Vérifier et envoyer")));
  if (await again.isVisible()) await again.click();
  await expectVisible(heading(page, "Vérifier et envoyer"), page.getByText("Bonjour"));
});
