import { expect, type Page } from "@playwright/test";
import { press, tabTo } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { openDatabase } from "../support/open-database.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import * as story from "../support/story.ts";
import { button, expectText, expectVisible, heading, modal } from "../support/controls.ts";

const SENDER = person("clemence.late", "Clémence Aubry-Lefèvre");
const COME = invitee("come.late", "Côme Œuvrard");
const TITLE = "Bail d’habitation – 12, rue Haute";

const stage = useSenderStage(SENDER);

async function sendEnvelope(): Promise<string> {
  const { sender, server } = stage;
  const pdf = await makeContract(TITLE);
  const { id } = await story.createEnvelope(sender, { title: TITLE, pdf, guests: [COME] });
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  const patch = { deadline_at: soon, reminders: { every_days: 3 } };
  story.expectStatus(
    await sender.patch(`/api/signature/envelopes/${id}/`, { json: patch }),
    200,
    "patch",
  );
  await story.sendEnvelope(sender, id);
  const database = await openDatabase(server.dataDir);
  await database.query(
    "update envelopes set deadline_at = now() - interval '1 minute' where id = $1",
    [id],
  );
  await database.close();
  return id;
}

/** Runs the scheduled expiry at once. */
async function runExpiryNow(): Promise<void> {
  const database = await openDatabase(stage.server.dataDir);
  expect(
    await database.query("select cron from jobs.schedule where name = 'envelopes.expire'"),
  ).toEqual([{ cron: "* * * * *" }]);
  await database.query(
    "insert into jobs.job (name, policy) values ('envelopes.expire', 'exclusive') on conflict do nothing",
  );
  await database.close();
}

async function moveDeadline(page: Page): Promise<void> {
  const choose = async (name: string) => {
    await press(button(page, "Plus d’actions"));
    const item = page.getByRole("menuitem", { name });
    await expectVisible(item);
    for (
      let step = 0;
      step < 10 && (await item.and(page.locator(":focus")).count()) === 0;
      step += 1
    )
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
  };
  await choose("Modifier l’échéance");
  const dialog = modal(page, "Modifier l’échéance");
  await lookAt(page, "extension-dialog");
  await expectNoSidewaysScroll(page);
  await press(button(dialog, "+\u00a030\u00a0jours"));
  await press(button(dialog, "Enregistrer"));
  await expect(dialog).toBeHidden();
  await expectVisible(page.getByText(/^Échéance déplacée au/).first());
  await choose("Modifier les rappels");
  const reminders = modal(page, "Modifier les rappels");
  await tabTo(reminders.getByRole("combobox", { name: "Rappel automatique" }));
  await page.keyboard.type("Toutes");
  await press(button(reminders, "Enregistrer"));
  await expectVisible(page.getByText("Rappels automatiques\u00a0: tous les 7 jours").first());
}

test("a late guest asks for more time, and the sender extends the deadline by the keyboard alone @desk", async ({
  page,
  browser,
}) => {
  const { mails } = stage;
  const id = await sendEnvelope();
  const invitation = await mails.waitFor(COME.email, ({ text }) => text.includes("/sign/"));
  const phone = await (
    await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 390, height: 844 } })
  ).newPage();
  await phone.goto(linkIn(invitation, /\/sign\//).href);
  await expectVisible(phone.getByRole("heading", { name: "Le délai de signature est dépassé" }));
  await lookAt(phone, "extension-guest-late");
  await button(phone, "Demander une prolongation").click();
  await expectText(phone, "Votre demande a été transmise à l’expéditeur.");
  await lookAt(phone, "extension-guest-asked");
  await expectNoSidewaysScroll(phone);

  const asked = await mails.waitFor(SENDER.email, ({ subject }) =>
    subject.startsWith(`${COME.full_name} demande une prolongation`),
  );
  expect(linkIn(asked, /\/signature\/detail\//).pathname).toBe(`/signature/detail/${id}`);
  await stage.signIn(page);
  await page.goto(`/signature/detail/${id}`);
  await runExpiryNow();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("Expirée").first()).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 90_000 });
  await expectVisible(page.getByText(`${COME.full_name} a demandé une prolongation`).first());
  await lookAt(page, "extension-expired");
  await press(button(page, "Prolonger de 7\u00a0jours"));
  await expectVisible(
    page.getByText("En cours").first(),
    page.getByText("Échéance prolongée").first(),
    page.getByText(/^Prochain rappel le/).first(),
  );
  await lookAt(page, "extension-given");
  await moveDeadline(page);

  await phone.goto(linkIn(invitation, /\/sign\//).href);
  await expectVisible(heading(phone, TITLE));
  await phone.context().close();
});
