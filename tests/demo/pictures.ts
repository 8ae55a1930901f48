import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findBrowser } from "../../packages/pades/testing/find-browser.ts";
import type { ApiClient } from "../support/api-client.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { startServer } from "../support/start-server.ts";
import { makeContract } from "../support/make-contract.ts";
import { signIn } from "../support/sign-in.ts";
import * as story from "../support/story.ts";

/**
 * `npm run pictures`: every screen in each window and theme, in `test-results/pictures`; `--
 * readme`: those of `docs/images`. Uses the service of `npm run seed` (`DATA_DIR`, `PORT`) and adds
 * an envelope.
 */
const WINDOWS = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1440, height: 900 },
] as const;
const THEMES = ["light", "dark"] as const;

type Screen = {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
};
type Shot = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly theme: (typeof THEMES)[number];
};

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name }).first().click();

function publicScreens(verifyPath: string): readonly Screen[] {
  return [
    { name: "login", path: "/login" },
    { name: "register", path: "/register" },
    { name: "password-reset", path: "/password-reset" },
    { name: "verifier", path: "/verifier" },
    { name: "log", path: "/journal-de-transparence" },
    { name: "verify", path: verifyPath },
    {
      name: "verify-folded-out",
      path: verifyPath,
      prepare: (page) => page.getByText("Détails techniques").first().click(),
    },
    { name: "conditions", path: "/conditions" },
    { name: "not-found", path: "/nulle/part" },
  ];
}

function memberScreens(
  ids: Readonly<Record<"draft" | "sent" | "completed" | "asked", string>>,
): readonly Screen[] {
  const lists = ["sent", "completed", "action-required", "drafts", "deleted"].map((list) => ({
    name: `list-${list}`,
    path: `/signature/envelopes/${list}`,
  }));
  const steps = ["documents", "destinataires", "champs", "envoi"].map((step) => ({
    name: `prepare-${step}`,
    path: `/signature/workflow/${ids.draft}?etape=${step}`,
  }));
  return [
    { name: "dashboard", path: "/dashboard" },
    ...lists,
    { name: "list-filters", path: "/signature/envelopes/sent", prepare: press("Filtrer") },
    {
      name: "list-filtered",
      path: "/signature/envelopes/sent?avancement=partielles+refusees&periode=mois",
    },
    { name: "list-none", path: "/signature/envelopes/sent?search=introuvable" },
    { name: "detail-sent", path: `/signature/detail/${ids.sent}` },
    { name: "detail-messages", path: `/signature/detail/${ids.sent}`, prepare: press(/^Messages/) },
    { name: "detail-completed", path: `/signature/detail/${ids.completed}` },
    { name: "prepare-new", path: "/signature/upload" },
    ...steps,
    { name: "sign", path: `/signature/sign/${ids.asked}` },
    { name: "self-sign", path: "/signature/self-sign" },
    { name: "bulk", path: "/signature/bulk-same" },
    { name: "templates", path: "/signature/templates" },
    { name: "saved-signatures", path: "/signature/saved-signatures" },
    {
      name: "success",
      path: `/signature/success?id=${ids.completed}`,
      prepare: press("Rester sur cette page"),
    },
    { name: "settings", path: "/settings" },
    { name: "settings-account", path: "/profile" },
    { name: "settings-signature", path: "/settings/signature" },
    { name: "settings-security", path: "/settings/security" },
    { name: "settings-notifications", path: "/settings/notifications" },
  ];
}

async function idOf(sender: ApiClient, status: string): Promise<string> {
  return (await sender.get(`/api/signature/envelopes/?status=${status}`)).json.results[0]?.id ?? "";
}

/** Nothing is loading and every visible sheet is drawn. */
const AT_REST = `document.querySelector("h1") !== null && document.querySelector("main [aria-busy=true], [class*=_loader_]") === null
  && [...document.querySelectorAll("canvas")].every((sheet) => sheet.width > 1)`;

