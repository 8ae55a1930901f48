import { expect, type Page } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import {
  COLOUR_RULES,
  everythingCanBeHit,
  expectNoSidewaysScroll,
  lookAt,
  lookTwice,
  MAIL_RULES,
} from "../support/look-at.ts";
import { invitee, ofThisWorker, person } from "../support/of-this-worker.ts";
import { linkIn, NOBODYS_DOMAIN, type ReceivedMail } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { button, expectVisible, modal } from "../support/controls.ts";

const SENDER = person("clemence.deliveries", "Clémence Aubry-Lefèvre");
const COME = invitee("come.deliveries", "Côme Œuvrard");
const MAELYS = { email: `maelys.nguessan@${NOBODYS_DOMAIN}`, full_name: "Maëlys N'Guessan" };
const RIGHT = ofThisWorker({ email: "maelys.nguessan@exemple.fr" }).email;
const TITLE = "Bail d’habitation – 12, rue Haute";

const stage = useSenderStage(SENDER);

/** Axe reads each mail in the light and in the dark. */
async function readMails(page: Page, read: readonly ReceivedMail[]): Promise<void> {
  // Away from the service's CSP, which no mail program has.
  await page.goto("about:blank");
  for (const [index, mail] of read.entries()) {
    await page.setContent(mail.html);
    for (const [colorScheme, desk, rules] of [
      ["dark", "rgb(18, 20, 29)", COLOUR_RULES],
      ["light", "rgb(243, 244, 248)", MAIL_RULES],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await lookAt(page, `mail-${index}-${colorScheme}`, rules);
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(desk);
    }
    await expectNoSidewaysScroll(page);
  }
}

test("an undelivered mail says why, and its address is corrected by the keyboard alone @touch", async ({
  page,
}) => {
  const { server, mails } = stage;
  const id = await stage.send(TITLE, [COME, MAELYS]);
  const first = await mails.waitFor(COME.email, ({ text }) => text.includes("/sign/"));
  await stage.signIn(page);
  await page.goto(`/signature/detail/${id}`);
  const maelys = page.getByRole("listitem").filter({ hasText: MAELYS.full_name }).first();
  const come = page.getByRole("listitem").filter({ hasText: COME.full_name }).first();
  await expectVisible(
    maelys.getByText("Échec d’envoi : adresse inconnue").first(),
    come.getByText(/^Envoyé le/).first(),
  );
  await lookAt(page, "deliveries-failed");
  await expectNoSidewaysScroll(page);

  const messages = button(page, /^Messages envoyés/);
  await messages.focus();
  await page.keyboard.press("Enter");
  const sheet = modal(page, "Messages envoyés");
  const failed = sheet.getByRole("listitem").filter({ hasText: "550 5.1.1 User unknown" });
  await expectVisible(
    failed.getByText("Non remis"),
    failed.getByText(first.subject),
    button(failed, /^Corriger l’adresse/),
    button(sheet, /^Envoyer un rappel/),
  );
  await lookTwice(page, "deliveries-words");
  await everythingCanBeHit(page, "the messages");
  await page.keyboard.press("Escape");
  await expect(messages).toBeFocused();

  const correct = button(page, `Corriger l’adresse de ${MAELYS.full_name}`);
  await correct.focus();
  await page.keyboard.press("Enter");
  const dialog = modal(page, "Corriger l’adresse");
  await expectVisible(dialog);
  await lookAt(page, "deliveries-correct");
  await expect(dialog.getByLabel("Email")).toBeFocused();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(RIGHT);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expectVisible(
    page.getByText(`Adresse de ${MAELYS.full_name} corrigée`).first(),
    maelys.getByText(RIGHT).first(),
    maelys.getByText(/^Envoyé le/).first(),
  );
  await expect(button(maelys, `Corriger l’adresse de ${MAELYS.full_name}`)).toBeHidden();
  const second = await mails.waitFor(RIGHT, ({ text }) => text.includes("/sign/"));

  const guest = createApiClient(server.url);
  const token = linkIn(second, /\/sign\//).searchParams.get("token") ?? "";
  const opened = await guest.get(`/api/signature/envelopes/${id}/guest/`, {
    headers: { "x-signature-token": token },
  });
  expect(opened.status).toBe(200);
  guest.close();
  await page.reload();
  await expectVisible(maelys.getByText(/^Lien ouvert le/).first());
  const menu = button(come, `Actions pour ${COME.full_name}`);
  await menu.focus();
  await page.keyboard.press("Enter");
  await expectVisible(page.getByRole("menuitem", { name: "Renvoyer l’invitation par email" }));
  await lookAt(page, "deliveries-menu");
  await page.keyboard.press("Enter");
  await expectVisible(page.getByText(`Invitation renvoyée à ${COME.full_name}`).first());
  await mails.waitFor(COME.email, ({ text }) => text.includes("/sign/"));
  await lookAt(page, "deliveries-mended");
  await readMails(page, [first, second]);
});
