import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import {
  everythingCanBeHit,
  expectNoSidewaysScroll,
  lookAt,
  MOST_MOVED,
  movedIn,
  MOVES,
} from "../support/look-at.ts";
import { makeContract, pdfFile, place } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { codeIn, isCode, linkIn } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  button,
  exactText,
  expectInSight,
  expectVisible,
  heading,
  link,
  modal,
} from "../support/controls.ts";

const SENDER = person("clemence.phone", "Clémence Aubry-Lefèvre");
const PAUL = invitee("paul", "Paul Martin");
const LEA = invitee("lea", "Léa N'Guessan");
const UPRIGHT = { width: 390, height: 844 };
const LYING = { width: 844, height: 390 };
const TELEPHONE = {
  viewport: UPRIGHT,
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
  reducedMotion: "reduce",
} as const;
const NARROW = { width: 320, height: 640 };

const stage = useSenderStage(SENDER);

async function openAsGuest(context: BrowserContext, id: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(MOVES);
  await page.goto(
    linkIn(
      await stage.mails.waitFor(PAUL.email, ({ text }) => text.includes(`/sign/${id}`)),
      /\/sign\//,
    ).href,
  );
  await page.setViewportSize(LYING);
  await inSight(page, "Recevoir mon code");
  await everythingCanBeHit(page, "the welcome");
  await page.setViewportSize(UPRIGHT);
  await button(page, "Recevoir mon code").tap();
  const code = codeIn(await stage.mails.waitFor(PAUL.email, isCode));
  await everythingCanBeHit(page, "the code");
  await expect(page.getByRole("textbox", { name: /code/i })).toBeFocused();
  await page.keyboard.type(code);
  return page;
}

/** A stroke far beyond the pad's upper edge and back. */
async function drawBeyond(page: Page, pad: Locator): Promise<void> {
  const box = await pad.boundingBox();
  if (!box) throw new Error("no pad to draw on");
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.3, middle);
  await page.mouse.down();
  for (const [x, y] of [
    [0.4, middle - 20],
    [0.5, box.y - 900],
    [0.6, box.y - 900],
    [0.7, middle],
  ] as const)
    await page.mouse.move(box.x + box.width * x, y, { steps: 4 });
  await page.mouse.up();
}

const inSight = (page: Page, name: string) =>
  expectInSight(page.getByRole("button", { name, exact: true }));

async function walkToTheSignature(page: Page): Promise<void> {
  await expect(heading(page, "Bail")).toBeFocused();
  await expectVisible(exactText(page, "Page 1 sur 2"));
  await expect(page.getByText("Article 1 – Objet", { exact: false })).toBeInViewport();
  // Reloaded without a cache: nothing shifts.
  await page.reload();
  await expect(page.getByText("Article 1 – Objet", { exact: false })).toBeInViewport();
  expect(await movedIn(page)).toBeLessThanOrEqual(MOST_MOVED);
  await lookAt(page, "signing-phone-1-open");
  await page.setViewportSize(LYING);
  await inSight(page, "Commencer");
  // Dialogs fit a low window.
  await button(page, "Refuser de signer").tap();
  await inSight(page, "Revenir");
  await button(page, "Revenir").tap();
  const number = button(page, "Page 1 sur 2");
  await number.tap();
  await expectInSight(button(page, "Ajuster à la largeur"));
  await page.keyboard.press("Escape");
  await expect(button(page, "Zoom avant")).toBeHidden();
  await button(page, "Plus d’actions").tap();
  await page.getByRole("button", { name: "Aide", exact: true }).tap();
  await button(modal(page, "Aide"), "Fermer").last().tap();
  await expect(button(page, "Plus d’actions")).toBeFocused();
  await lookAt(page, "signing-phone-1-open-lying");
  await button(page, "Commencer").tap();
  const phone = page.getByRole("textbox", { name: "Téléphone (facultatif)" });
  await expect(phone).toHaveAttribute("inputmode", "tel");
  await expect(phone).toBeFocused();
  await lookAt(page, "signing-phone-1-answer-lying");
  await page.setViewportSize(UPRIGHT);
  await lookAt(page, "signing-phone-1-answer");
  await phone.fill("06 12 34 56 78");
  const answer = button(page, "Téléphone, page 1, 06 12 34 56 78");
  await expectInSight(answer);
  await page.setViewportSize(LYING);
  await expectInSight(answer);
  await expect(phone).toHaveValue("06 12 34 56 78");
  await phone.fill("");
  await everythingCanBeHit(page, "the answer");
  await button(page, "Passer").tap();
  await page.setViewportSize(UPRIGHT);
  await button(page, "Cocher la case").tap();
  const place = button(page, /Signer ici.*Signature, page 2/);
  await expect(place).toBeFocused();
  await expectInSight(place);
  await page.setViewportSize(LYING);
  await expectInSight(place);
  await everythingCanBeHit(page, "the desk");
  const from = page.getByText(/^De .* · 4 pages$/);
  const cut = await from.evaluate((element) => {
    const words = element as unknown as Record<
      "scrollWidth" | "clientWidth" | "scrollHeight" | "clientHeight",
      number
    >;
    return Math.max(words.scrollWidth - words.clientWidth, words.scrollHeight - words.clientHeight);
  });
  // A letter may stand out of its box by a pixel.
  expect(cut).toBeLessThan(4);
  await button(page, "Poser ma signature").tap();
}

