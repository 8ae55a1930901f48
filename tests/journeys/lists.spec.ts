import { expect, type Locator, type Page, type TestInfo } from "@playwright/test";
import type { ApiClient } from "../support/api-client.ts";
import { press, tabTo } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { openDatabase } from "../support/open-database.ts";
import { signIn } from "../support/sign-in.ts";
import { type Service, test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** The daily work on the five lists: by the keyboard alone at a desk, with a finger on a phone. */
const SENDER = ofThisWorker({ username: "clemence", email: "clemence@exemple.fr", firstName: "Clémence", lastName: "Aubry-Lefèvre" });
const COME = ofThisWorker({ email: "come@exemple.fr", full_name: "Côme Œuvrard" });
const SENT = "Bail d’habitation – 12, rue Haute";
const OLD = 62;

let server: Service["server"];
let mails: Service["mails"];
let sender: ApiClient;

test.beforeAll(async ({ service }) => {
  ({ server, mails } = service);
  mails.takeAll();
  await story.registerPerson({ url: server.url, mails }, SENDER);
  sender = await story.logIn(server.url, SENDER.username);
  const pdf = await makeContract(SENT);
  const { id } = await story.createEnvelope(sender, { title: SENT, pdf, guests: [COME] });
  await story.sendEnvelope(sender, id);
  await story.createEnvelope(sender, { title: "Avenant au bail", pdf, guests: [COME] });
  const asked = await story.createEnvelope(sender, {
    title: "Mandat de gestion",
    pdf,
    guests: [{ email: SENDER.email, full_name: "Clémence Aubry-Lefèvre" }],
  });
  await story.sendEnvelope(sender, asked.id);
  await fillCompleted();
});
test.afterAll(() => sender?.close());

/** Sixty-two completed envelopes of other years: rows, as a list reads them. */
async function fillCompleted(): Promise<void> {
  const { id } = (await sender.get("/api/signature/me/")).json.user;
  const database = await openDatabase(server.dataDir);
  await database.query(
    `insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, sent_at, completed_at)
     select gen_random_uuid(), $1::uuid, 'Clémence Aubry-Lefèvre', t, lower(translate(t, 'èÈ', 'eE')), 'completed', 'parallel', d, d, d, d
     from (select case n when 7 then 'Procès-verbal de séance' else 'Devis n° ' || lpad(n::text, 2, '0') end as t,
       timestamptz '2024-01-01 09:00Z' + n * interval '1 day' as d from generate_series(1, $2::int) n) rows`,
    [id, OLD],
  );
  await database.close();
}

/** By the keyboard alone where there is one, else with a finger. */
const act = (page: Page, info: TestInfo, control: Locator) => (info.project.use.hasTouch ? control.tap() : press(page, control));
const rows = (page: Page) => page.locator("[data-row]");
const toast = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();

async function open(page: Page, list: string, name: string, info: TestInfo): Promise<void> {
  await page.goto(`${server.url}/signature/envelopes/${list}`);
  await expect(rows(page).first()).toBeVisible();
  await lookAt(page, name, info);
  await expectNoSidewaysScroll(page);
}

test.beforeEach(({ page }) => signIn(page, { url: server.url, username: SENDER.username }));

test("one searches, puts in order and turns pages; Back and a reload find the same place", async ({ page }, info) => {
  await page.goto(`${server.url}/dashboard`);
  await expect(page.getByRole("heading", { name: "Documents récents" })).toBeVisible();
  await lookAt(page, "lists-dashboard", info);
  await open(page, "completed", "lists-completed", info);
  await expect(page.getByText(`1–10 sur ${OLD}`)).toBeVisible();
  await act(page, info, page.getByRole("button", { name: /^Pages suivantes/ }));
  await expect(page.getByText(`51–60 sur ${OLD}`)).toBeVisible();
  await act(page, info, page.getByRole("button", { name: "Page suivante" }));
  await expect(page.getByText(`61–62 sur ${OLD}`)).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await expect(page.getByText(`61–62 sur ${OLD}`)).toBeVisible();
  await page.goBack();
  await expect(page.getByText(`51–60 sur ${OLD}`)).toBeVisible();

  const order = page.getByLabel("Trier par");
  if (info.project.use.hasTouch) await order.selectOption("Titre, de A à Z");
  else {
    await tabTo(page, order);
    await page.keyboard.type("Titre");
  }
  await expect(page).toHaveURL(/\?tri=titre$/);
  await expect(rows(page).first()).toContainText("Devis n° 01");

  const box = page.getByLabel("Rechercher par titre ou par créateur");
  if (info.project.use.hasTouch) await box.tap();
  else {
    await page.reload();
    await tabTo(page, box);
  }
  await page.keyboard.type("PROCES");
  await expect(page.getByText("1 résultat")).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/search=PROCES/);
  await lookAt(page, "lists-completed-found", info);
  const link = page.getByRole("link", { name: "Procès-verbal de séance" }).first();
  await act(page, info, link);
  await page.waitForURL(/\/signature\/detail\//);
  await page.goBack();
  await expect(box).toHaveValue("PROCES");
  await expect(rows(page)).toHaveCount(1);
  await act(page, info, page.getByRole("button", { name: "Effacer la recherche" }));
  await expect(box).toBeFocused();
  await expect(page.getByText(`1–10 sur ${OLD}`)).toBeVisible();
});

test("who is late is reminded; what is cancelled is restored, or purged for good", async ({ page }, info) => {
  await open(page, "action-required", "lists-action-required", info);
  await open(page, "drafts", "lists-drafts", info);
  await act(page, info, page.getByRole("button", { name: /^Supprimer( le brouillon)? Avenant au bail$/ }));
  await act(page, info, page.getByRole("alertdialog").getByRole("button", { name: "Supprimer" }));
  await toast(page, "Brouillon supprimé");

  await open(page, "sent", "lists-sent", info);
  await act(page, info, page.getByRole("link", { name: SENT }).first());
  await act(page, info, page.getByRole("button", { name: "Relancer" }));
  await toast(page, `Rappel envoyé à ${COME.full_name}`);
  await mails.waitFor(COME.email, ({ subject }) => subject.startsWith("Rappel"));

  await page.goto(`${server.url}/signature/envelopes/sent`);
  await act(page, info, page.getByRole("button", { name: `Annuler l’enveloppe ${SENT}` }));
  const dialog = page.getByRole("alertdialog", { name: "Annuler cette enveloppe ?" });
  await expect(dialog.getByRole("button", { name: "Garder l’enveloppe" })).toBeFocused();
  await lookAt(page, "lists-cancel-dialog", info);
  await act(page, info, dialog.getByRole("button", { name: "Annuler l’enveloppe" }));
  await toast(page, "Enveloppe annulée");

  await open(page, "deleted", "lists-deleted", info);
  await act(page, info, page.getByRole("button", { name: `Restaurer ${SENT}` }));
  await toast(page, "Enveloppe restaurée avec succès");
  await act(page, info, page.getByRole("button", { name: "Purger Avenant au bail" }));
  await lookAt(page, "lists-purge-dialog", info);
  await act(page, info, page.getByRole("alertdialog").getByRole("button", { name: "Purger" }));
  await toast(page, "Enveloppe purgée définitivement");
  await expect(page.getByText("Corbeille vide")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();

  await page.goto(`${server.url}/signature/envelopes/sent`);
  await expect(page.getByRole("link", { name: SENT }).first()).toBeVisible();
});
