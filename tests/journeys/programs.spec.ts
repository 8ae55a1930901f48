import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Locator, type Page } from "@playwright/test";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { person, personOf } from "../support/of-this-worker.ts";
import { nameOrganisation, openOwnPage } from "../support/own-organisation.ts";
import { expectStatus, logIn } from "../support/story.ts";
import { test, useSenderStage } from "../support/stories.ts";
import {
  exactButton as button,
  expectText,
  expectVisible,
  heading,
  modal,
  region,
} from "../support/controls.ts";

/** Keyboard alone: a key is made, copied, used and revoked; a webhook tried, replayed and stopped. */
const stage = useSenderStage(person("ines.cles", "Inès Boudjellal"));

let receiver: Server;
let status = 200;
test.beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end('{"received": true}'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
test.afterAll(() => receiver.close());

test("a program reads what its key allows, until the key is revoked @touch", async ({ page }) => {
  await stage.signIn(page);
  await page.goto("/settings/programmes");
  await expectVisible(heading(page, "Programmes"), page.getByText("Aucune clé"));
  await lookTwice(page, "keys-01-empty");
  await press(button(page, "Nouvelle clé"));
  const dialog = modal(page, "Nouvelle clé d’API");
  await press(dialog.getByRole("checkbox", { name: /^Lire les enveloppes/ }), "Space");
  await press(button(dialog, "Créer la clé"));
  await expectText(dialog, /Nom de la clé requis/, /Choisissez au moins un droit/);
  await press(dialog.getByRole("checkbox", { name: /^Lire les enveloppes/ }), "Space");
  await typeInto(page, "Nom", "Logiciel de paie");
  await typeInto(page, "Adresses IP admises (facultatif)", "10.0.0.0/33");
  await press(button(dialog, "Créer la clé"));
  await expectText(dialog, /Adresse IP invalide/);
  await lookTwice(page, "keys-02-new");
  await typeInto(page, "Adresses IP admises (facultatif)", "");
  await press(button(dialog, "Créer la clé"));
  const shown = modal(page, /^Votre clé «\sLogiciel de paie\s»$/);
  const secret = (await shown.getByText(/^pk_live_\w{32}$/).textContent()) ?? "";
  await lookTwice(page, "keys-03-created");
  await page.keyboard.press("Escape");
  await press(
    button(page.getByRole("alertdialog", { name: /^Fermer sans copier/ }), "Garder ouvert"),
  );
  await press(shown.getByRole("checkbox", { name: "J’ai copié cette clé" }), "Space");
  await press(button(shown, "Terminer"));

  const ask = () =>
    page.request.get("/api/signature/envelopes/", {
      headers: { authorization: `Bearer ${secret}` },
    });
  expect((await ask()).status()).toBe(200);
  await page.reload();
  await expectText(region(page, "Clés d’API"), "Logiciel de paie", "envelopes:read");
  await expect(page.getByText(secret)).toHaveCount(0);
  await lookTwice(page, "keys-04-list");
  await page.setViewportSize({ width: 1440, height: 900 });
  await lookAt(page, "keys-04-list-desk");

  await press(button(page, "Modifier Logiciel de paie"));
  const change = modal(page, /^Modifier «\sLogiciel de paie\s»$/);
  await typeInto(page, "Adresses IP admises (facultatif)", "198.51.100.7");
  await lookTwice(page, "keys-05-change");
  await press(button(change, "Enregistrer"));
  await expectText(page, "Clé modifiée", "Depuis 198.51.100.7");
  expect((await ask()).status()).toBe(403);

  await press(button(page, "Révoquer Logiciel de paie"));
  const question = page.getByRole("alertdialog", { name: /^Révoquer «\sLogiciel de paie\s»/ });
  await expect(button(question, "Garder la clé")).toBeFocused();
  await press(button(question, "Révoquer la clé"));
  await expectText(page, "Clé révoquée");
  await expectVisible(page.getByText("Aucune clé"));
  expect((await ask()).status()).toBe(401);
});

test("a program is told of events, and its log shows what it answered @touch", async ({ page }) => {
  await stage.signIn(page);
  await page.goto("/settings/programmes/webhooks");
  await expectVisible(page.getByText("Aucun webhook"));
  await lookTwice(page, "webhooks-01-empty");
  await press(button(page, "Nouveau webhook"));
  const dialog = modal(page, "Nouveau webhook");
  await typeInto(page, "Adresse", "https://192.168.1.20/hook");
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
  await expect(button(page, "Essayer")).not.toHaveAttribute("aria-busy");
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

  await expectRetries(page, log);
  await expectLongLog(page, log);

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

/** What a failing receiver has not taken is tried by hand, alone and all together. */
async function expectRetries(page: Page, log: Locator): Promise<void> {
  const guests = [{ email: "paul.morel@exemple.fr", full_name: "Paul Morel" }];
  const waiting = page.getByText(/pendant trois jours\.$/);
  const fail = async (title: string) => {
    status = 503;
    await stage.send(title, guests);
    await expect
      .poll(
        async () =>
          (await stage.sender.get("/api/signature/me/webhooks/")).json.webhooks[0].failing,
      )
      .toBe(true);
    await page.reload();
    await expectText(page, /1 événement attend\s: Paraphe le réessaie pendant trois jours\./);
  };
  await fail("Réessai d’un événement");
  await press(log.getByRole("button", { name: /^envelope\.sent.*503/ }).first());
  const panel = log.getByRole("region", { name: "Envoi envelope.sent" });
  await press(button(panel, "Réessayer maintenant"));
  await expectText(page, /Nouvel échec\s: 503/);
  await expectText(panel, /Prochain essai\s:/);
  await lookTwice(page, "webhooks-09-waits");
  status = 200;
  await page.setViewportSize({ width: 390, height: 844 });
  await press(button(panel, "Réessayer maintenant"));
  await expectText(page, "Événement reçu");
  await expect(log.getByRole("button", { name: /^envelope\.sent.*200/ })).toBeFocused();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(waiting).toHaveCount(0);
  await expectVisible(button(panel, "Rejouer"));

  await fail("Réessai du webhook");
  status = 200;
  await press(button(page, "Réessayer maintenant").first());
  await expectText(page, "Événements réessayés");
  await expect(waiting).toHaveCount(0);
  await expectVisible(log.getByRole("button", { name: /^envelope\.sent.*200/ }).first());
}

const MANY = 20;

/** The panel has its own height beside a long list, and stays in sight. */
async function expectLongLog(page: Page, log: Locator): Promise<void> {
  const at = "/api/signature/me/webhooks/";
  const [{ id }] = (await stage.sender.get(at)).json.webhooks;
  for (let sent = 0; sent < MANY; sent += 1)
    expectStatus(await stage.sender.post(`${at}${id}/test/`), 202, "test");
  const rows = log.getByRole("button", { name: /^test\.ping/ });
  await expect(async () => {
    await page.reload();
    await expect(rows.nth(MANY - 1)).toBeVisible({ timeout: 2_000 });
  }).toPass();
  const replay = button(log, "Rejouer");
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    expect((await replay.boundingBox())?.height).toBeLessThanOrEqual(44);
    await rows.last().scrollIntoViewIfNeeded();
    await expect(replay).toBeInViewport();
    await lookAt(page, `webhooks-10-long-${width}`);
  }
}

const ODILE = personOf("odile.cles", "Odile Renaud");

test("a team's key sees the team's envelopes alone, and its webhook is the administrators' @desk", async ({
  ownService,
  browser,
}) => {
  await nameOrganisation(ownService, ODILE);
  const { url } = ownService.server;
  const lead = await logIn(url, ODILE.username);
  const { members } = (await lead.get("/api/organisation/members/")).json;
  const json = { name: "Marchés", members: [{ id: members[0].id, is_administrator: true }] };
  expectStatus(await lead.post("/api/organisation/teams/", { json }), 200, "team");
  lead.close();
  const page = await openOwnPage(browser, ownService, ODILE.username);
  await page.goto("/settings/programmes");
  await press(button(page, "Nouvelle clé"));
  const dialog = modal(page, "Nouvelle clé d’API");
  await typeInto(page, "Nom", "Logiciel des marchés");
  await tabTo(dialog.getByLabel("Au nom de"));
  await page.keyboard.press("ArrowUp");
  await expectText(dialog, /rien de ce qui est à vous seul/);
  await lookTwice(page, "keys-06-team");
  await press(button(dialog, "Créer la clé"));
  const shown = modal(page, /^Votre clé «\sLogiciel des marchés\s»$/);
  const secret = (await shown.getByText(/^pk_live_\w{32}$/).textContent()) ?? "";
  await press(shown.getByRole("checkbox", { name: "J’ai copié cette clé" }), "Space");
  await press(button(shown, "Terminer"));
  await expectText(region(page, "Clés d’API"), "Équipe Marchés", "par Odile Renaud");
  await lookTwice(page, "keys-07-team-list");
  const headers = { authorization: `Bearer ${secret}` };
  const mine = await page.request.get("/api/signature/me/", { headers });
  expect((await mine.json()).user.teams).toMatchObject([{ name: "Marchés" }]);

  await page.goto("/settings/programmes/webhooks");
  await press(button(page, "Nouveau webhook"));
  const made = modal(page, "Nouveau webhook");
  const at = `http://localhost:${(receiver.address() as AddressInfo).port}/marches`;
  await typeInto(page, "Adresse", at);
  await tabTo(made.getByLabel("Au nom de"));
  await page.keyboard.press("ArrowUp");
  await lookTwice(page, "webhooks-06-team");
  await press(button(made, "Créer le webhook"));
  const secretShown = modal(page, "Secret du webhook");
  await press(secretShown.getByRole("checkbox", { name: "J’ai copié ce secret" }), "Space");
  await press(button(secretShown, "Terminer"));
  await lookTwice(page, "webhooks-07-team-list");
  await press(page.getByRole("link", { name: at }));
  await expectText(page, /au nom de\s: Équipe Marchés, par Odile Renaud/);
  await press(button(page, "Modifier"));
  const change = modal(page, "Modifier le webhook");
  await typeInto(page, "Adresse", `${at}/deux`);
  await press(button(change, "Enregistrer"));
  await expectText(page, `${at}/deux`);
  await lookTwice(page, "webhooks-08-team-log");
});
