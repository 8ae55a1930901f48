import { expect, type Locator } from "@playwright/test";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import {
  boxOf,
  palette,
  said,
  type Scroller,
  usePlacementStage,
} from "../support/placement-stage.ts";
import { test } from "../support/stories.ts";
import { button, expectInSight, expectText, expectVisible, region } from "../support/controls.ts";

const { expectSaved, makeDraft, openFields } = usePlacementStage();

type Browser = { requestAnimationFrame(step: (now: number) => void): void };

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const SCROLL_MS = 2_500;

type Seen = {
  readonly standing: number;
  readonly drawn: number;
  readonly slowest: number;
  readonly frames: number;
  readonly seconds: number;
};

/** Scrolls; gives the most pages in the DOM and drawn, and the frames. */
function scroll(pages: Locator): Promise<Seen> {
  return pages.evaluate(
    (element, scrollMs) =>
      new Promise<Seen>((resolve) => {
        const scroller = element as unknown as Scroller;
        const nextFrame = (step: (now: number) => void) =>
          (globalThis as unknown as Browser).requestAnimationFrame(step);
        const started = performance.now();
        let [standing, drawn, slowest, frames, last] = [0, 0, 0, 0, started];
        const step = (now: number) => {
          slowest = Math.max(slowest, now - last);
          last = now;
          frames += 1;
          scroller.scrollTop += 25;
          standing = Math.max(standing, scroller.querySelectorAll("[data-pdf-page]").length);
          drawn = Math.max(drawn, scroller.querySelectorAll("canvas").length);
          if (now - started < scrollMs) nextFrame(step);
          else resolve({ standing, drawn, slowest, frames, seconds: (now - started) / 1_000 });
        };
        nextFrame(step);
      }),
    SCROLL_MS,
  );
}

test("300 pages with a field each stay smooth on a desk and on a phone @desk", async ({
  page,
  context,
}, info) => {
  const draft = await makeDraft({ "registre.pdf": makePdf({ pages: 300 }) });
  await openFields(page, draft.id);
  await palette(page, "Paraphe").click();
  const sheet = await boxOf(page.locator("[data-pdf-page='1']"));
  await page.mouse.click(sheet.x + sheet.width * 0.7, sheet.y + sheet.height * 0.3);
  const word = button(page, /^Paraphe de .*page 1,/).getByText("Paraphe", { exact: true });
  await expectInSight(word);
  expect(
    await word.evaluate((shown) => {
      const { scrollWidth, clientWidth } = shown as unknown as {
        readonly scrollWidth: number;
        readonly clientWidth: number;
      };
      return scrollWidth - clientWidth;
    }),
  ).toBe(0);
  await button(page, "Dupliquer sur toutes les pages").click();
  await said(page, "Copié sur 299 autres pages");
  await expectSaved(draft.id, (saved) => expect(saved).toHaveLength(300));

  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable");
  const metric = async (name: string) =>
    (await cdp.send("Performance.getMetrics")).metrics.find((entry) => entry.name === name)
      ?.value ?? 0;
  const pages = region(page, "Document, pages");
  for (const window of [PHONE, DESK]) {
    await page.setViewportSize(window);
    await expectVisible(pages);
    const before = { script: await metric("ScriptDuration"), task: await metric("TaskDuration") };
    const seen = await scroll(pages);
    const scripting = ((await metric("ScriptDuration")) - before.script) * 1_000;
    const busy = ((await metric("TaskDuration")) - before.task) * 1_000;
    const figures = `300 pages at ${window.width}: ${seen.standing} pages in the document at most, ${seen.drawn} drawn; ${(scripting / seen.seconds).toFixed(0)} ms of scripting and ${(busy / seen.seconds).toFixed(0)} ms of main thread a second of scroll; ${(seen.frames / seen.seconds).toFixed(0)} frames a second, the slowest ${seen.slowest.toFixed(0)} ms`;
    info.annotations.push({ type: "figures", description: figures });
    console.info(figures);
    expect(seen.standing, figures).toBeLessThanOrEqual(10);
    expect(seen.drawn, figures).toBeLessThanOrEqual(6);
    expect(seen.drawn, figures).toBeGreaterThan(1);
  }

  await pages.evaluate((element) => {
    const scroller = element as unknown as Scroller;
    scroller.scrollTo({ top: scroller.scrollHeight });
  });
  await expectText(page, "Page 300 sur 300");
  await button(page, /^Paraphe de .*page 299,/).focus();
  await page.keyboard.press("Tab");
  const last = button(page, /^Paraphe de .*page 300,/);
  for (let stop = 0; stop < 8 && (await last.and(page.locator(":focus")).count()) === 0; stop += 1)
    await page.keyboard.press("Tab");
  await expect(last).toBeFocused();
});