/** The page's policy refuses evaluated strings, so it is polled. */
async function rest(page: Page): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop
    if (await page.evaluate<boolean>(AT_REST)) return;
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(200);
  }
}

async function shoot(
  page: Page,
  { name, path, prepare }: Screen,
  { url, shots }: { readonly url: string; readonly shots: readonly Shot[] },
) {
  for (const { file, theme, ...size } of shots) {
    // They share the page.
    // oxlint-disable no-await-in-loop
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto(url + path);
    await rest(page);
    await prepare?.(page).catch((error: unknown) =>
      console.error(`${name}, ${file}: ${String(error).split("\n")[0]}`),
    );
    // Drawing may start further requests.
    await page.waitForTimeout(400);
    await rest(page);
    await page.screenshot({ path: file, type: "jpeg", quality: 82, animations: "disabled" });
    // oxlint-enable no-await-in-loop
  }
}

function everyShot(name: string): readonly Shot[] {
  return WINDOWS.flatMap(({ width, height }) =>
    THEMES.map((theme) => ({
      file: join("test-results/pictures", `${width}x${height}-${theme}`, `${name}.jpg`),
      width,
      height,
      theme,
    })),
  );
}

/** Window widths. */
const README: Readonly<Record<string, number>> = {
  dashboard: 1440,
  "prepare-champs": 1440,
  "detail-completed": 1440,
  verify: 1440,
  sign: 390,
  "list-filters": 390,
};
function readmeShots(name: string): readonly Shot[] {
  const width = README[name];
  if (width === undefined) return [];
  return [
    {
      file: join("docs/images", `${name}.jpg`),
      width,
      height: width === 390 ? 844 : 900,
      theme: "light",
    },
  ];
}

async function takeAll(browser: Browser, url: string): Promise<void> {
  const shotsOf = process.argv.includes("readme") ? readmeShots : everyShot;
  for (const folder of new Set(shotsOf("").map(({ file }) => join(file, ".."))))
    await mkdir(folder, { recursive: true });
  const mails = readLocalMailbox(url);
  const sender = await story.logIn(url, "clemence");
  const guest = { email: "come@exemple.fr", full_name: "Côme Nguyễn" };
  const title = "Contrat de prestation – reliure des registres";
  const { id } = await story.createEnvelope(sender, {
    title,
    pdf: await makeContract(title),
    guests: [guest],
  });
  await story.sendEnvelope(sender, id);
  const invitation = linkIn(
    await mails.waitFor(guest.email, ({ text }) => text.includes(`/sign/${id}`)),
    /\/sign\//,
  );
  const completed = await idOf(sender, "completed");
  const print = (await sender.get(`/api/signature/prints/?envelope=${completed}`)).json.results[0];
  const ids = {
    draft: await idOf(sender, "draft"),
    sent: id,
    completed,
    asked: await idOf(sender, "action_required"),
  };
  sender.close();

  const french = { locale: "fr-FR", timezoneId: "Europe/Paris", ignoreHTTPSErrors: true };
  const visitor = await browser.newPage(french);
  const screens = publicScreens(print.verify_url.slice(new URL(print.verify_url).origin.length));
  for (const screen of screens) await shoot(visitor, screen, { url, shots: shotsOf(screen.name) });
  await shoot(
    visitor,
    { name: "guest-open", path: invitation.pathname + invitation.search },
    { url, shots: shotsOf("guest-open") },
  );

  const member = await browser.newPage(french);
  await signIn(member, { url, username: "clemence" });
  for (const screen of memberScreens(ids))
    await shoot(member, screen, { url, shots: shotsOf(screen.name) });
}

const server = await startServer({
  dataDir: process.env.DATA_DIR ?? "data",
  port: Number(process.env.PORT ?? "8443"),
  entry: "start",
  env: { RATE_LIMITS: "off" },
});
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: ["--no-sandbox", "--disable-gpu", "--ignore-certificate-errors"],
});
try {
  await takeAll(browser, server.localUrl);
} finally {
  await browser.close();
  await server.stop();
}
