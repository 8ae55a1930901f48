import { expect, type Page } from "@playwright/test";
import { everythingCanBeHit, lookAt, lookTwice } from "../support/look-at.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { openDatabase } from "../support/open-database.ts";
import { type OwnService, test, useSenderStage } from "../support/stories.ts";
import { signIn } from "../support/sign-in.ts";
import { startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectText,
  expectVisible,
  region,
  title,
} from "../support/controls.ts";

const SENDER = person("clemence.live", "Clémence Aubry-Lefèvre");
const THEO = person("theo.live", "Théo Lenoir");
const GUESTS = [
  { email: "paul@exemple.fr", full_name: "Paul Martin" },
  { email: THEO.email, full_name: "Théo Lenoir" },
];
const TITLE = "Contrat de prestation – reliure des registres";

const stage = useSenderStage(SENDER);

async function open(
  page: Page,
  url: string,
  { username, address }: { username: string; address: string },
): Promise<void> {
  await signIn(page, { url, username });
  await page.goto(`${url}${address}`);
  await expectVisible(title(page));
}

/** A reload would drop this mark. */
const mark = (page: Page) => page.evaluate("void (window.untouched = true)");
const isUntouched = (page: Page) => page.evaluate<boolean>("window.untouched === true");

const sign = ({ server, mails }: OwnService, id: string, guest: story.Guest) =>
  story.signInvitation({ url: server.url, mails }, guest, id, story.typed(guest.full_name));

const row = (page: Page, name: string) =>
  region(page, "Signataires").getByRole("listitem").filter({ hasText: name });
const listRow = (page: Page) =>
  page.getByRole("row").or(page.getByRole("listitem")).filter({ hasText: TITLE }).first();
const waitForStream = (page: Page) =>
  page.waitForResponse(
    (response) => response.url().endsWith("/events/stream/") && response.status() === 200,
  );

test("open pages follow a sent envelope and its signatures without a reload @desk", async ({
  page,
  browser,
  ownService,
}) => {
  const { mails } = ownService;
  const { url, dataDir } = ownService.server;
  for (const one of [SENDER, THEO]) await story.registerPerson({ url, mails }, one);
  const sender = await story.logIn(url, SENDER.username);
  const before = await story.sendContract(sender, "Bail", GUESTS.slice(1));
  await story.confirmAddress({ url, mails }, THEO, before);
  await story.cancelEnvelope(sender, before);
  const others = await browser.newContext();
  const asked = await others.newPage();
  await open(asked, url, {
    username: THEO.username,
    address: "/signature/envelopes/action-required",
  });
  await expect(asked.getByText(TITLE)).toHaveCount(0);
  await mark(asked);
  const id = await story.sendContract(sender, TITLE, GUESTS);
  await expectVisible(
    asked.getByText(TITLE).first(),
    exactText(asked.getByRole("navigation", { name: "Environnement" }).last(), "1").first(),
  );
  expect(await isUntouched(asked)).toBe(true);
  await others.close();

  const stream = waitForStream(page);
  await open(page, url, { username: SENDER.username, address: `/signature/detail/${id}` });
  await stream;
  await expectText(row(page, "Paul Martin"), "En attente");
  const list = await page.context().newPage();
  await list.goto(`${url}/signature/envelopes/sent`);
  await expectText(listRow(list), "0/2");
  for (const one of [page, list]) await mark(one);
  // The region says one thing at a time, so each sentence is noted.
  await page.evaluate(
    "window.said = []; new MutationObserver(() => window.said.push(document.getElementById('annonces')?.textContent ?? '')).observe(document.body, { subtree: true, childList: true, characterData: true })",
  );

  await sign(ownService, id, GUESTS[0] as story.Guest);
  await expectVisible(
    exactText(row(page, "Paul Martin"), "Signé"),
    page.getByText("1 signature sur 2"),
    listRow(list).getByText("1/2"),
  );
  await expect.poll(() => page.evaluate<string[]>("window.said")).toContain("Paul Martin a signé.");
  expect(await page.getByRole("status").filter({ hasText: "Fermer la notification" }).count()).toBe(
    0,
  );

  const intact = button(page, "Non modifié");
  await expectVisible(intact, exactText(page, "Paul Martin a signé"));
  await intact.click();
  await expectText(page, "Empreinte du dernier événement (SHA-256)");
  // The bar at the top would cover half a button.
  await page.getByRole("heading", { name: "Historique", exact: true }).evaluate((heading) =>
    (heading as unknown as { scrollIntoView(to: object): void }).scrollIntoView({
      block: "center",
    }),
  );
  await lookTwice(page, "live-journal");

  await button(page, /^Tout afficher/).click();
  await button(page, "Détails techniques").click();
  await expectVisible(page.getByText(/^IP /).first());
  await everythingCanBeHit(page, "the whole journal");
  await lookTwice(page, "live-journal-whole");
  await button(page, "Envois").click();
  await expectText(page, "Enveloppe envoyée");
  await expect(exactText(page, "Paul Martin a signé")).toBeHidden();
  await page.getByRole("button", { name: "Tout", exact: true }).click();

  const port = Number(new URL(url).port);
  await ownService.server.stop();
  ownService.server = await startServer({
    entry: "start",
    dataDir,
    port,
    env: { SMTP_URL: mails.url },
  });
  await sign(ownService, id, GUESTS[1] as story.Guest);
  await expect(exactText(row(page, "Théo Lenoir"), "Signé")).toBeVisible({
    timeout: 40_000,
  });
  await expectText(page, "2 signatures sur 2", "Document scellé et horodaté");
  for (const one of [page, list]) expect(await isUntouched(one)).toBe(true);

  const database = await openDatabase(dataDir);
  await database.query("alter table audit_events disable trigger audit_events_insert_only");
  await database.query(
    "update audit_events set at = at - interval '1 day' where envelope_id = $1 and action = 'recipient_signed'",
    [id],
  );
  await database.query("alter table audit_events enable trigger audit_events_insert_only");
  await database.close();
  await button(page, "Vérifier à nouveau").click();
  await expectVisible(page.getByRole("button", { name: "Modifié", exact: true }));
  await lookAt(page, "live-journal-altered");
  sender.close();
});

test("a guest who returns to an open page reads that the sender cancelled @touch", async ({
  page,
}) => {
  const { sender, server, mails } = stage;
  const guest = invitee("lea", "Léa Chêne");
  const id = await stage.send(TITLE, [guest]);
  const visit = await story.openInvitation({ url: server.url, mails }, guest, id);
  await page.goto(`${server.url}/sign/${id}?token=${visit.token}`);
  await expectVisible(button(page, "Recevoir mon code"));
  await mark(page);
  await story.cancelEnvelope(sender, id);
  // Headless Chromium never loses focus.
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await expectVisible(page.getByRole("heading", { name: "Cette demande a été annulée" }));
  await expect(title(page)).toBeFocused();
  const again = await page.context().newPage();
  await again.goto(`${server.url}/sign/${id}?token=${visit.token}`);
  await expectVisible(again.getByTitle(TITLE), again.getByText("De Clémence Aubry-Lefèvre"));
  await again.close();
  await expect(button(page, "Recevoir mon code")).toHaveCount(0);
  expect(await isUntouched(page)).toBe(true);
  await lookAt(page, "live-guest-cancelled");
  visit.client.close();
});
