import { expect, type Page, type TestInfo } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import { everythingCanBeHit } from "../support/look-at.ts";
import {
  COLOUR_RULES,
  expectNoSidewaysScroll,
  lookAt,
  lookTwice,
  MAIL_RULES,
} from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { NOBODYS_DOMAIN, type ReceivedMail, linkIn } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { signIn } from "../support/sign-in.ts";
import * as story from "../support/story.ts";

const SENDER = ofThisWorker({
  username: "clemence.deliveries",
  email: "clemence.deliveries@exemple.fr",
  firstName: "Clémence",
  lastName: "Aubry-Lefèvre",
});
const COME = ofThisWorker({ email: "come.deliveries@exemple.fr", full_name: "Côme Œuvrard" });
const MAELYS = { email: `maelys.nguessan@${NOBODYS_DOMAIN}`, full_name: "Maëlys N'Guessan" };
const RIGHT = ofThisWorker({ email: "maelys.nguessan@exemple.fr" }).email;
const TITLE = "Bail d’habitation – 12, rue Haute";

const stage = useSenderStage(SENDER);

async function sendEnvelope(): Promise<string> {
  const { sender } = stage;
  const { id } = await story.createEnvelope(sender, {
    title: TITLE,
    pdf: await makeContract(TITLE),
    guests: [COME, MAELYS],
  });
  await story.sendEnvelope(sender, id);
  return id;
}

/** Axe reads each mail in the light and in the dark. */
async function readMails(page: Page, info: TestInfo, read: readonly ReceivedMail[]): Promise<void> {
  // Away from the service's CSP, which no mail program has.
  await page.goto("about:blank");
  for (const [index, mail] of read.entries()) {
    await page.setContent(mail.html);
    for (const [colorScheme, desk, rules] of [
      ["dark", "rgb(18, 20, 29)", COLOUR_RULES],
      ["light", "rgb(243, 244, 248)", MAIL_RULES],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await lookAt(page, `mail-${index}-${colorScheme}`, info, rules);
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(desk);
    }
    await expectNoSidewaysScroll(page);
  }
}

test("a mail that nobody gets says why, and its address is corrected by the keyboard alone @touch", async ({
  page,
}, info) => {
  const { server, mails } = stage;
  const id = await sendEnvelope();
  const first = await mails.waitFor(COME.email, ({ text }) => text.includes("/sign/"));
  await signIn(page, { url: server.url, username: SENDER.username });
  await page.goto(`${server.url}/signature/detail/${id}`);
  const maelys = page.getByRole("listitem").filter({ hasText: MAELYS.full_name }).first();
  const come = page.getByRole("listitem").filter({ hasText: COME.full_name }).first();
  await expect(maelys.getByText("Échec d’envoi : adresse inconnue").first()).toBeVisible();
  await expect(come.getByText(/^Envoyé le/).first()).toBeVisible();
  await lookAt(page, "deliveries-failed", info);
  await expectNoSidewaysScroll(page);

  const messages = page.getByRole("button", { name: /^Messages envoyés/ });
  await messages.focus();
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: "Messages envoyés" });
  const failed = sheet.getByRole("listitem").filter({ hasText: "550 5.1.1 User unknown" });
  await expect(failed.getByText("Non remis")).toBeVisible();
  await expect(failed.getByRole("button", { name: /^Corriger l’adresse/ })).toBeVisible();
  await expect(sheet.getByRole("button", { name: "Relancer" })).toBeVisible();
  await lookTwice(page, "deliveries-words", info);
  await everythingCanBeHit(page, "the messages");
  await page.keyboard.press("Escape");
  await expect(messages).toBeFocused();

  const correct = page.getByRole("button", { name: `Corriger l’adresse de ${MAELYS.full_name}` });
  await correct.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Corriger l’adresse" });
  await expect(dialog).toBeVisible();
  await lookAt(page, "deliveries-correct", info);
  await expect(dialog.getByLabel("Email")).toBeFocused();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(RIGHT);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`Adresse de ${MAELYS.full_name} corrigée`).first()).toBeVisible();
  await expect(maelys.getByText(RIGHT).first()).toBeVisible();
  await expect(maelys.getByText(/^Envoyé le/).first()).toBeVisible();
  await expect(
    maelys.getByRole("button", { name: `Corriger l’adresse de ${MAELYS.full_name}` }),
  ).toBeHidden();
  const second = await mails.waitFor(RIGHT, ({ text }) => text.includes("/sign/"));

  const guest = createApiClient(server.url);
  const token = linkIn(second, /\/sign\//).searchParams.get("token") ?? "";
  const opened = await guest.get(`/api/signature/envelopes/${id}/guest/`, {
    headers: { "x-signature-token": token },
  });
  expect(opened.status).toBe(200);
  guest.close();
  await page.reload();
  await expect(maelys.getByText(/^Lien ouvert le/).first()).toBeVisible();
  const menu = come.getByRole("button", { name: `Actions pour ${COME.full_name}` });
  await menu.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Renvoyer par email" })).toBeVisible();
  await lookAt(page, "deliveries-menu", info);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`Invitation renvoyée à ${COME.full_name}`).first()).toBeVisible();
  await mails.waitFor(COME.email, ({ text }) => text.includes("/sign/"));
  await lookAt(page, "deliveries-mended", info);
  await readMails(page, info, [first, second]);
});
