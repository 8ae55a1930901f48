import { expect, type Locator, type Page } from "@playwright/test";
import {
  COLOUR_RULES,
  everythingCanBeHit,
  expectNoSidewaysScroll,
  expectOnePrimaryButton,
  lookAt,
  lookTwice,
  messagesCoverNothing,
} from "../support/look-at.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { makeContract } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { openDatabase } from "../support/open-database.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectInSight,
  expectText,
  expectVisible,
  heading,
} from "../support/controls.ts";

/** By keyboard on a desk, by touch on a phone. */
const SENDER = person("clemence.lists", "Clémence Aubry-Lefèvre");
const COME = invitee("come", "Côme Œuvrard");
const MAELYS = invitee("maelys", "Maëlys N’Guessan");
const SENT = "Bail d’habitation – 12, rue Haute";
const OLD = 62;

const stage = useSenderStage(SENDER);

async function fillCompleted(): Promise<void> {
  const { id } = (await stage.sender.get("/api/signature/me/")).json.user;
  const database = await openDatabase(stage.server.dataDir);
  await database.query(
    `insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, sent_at, completed_at)
     select gen_random_uuid(), $1::uuid, 'Clémence Aubry-Lefèvre', t, lower(translate(t, 'èÈ', 'eE')), 'completed', 'parallel', d, d, d, d
     from (select case n when 7 then 'Procès-verbal de séance' else 'Devis n° ' || lpad(n::text, 2, '0') end as t,
       timestamptz '2024-01-01 09:00Z' + n * interval '1 day' as d from generate_series(1, $2::int) n) rows`,
    [id, OLD],
  );
  await database.close();
}

/** One draft, one that awaits a guest, one that awaits its sender. */
async function fillOthers(): Promise<void> {
  const { sender } = stage;
  const pdf = await makeContract(SENT);
  await stage.send(SENT, [COME]);
  await story.createEnvelope(sender, { title: "Avenant au bail", pdf, guests: [COME, MAELYS] });
  const me = { email: SENDER.email, full_name: "Clémence Aubry-Lefèvre" };
  await story.confirmAddress(stage.world, SENDER, await stage.send("Mandat de gestion", [me]));
}

const act = (control: Locator) =>
  test.info().project.use.hasTouch ? control.tap() : press(control);
const rows = (page: Page) => page.locator("[data-row]");
const toast = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();

async function open(page: Page, list: string, name: string): Promise<void> {
  await page.goto(`/signature/envelopes/${list}`);
  await expectVisible(rows(page).first());
  await lookAt(page, name);
  await expectNoSidewaysScroll(page);
}

/** Expects the filters' button to keep its size in a low window. */
async function expectLowButton(page: Page): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 844, height: 390 });
  const apply = await button(page, "Voir 0 enveloppe").boundingBox();
  expect(apply?.height).toBeLessThan(60);
  if (size) await page.setViewportSize(size);
}

/** On paper there are rows and filters, and no control. */
async function expectOnPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print" });
  await expectVisible(exactText(page, "10 documents"));
  await expect(rows(page)).toHaveCount(10);
  await expect(
    page.locator("button, select, input, header, nav").filter({ visible: true }),
  ).toHaveCount(0);
  await expect(page.getByRole("columnheader", { name: "Actions" })).toBeHidden();
  await lookAt(page, "lists-paper", COLOUR_RULES);
  await page.emulateMedia({ media: null });
}

/** Card titles are level, avatars do not overlap, one button is primary. */
async function expectDeskDashboard(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const middle = async (name: string) => {
    const heading = page.getByRole("heading", { name });
    await expectVisible(heading);
    const box = await heading.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0) / 2;
  };
  expect(
    Math.abs((await middle("Documents récents")) - (await middle("Notifications récentes"))),
  ).toBeLessThanOrEqual(1);
  const avatars = page
    .locator("[data-row]", { hasText: "Avenant au bail" })
    .locator("[data-letters]");
  await expect(avatars).toHaveCount(2);
  const [first, second] = await Promise.all([
    avatars.first().boundingBox(),
    avatars.last().boundingBox(),
  ]);
  expect((second?.x ?? 0) - ((first?.x ?? 0) + (first?.width ?? 99))).toBeGreaterThanOrEqual(-2);
  await expectOnePrimaryButton(page, "the dashboard");
  if (before) await page.setViewportSize(before);
}

