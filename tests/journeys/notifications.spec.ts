import { expect, type Page } from "@playwright/test";
import { CHROMIUM } from "../../packages/pades/testing/find-browser.ts";
import { press, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { person, PHONE } from "../support/of-this-worker.ts";
import { receivePush } from "../support/receive-push.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { exactButton as button, expectText, heading, link } from "../support/controls.ts";

/** The text message comes to the local mailbox: no gateway is set. */
async function verifyNumber(page: Page, url: string): Promise<void> {
  const mailbox = readLocalMailbox(url);
  await mailbox.takeAll(PHONE.destination);
  await press(page.getByRole("button", { name: "Vérifier ce numéro", exact: true }));
  const code = page.getByLabel("Code reçu par SMS");
  await expect(code).toBeFocused();
  const { text } = await mailbox.waitFor(PHONE.destination, ({ text: words }) =>
    words.includes("vérifier votre numéro"),
  );
  await page.keyboard.type(text.slice(0, 6));
  await expectText(page, "numéro vérifié.");
}

const PERSON = person("maelys", "Maëlys Roux");

// Chromium's headless shell shows no notifications.
test.use({
  launchOptions: [
    ({ launchOptions }, use) => use({ ...launchOptions, executablePath: CHROMIUM }),
    { scope: "worker" },
  ],
});

const stage = useSenderStage(PERSON);
const save = (page: Page) => press(button(page, "Enregistrer"));

async function giveNumber(page: Page): Promise<void> {
  await page.goto("/profile");
  await typeInto(page, "Téléphone (facultatif)", PHONE.typed);
  await save(page);
  await expectText(page, "Profil enregistré");
  await verifyNumber(page, stage.server.url);
}

async function chooseChannels(page: Page): Promise<void> {
  if (await page.getByRole("navigation", { name: "Paramètres" }).isHidden())
    await press(link(page.getByRole("main"), "Paramètres"));
  await press(link(page.getByRole("navigation", { name: "Paramètres" }), /^Notifications/));
  await expect(heading(page, "Notifications")).toBeFocused();
  await expect(page.getByRole("switch", { name: "Email" })).toBeChecked();
  await expectText(page, PHONE.shown);
  await press(page.getByRole("switch", { name: "Email" }), "Space");
  await expectText(page.getByRole("alert"), "Sélectionnez au moins un canal");
  await expect(button(page, "Enregistrer")).toHaveAttribute("aria-disabled", "true");
  await lookAt(page, "settings-08-no-channel");
  await press(page.getByRole("switch", { name: "SMS" }), "Space");
  await press(page.getByRole("switch", { name: "Heures calmes" }), "Space");
  await save(page);
  await expectText(page, "Préférences enregistrées");
  await page.reload();
  await expect(page.getByRole("switch", { name: "Heures calmes" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "SMS" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "Email" })).not.toBeChecked();
  await lookTwice(page, "settings-09-channels");
}

test("a person chooses channels by the keyboard alone, and the browser shows a pushed message @touch", async ({
  context,
  page,
}) => {
  await stage.signIn(page);
  await giveNumber(page);
  await chooseChannels(page);
  await receivePush(page, { context, url: stage.server.url });
});
