import { expect, type Page } from "@playwright/test";
import {
  button,
  exactButton,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  shown,
  shownButton,
} from "../support/controls.ts";
import { press, tabTo } from "../support/keyboard.ts";
import { everythingCanBeHit, lookTwice } from "../support/look-at.ts";
import { personOf } from "../support/of-this-worker.ts";
import { nameOrganisation, openOwnPage } from "../support/own-organisation.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { type OwnService, test } from "../support/stories.ts";
import {
  confirmAddress,
  expectStatus,
  logIn,
  registerPerson,
  sendContract,
} from "../support/story.ts";

/** Keyboard alone. Clémence is away; Maximilien signs for her what Fanny sends. */
const CLEMENCE = personOf("clemence.deleg", "Clémence Aubry-Lefèvre");
const MAXIMILIEN = personOf("maximilien.deleg", "Maximilien Vandenbroucke");
const FANNY = personOf("fanny.deleg", "Fanny Delaunay");
const CONSENT =
  "J’ai lu le document et j’accepte de le signer électroniquement, pour Clémence Aubry-Lefèvre.";

async function joinOrganisation({ server, mails }: OwnService): Promise<void> {
  const lead = await logIn(server.url, CLEMENCE.username);
  const invited = { json: { emails: [MAXIMILIEN.email], role: "member" } };
  expectStatus(await lead.post("/api/organisation/invitations/", invited), 200, "invitation");
  lead.close();
  const mail = await mails.waitFor(MAXIMILIEN.email, ({ text }) => text.includes("/invitation#"));
  const token = linkIn(mail, /\/invitation#/).hash.slice(1);
  const joiner = await logIn(server.url, MAXIMILIEN.username);
  const accepted = { json: { token } };
  expectStatus(await joiner.post("/api/organisation/invitations/accept/", accepted), 200, "join");
  joiner.close();
}

async function send({ server }: OwnService, title: string): Promise<string> {
  const sender = await logIn(server.url, FANNY.username);
  const guest = { email: CLEMENCE.email, full_name: "Clémence Aubry-Lefèvre" };
  const id = await sendContract(sender, title, [guest], { fields: [] });
  sender.close();
  return id;
}

async function delegate(page: Page): Promise<void> {
  await page.goto("/settings/delegations");
  await expectText(page, "Aucune délégation");
  await lookTwice(page, "delegations-01-none");
  await press(exactButton(page, "Nouvelle délégation"));
  const dialog = modal(page, "Nouvelle délégation");
  await press(exactButton(dialog, "Créer la délégation"));
  await expectText(dialog, "Choisissez une personne.");
  await tabTo(dialog.getByLabel("À qui"));
  await page.keyboard.type("Max");
  await expectText(
    dialog,
    /diront\s: «\sMaximilien Vandenbroucke, pour Clémence Aubry-Lefèvre, par délégation\s»/,
  );
  await tabTo(dialog.getByLabel("Pour", { exact: true }));
  await page.keyboard.type("Les s");
  await lookTwice(page, "delegations-02-new");
  await press(exactButton(dialog, "Créer la délégation"));
  await expectText(page, "En cours", /mes signatures seulement/);
  await lookTwice(page, "delegations-03-list");
}

async function openDocument(page: Page, title: string): Promise<void> {
  await page.goto("/signature/envelopes/action-required");
  await expectVisible(shown(page.getByText(/pour Clémence Aubry-Lefèvre/)));
  await lookTwice(page, "delegations-04-action-required");
  await press(shown(link(page, `Signer ${title}`)));
  await expectText(page, /Vous signez pour Clémence Aubry-Lefèvre, par délégation/);
  await press(shown(button(page.locator("[data-field]"), /Signer ici/)));
  const dialog = modal(page, "Votre signature");
  const chosen = dialog.getByRole("tab", { selected: true });
  while ((await chosen.textContent()) !== "Saisir") await press(chosen, "ArrowRight");
  // The mark is the delegate's.
  await expect(dialog.getByRole("textbox")).toHaveValue("Maximilien Vandenbroucke");
  await press(button(dialog, "Utiliser cette signature"));
  await tabTo(shown(page.getByRole("checkbox", { name: CONSENT })));
  await page.keyboard.press("Space");
  await lookTwice(page, "delegations-05-sign");
  await everythingCanBeHit(page, "signing by delegation");
}

test("a member names a delegate, who signs in their place until it is stopped", async ({
  ownService,
  browser,
}) => {
  const world = { url: ownService.server.url, mails: ownService.mails };
  await nameOrganisation(ownService, CLEMENCE, { isOpen: true });
  await registerPerson(world, MAXIMILIEN);
  await registerPerson(world, FANNY);
  await joinOrganisation(ownService);
  const absent = await openOwnPage(browser, ownService, CLEMENCE.username);
  const page = await openOwnPage(browser, ownService, MAXIMILIEN.username);
  await absent.goto("/settings/delegations");
  await expectText(absent, "Votre adresse email n’est pas confirmée");
  await lookTwice(absent, "delegations-00-unconfirmed");
  // The first start's owner confirms her address by the link of a first document.
  await confirmAddress(world, CLEMENCE, await send(ownService, "Convention d’honoraires"));
  await delegate(absent);
  await openDocument(page, "Convention d’honoraires");
  await press(shownButton(page, "Signer par délégation"));
  await expectVisible(heading(page, /Signature confirmée/));
  await ownService.mails.waitFor(CLEMENCE.email, ({ text }) =>
    text.includes("Maximilien Vandenbroucke a signé pour vous, par délégation"),
  );
  await page.goto("/settings/delegations");
  await expectText(page, "Je signe pour");
  await lookTwice(page, "delegations-06-received");

  await send(ownService, "Avenant");
  await ownService.mails.waitFor(
    MAXIMILIEN.email,
    ({ subject, text }) =>
      /Document à signer\s: Avenant \(pour Clémence Aubry-Lefèvre\)/.test(subject) &&
      text.includes("Vous répondez pour Clémence Aubry-Lefèvre, par délégation, jusqu’au"),
  );
  await openDocument(page, "Avenant");
  await absent.reload();
  await press(exactButton(absent, "Arrêter la délégation à Maximilien Vandenbroucke"));
  const dialog = absent.getByRole("alertdialog");
  await expectText(dialog, /Sa signature déjà donnée reste valable. 1 document qui attend/);
  await expect(exactButton(dialog, "Laisser en cours")).toBeFocused();
  await lookTwice(absent, "delegations-07-stop");
  await press(exactButton(dialog, "Arrêter la délégation"));
  await expectText(absent, "1 délégation passée");
  // Gone already if the page was read again on the return to it.
  await shownButton(page, "Signer par délégation")
    .click({ timeout: 5_000 })
    .catch(() => {});
  await expectVisible(heading(page, "Cette délégation vient de se terminer"));
  await expectText(page, /Rien n’a été signé\s: le document revient à Clémence Aubry-Lefèvre/);
  await lookTwice(page, "delegations-08-over");
});
