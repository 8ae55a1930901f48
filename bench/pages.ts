import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { findBrowser } from "../packages/pades/testing/find-browser.ts";
import { makeContract } from "../tests/support/make-contract.ts";
import { codeIn, isCode, linkIn, startMailServer } from "../tests/support/start-mail-server.ts";
import { signIn } from "../tests/support/sign-in.ts";
import { startServer } from "../tests/support/start-server.ts";
import { MOST_MOVED, movedIn, MOVES } from "../tests/support/look-at.ts";
import * as story from "../tests/support/story.ts";
import type { BenchRow } from "./figures.ts";

const SENDER = {
  username: "mesure",
  email: "mesure@exemple.fr",
  firstName: "Agathe",
  lastName: "Mesure",
};
const GUEST = { email: "invitee@exemple.fr", full_name: "Maëlys N'Guessan" };
/** A mid-range phone on a slow mobile network. */
const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
  ignoreHTTPSErrors: true,
};
const CPU_SLOWER = 4;
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const RUNS = 5;
const ENGINE = /\/(open-pdf-|pdf\.worker)/;

const isUsable = (button: string) => `(() => {
  const page = document.querySelector('[data-pdf-page="1"]');
  const picture = page?.querySelector("img");
  const isShown = picture?.naturalWidth > 0 || (page?.querySelector("canvas") && !page.querySelector("[class*=skeleton]"));
  return Boolean(isShown) && [...document.querySelectorAll("button")].some((one) => one.textContent.trim() === ${JSON.stringify(button)});
})()`;

type Visit = {
  readonly seconds: number;
  readonly scriptKb: number;
  readonly requests: number;
  /** Cumulative layout shift, with the fonts in place. */
  readonly moved: number;
};

/** Time until signing and preparing are usable on a phone with an empty cache. */
export async function benchPages(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ["--no-sandbox", "--ignore-certificate-errors"],
  });
  try {
    const world = { url: server.url, mails };
    await story.registerPerson(world, SENDER);
    const sender = await story.logIn(server.url, SENDER.username);
    const draft = { title: "Bail", pdf: await makeContract("1"), guests: [GUEST] };
    const sent = await story.createEnvelope(sender, draft);
    await story.sendEnvelope(sender, sent.id);
    const { id } = await story.createEnvelope(sender, draft);
    const guest = await openGuest(
      browser,
      linkIn(await mails.waitFor(GUEST.email, ({ text }) => text.includes("/sign/")), /\/sign\//)
        .href,
      async () => codeIn(await mails.waitFor(GUEST.email, isCode)),
    );
    const member = await browser.newContext(PHONE);
    await signIn(await member.newPage(), { url: server.url, username: SENDER.username });
    const rows = [
      ...rowsOf("guest with the document", await visits(guest.context, guest.href, "Commencer"), {
        seconds: 2.5,
        scriptKb: 180,
        requests: 12,
        moved: MOST_MOVED,
      }),
      ...rowsOf(
        "editor at its fields",
        await visits(member, `${server.url}/signature/workflow/${id}?etape=champs`, "Continuer"),
        {
          seconds: 4,
          scriptKb: 260,
          moved: MOST_MOVED,
        },
      ),
    ];
    sender.close();
    return rows;
  } finally {
    await browser.close();
    await server.close();
    await mails.close();
  }
}

/** Opens the guest's page with a confirmed code, the largest page. */
async function openGuest(
  browser: Browser,
  link: string,
  code: () => Promise<string>,
): Promise<{ context: BrowserContext; href: string }> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Recevoir mon code" }).click();
  await page.getByRole("textbox", { name: /code/i }).fill(await code());
  await page.getByRole("button", { name: "Commencer" }).waitFor();
  await page.close();
  return { context, href: link };
}

async function visits(
  context: BrowserContext,
  href: string,
  button: string,
): Promise<readonly Visit[]> {
  const all: Visit[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const page = await context.newPage();
    all.push(await visit(page, href, button));
    await page.close();
  }
  return all;
}

async function visit(page: Page, href: string, button: string): Promise<Visit> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.clearBrowserCache");
  await devtools.send("Network.emulateNetworkConditions", NETWORK);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWER });
  await page.addInitScript(MOVES);
  await page.addInitScript(`(() => {
    performance.setResourceTimingBufferSize(1000);
    const look = () => {
      if (${isUsable(button)}) setTimeout(() => { globalThis.usableMs = performance.now(); });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })()`);
  await page.goto(href, { waitUntil: "commit" });
  // The policy refuses evaluated strings, which Playwright's wait uses.
  while (!(await page.evaluate<boolean>("globalThis.usableMs !== undefined")))
    await page.waitForTimeout(200);
  await page.waitForLoadState("load");
  await page.evaluate("document.fonts.ready.then(() => {})");
  const { usableMs, before } = await page.evaluate<{
    usableMs: number;
    before: { name: string; kb: number }[];
  }>(`({
    usableMs: globalThis.usableMs,
    before: performance.getEntriesByType("resource").filter(({ startTime }) => startTime < globalThis.usableMs)
      .map(({ name, encodedBodySize }) => ({ name, kb: encodedBodySize / 1000 })),
  })`);
  if (process.env["PAGES_LIST"])
    for (const one of before)
      console.log(one.kb.toFixed(1).padStart(8), one.name.replace(/^https:\/\/[^/]+/, ""));
  const needed = before.filter(({ name }) => !ENGINE.test(name));
  const scriptKb = needed
    .filter(({ name }) => /\.m?js$/.test(name))
    .reduce((sum, { kb }) => sum + kb, 0);
  // Resource timing excludes the page itself.
  const moved = await movedIn(page);
  return { seconds: usableMs / 1_000, scriptKb, requests: needed.length + 1, moved };
}

type Goals = Partial<Record<keyof Visit, number>>;

function rowsOf(what: string, all: readonly Visit[], goals: Goals): BenchRow[] {
  const median = (of: keyof Visit) =>
    all.map((one) => one[of]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
  const row = (of: keyof Visit, words: string, unit: string): BenchRow => ({
    part: "pages",
    what: `${what}, CPU ${CPU_SLOWER} times slower, 150 ms, 1.6 Mb/s: ${words}`,
    value: median(of),
    unit,
    goal: goals[of] === undefined ? null : { atMost: goals[of] },
  });
  return [
    row("seconds", "page one is seen and the button answers", "s"),
    row("scriptKb", "script till then", "kB"),
    row("requests", "requests till then", ""),
    row("moved", "layout shift", ""),
  ];
}
