import { expect, type Page, type TestInfo } from "@playwright/test";
import { CHROMIUM } from "../../packages/pades/testing/find-browser.ts";
import { press, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { ofThisWorker, PHONE } from "../support/of-this-worker.ts";
import { receivePush } from "../support/receive-push.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { signIn } from "../support/sign-in.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";

/** The text message comes to the local mailbox: no gateway is set. */
async function verifyNumber(page: Page, url: string): Promise<void> {
  const mailbox = readLocalMailbox(url);
  await mailbox.takeAll(PHONE.destination);
  await press(page, page.getByRole("button", { name: "Vérifier ce numéro", exact: true }));
  const code = page.getByLabel("Code reçu par SMS");
  await expect(code).toBeFocused();
  const { text } = await mailbox.waitFor(PHONE.destination, ({ text: words }) =>
    words.includes("vérifier votre numéro"),
  );
  await page.keyboard.type(text.slice(0, 6));
  await expect(page.getByText("numéro vérifié.")).toBeVisible();
}

const PERSON = ofThisWorker({
  username: "maelys",
  email: "maelys@exemple.fr",
  firstName: "Maëlys",
  lastName: "Roux",
});

// Chromium's headless shell shows no notifications.
test.use({
  launchOptions: [
    ({ launchOptions }, use) => use({ ...launchOptions, executablePath: CHROMIUM }),
    { scope: "worker" },
  ],
});

const stage = useSenderStage(PERSON);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const save = (page: Page) => press(page, button(page, "Enregistrer"));

async function giveNumber(page: Page): Promise<void> {
  await page.goto(`${stage.server.url}/profile`);
  await typeInto(page, "Téléphone (facultatif)", PHONE.typed);
  await save(page);
  await expect(page.getByText("Profil enregistré")).toBeVisible();
  await verifyNumber(page, stage.server.url);
}

async function chooseChannels(page: Page, info: TestInfo): Promise<void> {
  if (await page.getByRole("navigation", { name: "Paramètres" }).isHidden())
    await press(page, page.getByRole("main").getByRole("link", { name: "Paramètres" }));
  await press(
    page,
    page
      .getByRole("navigation", { name: "Paramètres" })
      .getByRole("link", { name: /^Notifications/ }),
  );
  await expect(page.getByRole("heading", { level: 1, name: "Notifications" })).toBeFocused();
  await expect(page.getByRole("switch", { name: "Email" })).toBeChecked();
  await expect(page.getByText(PHONE.shown)).toBeVisible();
  await press(page, page.getByRole("switch", { name: "Email" }), "Space");
  await expect(page.getByRole("alert").getByText("Sélectionnez au moins un canal")).toBeVisible();
  await expect(button(page, "Enregistrer")).toHaveAttribute("aria-disabled", "true");
  await lookAt(page, "settings-08-no-channel", info);
  await press(page, page.getByRole("switch", { name: "SMS" }), "Space");
  await press(page, page.getByRole("switch", { name: "Heures calmes" }), "Space");
  await save(page);
  await expect(page.getByText("Préférences enregistrées")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("switch", { name: "Heures calmes" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "SMS" })).toBeChecked();
  await expect(page.getByRole("switch", { name: "Email" })).not.toBeChecked();
  await lookTwice(page, "settings-09-channels", info);
}

test("one says how one is reached, by the keyboard alone; what is pushed to the browser is shown, and leads to its page @touch", async ({
  context,
  page,
}, info) => {
  await signIn(page, { url: stage.server.url, username: PERSON.username });
  await giveNumber(page);
  await chooseChannels(page, info);
  await receivePush(page, { context, url: stage.server.url });
});