/** Skeletons show before the session and before the rows. */
async function expectSkeletons(page: Page): Promise<void> {
  const held = { session: Promise.withResolvers<void>(), rows: Promise.withResolvers<void>() };
  const hold = (url: string, until: Promise<void>) =>
    page.route(url, async (route) => until.then(() => route.continue()));
  const skeleton = page.getByRole("main").locator("[class*=_skeleton_]").first();
  await hold("**/api/verify-token/", held.session.promise);
  await hold("**/api/signature/envelopes/?*", held.rows.promise);
  await page.goto("/signature/envelopes/completed");
  await expect(page.getByText("Chargement de votre session…")).toBeAttached();
  await expectVisible(skeleton);
  held.session.resolve();
  await expectVisible(heading(page, "Complété(s)"));
  await expect(page.getByText("Chargement des enveloppes")).toBeAttached();
  await expectVisible(skeleton);
  held.rows.resolve();
  await expectVisible(rows(page).first());
  await page.unrouteAll({ behavior: "wait" });
}

test.beforeEach(({ page }) => stage.signIn(page));

test("a list is searched, sorted, filtered and paged, and Back and a reload find the same place @desk", async ({
  page,
}) => {
  await fillCompleted();
  await expectSkeletons(page);
  await open(page, "completed", "lists-completed");
  await expectText(page, `1–10 sur ${OLD}`);
  await act(button(page, /^Pages suivantes/));
  await expectText(page, `51–60 sur ${OLD}`);
  await act(button(page, "Page suivante"));
  await expectText(page, `61–62 sur ${OLD}`);
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await expectText(page, `61–62 sur ${OLD}`);
  await page.goBack();
  await expectText(page, `51–60 sur ${OLD}`);

  const order = page.getByLabel("Trier par");
  await tabTo(order);
  // One key only: type-ahead starts over after a second.
  await page.keyboard.press("T");
  await expect(page).toHaveURL(/\?tri=titre$/);
  await expect(rows(page).first()).toContainText("Devis n° 01");

  const filter = button(page, /^Filtrer/);
  const narrow = async () => {
    await press(filter);
    await expect(page.getByLabel("Création")).toBeFocused();
    await page.keyboard.press("E");
    await typeInto(page, "Du", "05/01/2024");
    await typeInto(page, "Au", "14/01/2024");
  };
  await narrow();
  await expectVisible(button(page, "Voir 10 documents"));
  await lookTwice(page, "lists-filters");
  await page.keyboard.press("Escape");
  await expect(filter).toBeFocused();
  await expectText(page, `1–10 sur ${OLD}`);
  await narrow();
  await page.keyboard.press("Enter");
  await expect(filter).toBeFocused();
  await expectText(page, "du 5 janv. 2024 au 14 janv. 2024");
  await expect(page).toHaveURL(/periode=entre&du=2024-01-05&au=2024-01-14/);
  await page.reload();
  await expectVisible(exactText(page, "10 documents"));
  await lookTwice(page, "lists-filtered");
  await everythingCanBeHit(page, "a list that is narrowed");
  await expectOnPaper(page);
  const box = page.getByLabel("Rechercher par titre, signataire ou créateur");
  await press(button(page, /^Retirer le filtre Création/));
  await expect(box).toBeFocused();
  await page.goBack();
  await expectVisible(exactText(page, "10 documents"));
  await press(button(page, "Effacer les filtres"));

  await page.reload();
  await tabTo(box);
  await page.keyboard.type("PROCES");
  await expectVisible(exactText(page, "1 document"));
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/search=PROCES/);
  await lookAt(page, "lists-completed-found");
  const link = page.getByRole("link", { name: "Procès-verbal de séance" }).first();
  await act(link);
  await page.waitForURL(/\/signature\/detail\//);
  await page.goBack();
  await expect(box).toHaveValue("PROCES");
  await expect(rows(page)).toHaveCount(1);
  await act(button(page, "Effacer la recherche"));
  await expect(box).toBeFocused();
  await expectText(page, `1–10 sur ${OLD}`);
});

