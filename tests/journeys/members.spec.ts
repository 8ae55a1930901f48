import { expect, type Page } from "@playwright/test";
import {
  button,
  download,
  exactButton,
  exactLink as link,
  expectInSight,
  expectText,
  expectVisible,
  heading,
  modal,
} from "../support/controls.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { personOf } from "../support/of-this-worker.ts";
import { nameOrganisation, openOwnPage } from "../support/own-organisation.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { type OwnService, test } from "../support/stories.ts";
import { makeContract } from "../support/make-contract.ts";
import {
  createEnvelope,
  expectStatus,
  logIn,
  PASSWORD,
  registerPerson,
  sendEnvelope,
} from "../support/story.ts";

/** Keyboard alone. An organisation of four: its owner, two who register, one who has an account. */
const CLEMENCE = personOf("clemence.aubry", "Clémence Aubry-Lefèvre");
const FANNY = personOf("fanny.delaunay", "Fanny Delaunay");
const INES = personOf("ines.boudjellal", "Inès Boudjellal");
const PAUL = personOf("paul.martin", "Paul Martin");

/** On a desk in the light and the dark, then on a phone: a story for each would register again. */
async function lookAtBothWidths(page: Page, name: string): Promise<void> {
  await lookTwice(page, name);
  await page.setViewportSize({ width: 390, height: 844 });
  await lookAt(page, `${name}-390`);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function inviteAll(page: Page): Promise<void> {
  await expectText(page, /1 membre/);
  await lookAtBothWidths(page, "members-01-alone");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectInSight(link(page, "Journal").first());
  await page.setViewportSize({ width: 1440, height: 900 });
  await press(exactButton(page, "Inviter des membres"));
  const dialog = modal(page, "Inviter des membres");
  await expect(dialog.getByLabel("Adresses email")).toBeFocused();
  await page.keyboard.type(
    `${FANNY.email}, pas une adresse, Inès <${INES.email}>\nnadia.exemple.fr\n`,
  );
  await expectText(dialog, "2 adresses reconnues.");
  await press(exactButton(dialog, "Envoyer 2 invitations"));
  await expectText(
    dialog,
    "Ces 2 textes ne sont pas des adresses email : « pas une adresse », « nadia.exemple.fr ». Corrigez-les ou retirez-les.",
  );
  await lookAt(page, "members-02-invite-fault");
  await tabTo(dialog.getByLabel("Adresses email"));
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(`${FANNY.email}, Inès <${INES.email}>\n${PAUL.email}`);
  await expectVisible(dialog.getByRole("radio", { name: /^Membre/ }));
  await lookAtBothWidths(page, "members-03-invite");
  await press(exactButton(dialog, "Envoyer 3 invitations"));
  await expectText(page, "3 invitations envoyées");
  await press(link(page, "Invitations 3"));
  await expectText(page, PAUL.email, FANNY.email);
  await lookAtBothWidths(page, "members-04-invitations");
}

async function linkFor({ mails }: OwnService, email: string): Promise<string> {
  const mail = await mails.waitFor(email, ({ text }) => text.includes("/invitation#"));
  return linkIn(mail, /\/invitation#/).href;
}

async function registerBy(page: Page, own: OwnService, person: typeof FANNY): Promise<void> {
  await page.goto(await linkFor(own, person.email));
  await expectVisible(heading(page, "Rejoindre Cabinet Aubry & Associés"));
  await expectText(page, /Clémence Aubry-Lefèvre vous invite/, person.email);
  await lookAtBothWidths(page, "members-05-invitation");
  await press(link(page, "Créer mon compte"));
  await expect(page.getByLabel("Email")).toHaveValue(person.email);
  await typeInto(page, "Nom d’utilisateur", person.username);
  await typeInto(page, "Mot de passe", PASSWORD);
  await press(exactButton(page, "Suivant"));
  await typeInto(page, "Prénom", person.firstName);
  await typeInto(page, "Nom", person.lastName);
  await press(button(page, /^Créer mon compte|^S’inscrire|^S'inscrire/));
  await expectText(page, /Compte activé avec succès/);
}

async function joinWithAccount(page: Page, own: OwnService): Promise<void> {
  await page.goto(await linkFor(own, PAUL.email));
  await press(link(page, "Se connecter"));
  await typeInto(page, "Nom d’utilisateur", PAUL.username);
  await typeInto(page, "Mot de passe", PASSWORD);
  await page.keyboard.press("Enter");
  await press(exactButton(page, "Accepter l’invitation"));
  await expectVisible(heading(page, /Bonjour|Tableau de bord/));
  await page.goto("/settings/membres");
  await expectText(page, "4 membres");
  // A member sees the list without controls.
  await expect(page.getByRole("combobox", { name: /^Rôle de/ })).toHaveCount(0);
  await expect(exactButton(page, "Inviter")).toHaveCount(0);
  await lookAt(page, "members-06-as-member");
}

async function changeRoles(page: Page): Promise<void> {
  await page.goto("/settings/membres");
  await expectText(page, "4 membres");
  await lookAtBothWidths(page, "members-07-list");
  const role = page.getByLabel("Rôle d’Inès Boudjellal");
  await tabTo(role);
  await page.keyboard.type("Adm");
  await page.keyboard.press("Enter");
  await expectText(page, "Inès Boudjellal : administrateur");
  await expect(role).toHaveValue("administrator");
  await lookAt(page, "members-08-undo");
  await press(exactButton(page, "Annuler le changement"));
  await expect(role).toHaveValue("member");
  await tabTo(page.getByLabel("Rôle de Clémence Aubry-Lefèvre"));
  await page.keyboard.type("Lec");
  await expectText(page, /Vous êtes la seule personne propriétaire/);
  await lookAt(page, "members-09-last-owner");
  await press(exactButton(page, "Compris"));
}

async function makeTeam(page: Page): Promise<void> {
  await press(link(page, "Équipes 0"));
  await press(exactButton(page, "Nouvelle équipe"));
  const dialog = modal(page, "Nouvelle équipe");
  await expect(dialog.getByLabel("Nom de l’équipe")).toBeFocused();
  await page.keyboard.type("Urbanisme");
  for (const name of [INES, PAUL].map((one) => `${one.firstName} ${one.lastName}`)) {
    await tabTo(dialog.getByRole("checkbox", { name, exact: true }));
    await page.keyboard.press("Space");
  }
  await lookTwice(page, "members-14-team");
  await press(exactButton(dialog, "Créer l’équipe"));
  await expectText(page, /2 membres · 0 modèle, 0 enveloppe en cours/);
  await lookTwice(page, "members-15-teams");
}

async function shareInTeam(page: Page, inTeam: Page, own: OwnService): Promise<void> {
  const { url } = own.server;
  const paul = await logIn(url, PAUL.username);
  const [team] = (await paul.get("/api/organisation/teams/")).json.teams;
  const guests = [{ email: "nadia.benali@exemple.fr", full_name: "Nadia Benali" }];
  const pdf = await makeContract("Permis de construire");
  const { id } = await createEnvelope(paul, { title: "Permis de construire", pdf, guests });
  const path = `/api/signature/envelopes/${id}/`;
  expectStatus(await paul.patch(path, { json: { team: team.id } }), 200, "for the team");
  await sendEnvelope(paul, id);
  paul.close();
  const mail = await own.mails.waitFor("nadia.benali@exemple.fr", ({ text }) =>
    text.includes("Permis de construire"),
  );
  expect(mail.text).toContain("de la part du service Urbanisme");
  await inTeam.goto(`/signature/detail/${id}`);
  await expectText(inTeam, /de la part du service Urbanisme/);
  await expectVisible(exactButton(inTeam, "Plus d’actions"));
  await lookAt(inTeam, "members-16-team-envelope");
  await page.goto("/settings/membres");
  await tabTo(page.getByLabel("Rôle d’Inès Boudjellal"));
  await page.keyboard.type("Lec");
  await expectText(page, "Inès Boudjellal : lecteur");
  await inTeam.goto("/signature/envelopes/sent");
  await expectText(inTeam, "Permis de construire");
  await expect(link(inTeam, "Créer une enveloppe")).toHaveCount(0);
  await expect(button(inTeam, /^Annuler l’enveloppe/)).toHaveCount(0);
  await lookAt(inTeam, "members-17-reader");
}

async function removeFanny(page: Page): Promise<void> {
  await press(exactButton(page, "Actions pour Fanny Delaunay"));
  await lookAt(page, "members-10-menu");
  await page.keyboard.press("End");
  await expect(page.getByRole("menuitem", { name: "Retirer de l’organisation…" })).toBeFocused();
  await page.keyboard.press("Enter");
  const dialog = modal(page, /^Retirer Fanny Delaunay/);
  await expect(exactButton(dialog, "Garder Fanny Delaunay")).toBeFocused();
  await press(exactButton(dialog, "Retirer et confier"));
  await expectText(dialog, "Choisissez à qui confier ce qui reste.");
  await tabTo(dialog.getByLabel("Les confier à"));
  // The team comes after the people.
  await page.keyboard.press("End");
  await lookAtBothWidths(page, "members-11-leave");
  await press(exactButton(dialog, "Retirer et confier"));
  await expectText(page, "Fanny Delaunay n’a plus accès", "3 membres");
}

async function readJournal(page: Page): Promise<void> {
  await press(link(page, "Journal"));
  await expectText(
    page,
    /^Fanny Delaunay n’a plus accès\s; ses enveloppes, modèles et contacts sont confiés/,
  );
  await lookAtBothWidths(page, "members-12-journal");
  const file = await download(page, () => press(link(page, "Exporter le journal en CSV")));
  expect(file.suggestedFilename()).toMatch(/^journal-organisation-\d{4}-\d\d-\d\d\.csv$/);
}

test("an owner invites three people, who join with a new account and with theirs; roles change, a team shares an envelope, one leaves, and the journal records it @desk", async ({
  ownService,
  browser,
}) => {
  await registerPerson({ url: ownService.server.url, mails: ownService.mails }, PAUL);
  await nameOrganisation(ownService, CLEMENCE);
  const page = await openOwnPage(browser, ownService, CLEMENCE.username);
  await page.goto("/settings/membres");
  await inviteAll(page);
  const newcomer = await openOwnPage(browser, ownService);
  await registerBy(newcomer, ownService, FANNY);
  await registerBy(await openOwnPage(browser, ownService), ownService, INES);
  await joinWithAccount(await openOwnPage(browser, ownService), ownService);
  await changeRoles(page);
  await makeTeam(page);
  const ines = await openOwnPage(browser, ownService, INES.username);
  await shareInTeam(page, ines, ownService);
  await removeFanny(page);
  await readJournal(page);
  const [used] = ownService.mails.mails.filter(({ to }) => to.includes(FANNY.email));
  await newcomer.goto(used ? linkIn(used, /\/invitation#/).href : "/");
  await expectVisible(heading(newcomer, "Cette invitation a déjà servi"));
  await lookAt(newcomer, "members-13-used");
});