async function expectLargePad(page: Page, pad: Locator): Promise<void> {
  const isLying = page.viewportSize()?.width === LYING.width;
  const box = await pad.boundingBox();
  const { width, height } = isLying ? { width: 600, height: 366 } : { width: 350, height: 560 };
  expect(box?.width).toBeGreaterThanOrEqual(width);
  expect(box?.height).toBeGreaterThanOrEqual(height);
  const hint = isLying
    ? "Au doigt, au stylet ou à la souris."
    : "Tournez le téléphone pour plus de place\u00a0: le tracé reste.";
  await expectInSight(pad.getByText(hint));
}

async function expectWholeScreen(page: Page, dialog: Locator): Promise<void> {
  const { width, height } = page.viewportSize() ?? UPRIGHT;
  expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width, height });
  for (const name of ["Fermer", "Effacer", "Utiliser cette signature"])
    await expectInSight(dialog.getByRole("button", { name, exact: true }));
  await expect(dialog.getByRole("button", { name: "Annuler", exact: true })).toBeHidden();
}

test("one button leads a guest from page one to the end in both orientations, with a pad as large as the phone @touch", async ({
  browser,
}) => {
  const low = { x: 0.1, y: 0.7, width: 0.3 };
  const fields = [
    place("text", 0, { ...low, label: "Téléphone", required: false }),
    place("checkbox", 0, {
      page: 2,
      x: 0.1,
      y: 0.6,
      width: 0.04,
      height: 0.03,
      label: "J’accepte",
    }),
    place("signature", 0, { ...low, page: 2, x: 0.6 }),
  ];
  const id = await stage.send("Bail", [PAUL], { annex: await makeContract("annexe"), fields });
  const context = await browser.newContext(TELEPHONE);
  const page = await openAsGuest(context, id);
  await expect(link(page, "Aller au contenu")).toBeAttached();
  await walkToTheSignature(page);
  const dialog = modal(page, "Votre signature");
  const pad = dialog.getByTestId("signature-pad");
  await page.setViewportSize(UPRIGHT);
  await expectWholeScreen(page, dialog);
  await expectLargePad(page, pad);
  await drawBeyond(page, pad);
  await lookAt(page, "signing-phone-2-drawn");
  await everythingCanBeHit(page, "the sheet to sign on");
  await page.setViewportSize(LYING);
  await expectLargePad(page, pad);
  await expect(pad.locator("path")).not.toHaveCount(0);
  await expectWholeScreen(page, dialog);
  const tabs = await Promise.all(
    (await dialog.getByRole("tab").all()).map((tab) => tab.boundingBox()),
  );
  expect(new Set(tabs.map((tab) => tab?.x)).size).toBe(1);
  await lookAt(page, "signing-phone-3-lying");
  await page.setViewportSize(UPRIGHT);
  await button(dialog, "Utiliser cette signature").tap();
  // Each document has to be read, with or without fields.
  const choice = page.getByRole("combobox", { name: "Document affiché" });
  const shown = choice.locator("option:checked");
  await expect(shown).toHaveText("1 sur 2 · contrat de prestation.pdf (2 pages)");
  expect((await choice.boundingBox())?.width).toBeGreaterThan(0.9 * UPRIGHT.width);
  await button(page, "Document suivant").tap();
  await expect(shown).toHaveText("2 sur 2 · annexe.pdf (2 pages)");
  await expectVisible(exactText(page, "Page 1 sur 2"));
  const sheet = await page.locator("[data-pdf-page='1']").boundingBox();
  expect((sheet?.x ?? 0) + (sheet?.width ?? 0)).toBeLessThanOrEqual(UPRIGHT.width);
  await lookAt(page, "signing-phone-4-second-file");
  await everythingCanBeHit(page, "the consent");
  await page
    .getByRole("checkbox", {
      name: "J’ai lu les 2 documents et j’accepte de les signer électroniquement.",
    })
    .tap();
  await page.getByRole("button", { name: "Signer", exact: true }).tap();
  await expect(heading(page, "Signature réussie !")).toBeVisible({
    timeout: 40_000,
  });
  await page.setViewportSize(LYING);
  await expectInSight(button(page, /^Télécharger les 2\sdocuments signés$/));
  await lookAt(page, "signing-phone-5-success-lying");
  await page.setViewportSize(NARROW);
  await lookAt(page, "signing-phone-5-success-320");
  await expectNoSidewaysScroll(page);
  await everythingCanBeHit(page, "the success");
  await context.close();
});