/** On a phone on its side the other lists stay a touch away, in a low bar. */
async function expectLowBar(page: Page): Promise<void> {
  const before = page.viewportSize();
  if (before === null || before.width >= 768) return;
  await page.setViewportSize({ width: 844, height: 390 });
  const link = page.getByRole("link", { name: "Supprimé", exact: true });
  await expectInSight(link);
  const low = await link.boundingBox();
  expect(low?.height).toBeLessThanOrEqual(45);
  const first = await page
    .getByRole("link", { name: /^Détails/ })
    .first()
    .boundingBox();
  expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThanOrEqual(low?.y ?? 0);
  await page.setViewportSize(before);
}

test("a late guest is reminded, and a cancelled envelope is restored or purged @touch", async ({
  page,
}) => {
  await fillOthers();
  await page.goto("/dashboard");
  await expectVisible(page.getByRole("heading", { name: "Documents récents" }));
  await lookAt(page, "lists-dashboard");
  await expectDeskDashboard(page);
  await open(page, "action-required", "lists-action-required");
  await open(page, "drafts", "lists-drafts");
  await act(button(page, /^Supprimer( le brouillon)? Avenant au bail$/));
  await act(button(page.getByRole("alertdialog"), "Supprimer"));
  await toast(page, "Brouillon supprimé");
  await messagesCoverNothing(page);

  await open(page, "sent", "lists-sent");
  await expectLowBar(page);
  const box = page.getByLabel("Rechercher par titre, signataire ou créateur");
  await box.fill("introuvable");
  await expectText(page, "Aucun titre, signataire ni créateur ne correspond à « introuvable ».");
  await page.reload();
  await expect(box).toHaveValue("introuvable");
  await expectVisible(page.getByRole("heading", { name: "Aucune enveloppe trouvée" }));
  await box.fill("oeuvrart");
  await act(button(page, "« oeuvrard »"));
  await expect(box).toHaveValue("oeuvrard");
  await expect(box).toBeFocused();
  await expectVisible(page.getByRole("link", { name: SENT }).first());
  await act(button(page, "Effacer la recherche"));
  await act(button(page, "Filtrer"));
  for (const late of ["Partiellement signée", "En retard"])
    await act(page.getByRole("group", { name: "Avancement" }).getByText(late));
  await expectVisible(button(page, "Voir 0 enveloppe"));
  await expectLowButton(page);
  await lookTwice(page, "lists-filters");
  await act(button(page, "Voir 0 enveloppe"));
  await page.reload();
  await expectText(page, "partiellement signée ou en retard", "Rien ne correspond à ces filtres.");
  await lookTwice(page, "lists-filtered");
  await act(button(page, "Effacer les filtres"));
  await act(page.getByRole("link", { name: SENT }).first());
  const remind = button(page, "Envoyer un rappel");
  await expectVisible(remind);
  await everythingCanBeHit(page, "the detail");
  const { y = 0, height = 0 } = (await remind.boundingBox()) ?? {};
  expect((page.viewportSize()?.height ?? 0) - y - height).toBeLessThanOrEqual(20);
  await act(remind);
  await act(button(page.getByRole("alertdialog", { name: "Envoyer un rappel ?" }), "Envoyer"));
  await toast(page, `Rappel envoyé à ${COME.full_name}`);
  await messagesCoverNothing(page);
  await stage.mails.waitFor(COME.email, ({ subject }) => subject.startsWith("Rappel"));

  await page.goto("/signature/envelopes/sent");
  await act(button(page, `Annuler l’enveloppe ${SENT}`));
  const dialog = page.getByRole("alertdialog", { name: "Annuler cette enveloppe ?" });
  await expect(button(dialog, "Garder l’enveloppe")).toBeFocused();
  await lookAt(page, "lists-cancel-dialog");
  await act(button(dialog, "Annuler l’enveloppe"));
  await toast(page, "Enveloppe annulée");

  await open(page, "deleted", "lists-deleted");
  await act(button(page, `Restaurer ${SENT}`));
  await act(button(page.getByRole("alertdialog"), "Restaurer"));
  await toast(page, "Enveloppe restaurée avec succès");
  await act(button(page, "Purger Avenant au bail"));
  await lookAt(page, "lists-purge-dialog");
  await act(button(page.getByRole("alertdialog"), "Purger"));
  await toast(page, "Enveloppe purgée définitivement");
  await expectText(page, "Corbeille vide");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();

  await page.goto("/signature/envelopes/sent");
  await expectVisible(page.getByRole("link", { name: SENT }).first());
});
