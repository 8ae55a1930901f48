import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { press, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  exactButton as button,
  expectText,
  expectVisible,
  modal,
  region,
} from "../support/controls.ts";

/** Keyboard alone: a webhook is made, tried, read in its log, replayed, stopped and taken up. */
const stage = useSenderStage(person("paul.hooks", "Paul Hooks"));

let receiver: Server;
let status = 200;
test.beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end('{"received": true}'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
test.afterAll(() => receiver.close());

test("a program is told of events, and its log shows what it answered @touch", async ({ page }) => {
  await stage.signIn(page);
  await page.goto("/settings/programmes/webhooks");
  await expectVisible(page.getByText("Aucun webhook"));
  await lookTwice(page, "webhooks-01-empty");
  await press(button(page, "Nouveau webhook"));
  const dialog = modal(page, "Nouveau webhook");
  await typeInto(page, "Adresse", "http://192.168.1.20/hook");
  await press(button(dialog, "Créer le webhook"));
  await expectText(dialog, /n’est pas joignable depuis Internet/);
  await lookTwice(page, "webhooks-02-new");
  const url = `http://localhost:${(receiver.address() as AddressInfo).port}/hooks/paraphe`;
  await typeInto(page, "Adresse", url);
  await press(button(dialog, "Créer le webhook"));
  const shown = modal(page, "Secret du webhook");
  await expect(shown.getByText(/^whsec_/)).toBeVisible();
  await lookTwice(page, "webhooks-03-secret");
  const copied = shown.getByRole("checkbox", { name: "J’ai copié ce secret" });
  await press(button(shown, "Terminer"));
  await expect(copied).toBeFocused();
  await press(copied, "Space");
  await press(button(shown, "Terminer"));
  await press(page.getByRole("link", { name: url }));

  const log = region(page, "Journal des envois");
  await expectText(log, /Rien n’a encore été envoyé/);
  await press(button(page, "Essayer"));
  await expectVisible(log.getByRole("button", { name: /^test\.ping.* 200/ }));
  status = 500;
  await press(button(page, "Essayer"));
  await expect(log.getByRole("button", { name: /500/ })).toHaveAttribute("aria-expanded", "true");
  await expectText(log.getByRole("region", { name: "Envoi test.ping" }), /webhook-id: msg_/);
  await lookTwice(page, "webhooks-04-log");
  await page.setViewportSize({ width: 1440, height: 900 });
  await lookAt(page, "webhooks-04-log-desk");

  // Arrows walk the rows, and the panel follows.
  await log.getByRole("button", { name: /500/ }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(log.getByRole("button", { name: /200/ })).toBeFocused();
  await expectText(log.getByRole("region", { name: "Envoi test.ping" }), /"received": true/);
  status = 200;
  await press(button(log, "Rejouer"));
  await expectText(page, "Événement rejoué");
  await expect(log.getByRole("button", { name: /test\.ping/ })).toHaveCount(3);

  await press(button(page, "Autres actions"));
  await press(page.getByRole("menuitem", { name: "Mettre en pause" }));
  await expectVisible(page.getByText(/^En pause depuis le/));
  await lookTwice(page, "webhooks-05-paused");
  await press(button(page, "Reprendre"));
  await expectText(page, "Webhook repris");
  await expect(page.getByText(/^En pause depuis le/)).toHaveCount(0);

  await press(button(page, "Autres actions"));
  await page.keyboard.press("End");
  await press(page.getByRole("menuitem", { name: "Supprimer" }));
  const question = page.getByRole("alertdialog", { name: /^Supprimer ce webhook/ });
  await expect(button(question, "Garder le webhook")).toBeFocused();
  await press(button(question, "Supprimer le webhook"));
  await expectVisible(page.getByText("Aucun webhook"));
});