const TOUCHES = `globalThis.touches = [];
addEventListener("pointerdown", ({ target }) => globalThis.touches.push(target.closest("button, a, label, [data-testid]")?.textContent.trim() ?? ""), true)`;

const WRITTEN_FIELDS = `[...document.querySelectorAll("[data-field] > :is(button, [role=img])")]
  .filter((face) => face.textContent !== "")
  .map((face) => ({
    words: face.textContent,
    hasGround: !/[,/] 0\\)$/.test(getComputedStyle(face).backgroundColor),
    isCut: [...face.querySelectorAll("span")].some((words) => words.scrollWidth > words.clientWidth),
  }))`;

async function expectLegibleFields(page: Page): Promise<void> {
  await expectVisible(button(page, /^Date, page 1/));
  const look = { hasGround: true, isCut: false };
  expect(await page.evaluate(WRITTEN_FIELDS)).toEqual([
    { ...look, words: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/) },
    { ...look, words: "Autre signataire" },
    { ...look, words: "Paul Martin" },
    { ...look, words: "Autre signataire" },
    { ...look, words: "Signer ici" },
  ]);
}

test("a guest signs in six touches from the mailed link @touch", async ({ browser }) => {
  const id = await stage.send("Mandat", [PAUL, LEA], {
    fields: [
      // This field lies on the words of the page.
      place("date", 0, { x: 0.1, y: 0.12, width: 0.2, height: 0.03 }),
      place("text", 1, { x: 0.1, y: 0.5, width: 0.13, height: 0.05 }),
      place("signature", 1, { x: 0.6, y: 0.7, width: 0.3 }),
      place("name", 0, { x: 0.5, y: 0.5, width: 0.12, height: 0.05 }),
      place("signature", 0, { page: 2, x: 0.1, y: 0.7, width: 0.3 }),
    ],
  });
  const context = await browser.newContext(TELEPHONE);
  await context.addInitScript(TOUCHES);
  const page = await openAsGuest(context, id);
  await expectLegibleFields(page);
  await button(page, "Commencer").tap();
  const pad = page.getByTestId("signature-pad");
  await drawBeyond(page, pad);
  await button(page, "Utiliser cette signature").tap();
  await page.getByRole("checkbox", { name: /J’ai lu le document/ }).tap();
  await page.getByRole("button", { name: "Signer", exact: true }).tap();
  await expect(heading(page, "Signature réussie !")).toBeVisible({
    timeout: 40_000,
  });
  // The stroke on the pad is one of them.
  expect(await page.evaluate("globalThis.touches.length")).toBe(6);
  await context.close();
});

test("the button and the meaning of signing alone are in sight at 390 and 320 px @touch", async ({
  page,
}) => {
  await stage.signIn(page);
  await page.goto("/signature/self-sign");
  const file = pdfFile("contrat.pdf", await makeContract("4"));
  await page.getByLabel("Déposez votre PDF ici").setInputFiles(file);
  await expectVisible(page.getByRole("group", { name: "Page 2 sur 2" }));
  for (const size of [UPRIGHT, NARROW]) {
    await page.setViewportSize(size);
    const act = button(page, "Signer le document");
    await expectInSight(act);
    for (const shown of [act, page.getByText(/^En signant, vous confirmez/)]) {
      const box = await shown.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(size.width);
    }
    await lookAt(page, `self-sign-dock-${size.width}`);
  }
});
