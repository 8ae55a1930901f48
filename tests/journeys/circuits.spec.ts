import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type Browser, expect, type Page } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import {
  button,
  exactButton,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  nextFrames,
  shownButton,
} from "../support/controls.ts";
import { press } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { personOf } from "../support/of-this-worker.ts";
import { signIn } from "../support/sign-in.ts";
import { codeIn, isCode, linkIn } from "../support/start-mail-server.ts";
import { type OwnService, test } from "../support/stories.ts";
import { createEnvelope, expectStatus, logIn, PASSWORD, signInvitation } from "../support/story.ts";

/** A town hall: the secretary prepares, the head of service gives a visa, the mayor signs. */
const INES = personOf("ines.boudjellal", "Inès Boudjellal");
const HEAD = { email: "chef@mairie.exemple.fr", full_name: "Maximilien Vandenbroucke" };
const MAYOR = { email: "maire@mairie.exemple.fr", full_name: "Camille Roux" };
const DEPUTY = { email: "adjoint@mairie.exemple.fr", full_name: "Maëlys Adam" };
const ARCHIVES = { email: "archives@mairie.exemple.fr", full_name: "Archives" };

async function becomeOwner({ server }: OwnService): Promise<void> {
  const token = /\/premier-demarrage#(\S+)/.exec(server.said())?.[1];
  const client = createApiClient(server.url);
  await client.get("/api/verify-token/");
  const account = {
    username: INES.username,
    email: INES.email,
    password: PASSWORD,
    first_name: INES.firstName,
    last_name: INES.lastName,
  };
  const claim = { json: { token, account } };
  expectStatus(await client.post("/api/signature/first-start/", claim), 201, "first start");
  client.close();
}

async function fillStep(page: Page, step: number, person: typeof HEAD): Promise<void> {
  const item = page.getByRole("listitem").filter({ hasText: `Étape ${step}` });
  await item.getByLabel("Nom").fill(person.full_name);
  await item.getByLabel("Email").fill(person.email);
}

async function makeCircuit(page: Page): Promise<void> {
  await page.goto("/settings/circuits");
  await expectVisible(page.getByRole("heading", { name: "Aucun circuit" }));
  await lookTwice(page, "circuits-01-none");
  await press(link(page, "Créer un circuit"));
  await exactButton(page, "Enregistrer").click();
  await expectText(page, "Le circuit n’est pas enregistré", "Étape 1 : choisissez qui vise.");
  await lookAt(page, "circuits-02-faults");
  await page.getByLabel("Nom du circuit").fill("Conventions et marchés");
  await fillStep(page, 1, HEAD);
  const first = page.getByRole("listitem").filter({ hasText: "Étape 1" });
  await first.getByLabel("Délai").selectOption("2 jours ouvrés");
  await first.getByLabel("Rappel").selectOption("La veille");
  await fillStep(page, 2, MAYOR);
  await button(page, "Ajouter une étape").click();
  await page.getByRole("group", { name: "Ce que fait l’étape 3" }).getByText("Copie").click();
  await fillStep(page, 3, ARCHIVES);
  await expectText(
    page,
    "Maximilien Vandenbroucke vise sous 2 jours ouvrés, puis Camille Roux signe ; Archives reçoit copie.",
  );
  await button(page, "Étape 2 : Signature").press("Alt+ArrowUp");
  await expect(button(page, "Étape 1 : Signature")).toBeFocused();
  await page.keyboard.press("Alt+ArrowDown");
  await expect(button(page, "Étape 2 : Signature")).toBeFocused();
  const down = button(page, "Descendre l’étape 1");
  await down.press("Enter");
  await expect(button(page, "Descendre l’étape 2")).toBeFocused();
  await button(page, "Monter l’étape 2").press("Enter");
  await expect(button(page, "Monter l’étape 1")).toBeFocused();
  await page.getByLabel("Ce circuit est").selectOption("imposed");
  await page.getByLabel("Genres de document").fill("Convention");
  await page.evaluate("scrollTo(0, 0)");
  await lookTwice(page, "circuits-03-editor");
  await exactButton(page, "Enregistrer").click();
  await expectText(page, "Fixé pour « Convention » · Aucune enveloppe en cours");
  await lookTwice(page, "circuits-04-list");
}

async function keepParty(page: Page, { server }: OwnService): Promise<string> {
  const sender = await logIn(server.url, INES.username);
  const step = { kind: "signature", together: false, may_return: false, may_reassign: false };
  const steps = [
    { ...step, by: { who: "person", ...MAYOR } },
    { ...step, by: { who: "owner" } },
    { ...step, by: { who: "other_party" } },
  ];
  const circuit = { name: "Marchés", use: "imposed", kinds: ["Marché"], steps };
  expectStatus(await sender.post("/api/organisation/circuits/", { json: circuit }), 200, "circuit");
  const pdf = await makeContract("Marché");
  const { id } = await createEnvelope(sender, { title: "Marché", pdf, guests: [], fields: [] });
  sender.close();
  await page.goto(`/signature/workflow/${id}?etape=destinataires`);
  const kind = page.getByLabel("Genre de document");
  await kind.selectOption("Marché");
  await button(page, "Appliquer le circuit").click();
  await expectText(page, "Nom requis", "Email requis");
  await lookAt(page, "circuits-05-party-missing");
  await page.getByLabel("Nom de l’autre partie").fill(DEPUTY.full_name);
  await page.getByLabel("Email de l’autre partie").fill(DEPUTY.email);
  await button(page, "Appliquer le circuit").click();
  await expectText(page, "Circuit appliqué : Marchés", "Rôle fixé par le circuit");
  await lookTwice(page, "circuits-05-party");
  await expectClearFocus(page);
  await kind.selectOption("Autre");
  await expect(page.getByText("Circuit appliqué")).toHaveCount(0);
  await kind.selectOption("Marché");
  await expectText(page, `Vides, ces deux champs gardent ${DEPUTY.full_name}.`);
  await button(page, "Appliquer le circuit").click();
  await expectText(page, "Circuit appliqué : Marchés");
  await expect(page.getByText("Rôle fixé par le circuit")).toHaveCount(1);
  return id;
}

async function deleteCircuit(page: Page, draft: string): Promise<void> {
  await page.goto("/settings/circuits");
  await button(page, "Supprimer Marchés").click();
  const dialog = page.getByRole("alertdialog");
  await expectText(dialog, "Aucun circuit ne sera plus fixé pour « Marché »");
  await lookAt(page, "circuits-05-delete");
  await exactButton(dialog, "Supprimer").click();
  await expect(button(page, "Supprimer Marchés")).toHaveCount(0);
  await page.goto(`/signature/workflow/${draft}?etape=destinataires`);
  await expect(page.getByLabel("Genre de document")).toHaveValue("Marché");
  await expectText(page, "Circuit appliqué : Marchés, modifié ou supprimé depuis");
  await lookAt(page, "circuits-05-gone");
}

async function correctFixed(page: Page): Promise<void> {
  await button(page, `Actions pour ${MAYOR.full_name}`).click();
  await page.getByRole("menuitem", { name: "Corriger le téléphone" }).click();
  const dialog = modal(page, "Corriger le téléphone");
  await expectText(dialog, "Le circuit de l’organisation fixe le nom et l’adresse.");
  await lookAt(page, "circuits-09-telephone");
  await exactButton(dialog, "Annuler").click();
}

/** A field that takes the focus is not hidden by the bar below (WCAG 2.4.11). */
async function expectClearFocus(page: Page): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const field = page.getByLabel("Message aux destinataires");
  const top = await field.evaluate((element) => element.getBoundingClientRect().top);
  await page.evaluate(`scrollBy(0, ${top - 720})`);
  await field.focus();
  await nextFrames(page);
  const bottom = await field.evaluate((element) => element.getBoundingClientRect().bottom);
  const dock = await page
    .locator("[data-place=window]")
    .evaluate((element) => element.getBoundingClientRect().top);
  expect(bottom).toBeLessThanOrEqual(dock);
  await lookAt(page, "circuits-05-focus");
  if (size) await page.setViewportSize(size);
}

/** The kind of document brings the circuit; returns the envelope's id. */
async function prepare(page: Page, { server }: OwnService): Promise<string> {
  const sender = await logIn(server.url, INES.username);
  const pdf = await makeContract("Convention");
  const { id } = await createEnvelope(sender, {
    title: "Convention de mise à disposition",
    pdf,
    guests: [],
    fields: [],
  });
  await page.goto(`/signature/workflow/${id}?etape=destinataires`);
  await page.getByLabel("Genre de document").selectOption("Convention");
  await expectText(page, "fixé par l’organisation");
  await expectText(page, "Circuit appliqué : Conventions et marchés");
  await expect(page.getByText("Fixé par le circuit")).toHaveCount(3);
  await lookTwice(page, "circuits-05-recipients");
  expectStatus(
    await sender.post(`/api/signature/envelopes/${id}/send/`, { json: {} }),
    200,
    "send",
  );
  sender.close();
  return id;
}

/** Opens the guest's page and enters the code. */
async function openAsGuest(
  browser: Browser,
  { server, mails }: OwnService,
  { email }: typeof HEAD,
): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: server.url });
  const page = await context.newPage();
  const invitation = await mails.waitFor(email, ({ text }) => text.includes("/sign/"));
  await page.goto(linkIn(invitation, /\/sign\//).href);
  await button(page, "Recevoir mon code").click();
  const code = codeIn(await mails.waitFor(email, isCode));
  await page.getByRole("textbox", { name: /code/i }).fill(code);
  return page;
}

/** The first visa returns the document; whoever prepared corrects it and sends it again. */
async function returnToPreparer(head: Page, page: Page, id: string): Promise<void> {
  await shownButton(head, "Renvoyer…").click();
  const back = modal(head, "Renvoyer ce document\u202f?");
  await expect(back.getByLabel("Renvoyer à")).toContainText("Inès Boudjellal, qui a préparé");
  await back.getByLabel("Motif").fill("Il manque l’année");
  await lookAt(head, "circuits-13-return");
  await exactButton(back, "Renvoyer").click();
  await expectVisible(heading(head, "Document renvoyé"));
  await head.reload();
  await expectVisible(heading(head, "Renvoyé à Inès Boudjellal"));
  await lookAt(head, "circuits-14-in-correction");

  await page.goto("/dashboard");
  await expectText(page, "document renvoyé à corriger");
  await lookAt(page, "circuits-15-to-correct");
  await link(page, "Ouvrir les brouillons").click();
  await expectText(page, "Renvoyée");
  await shownButton(page, /^Supprimer/).click();
  const removal = page.getByRole("alertdialog");
  await expectText(removal, "Les personnes déjà sollicitées sont prévenues");
  await lookAt(page, "circuits-15-delete-returned");
  await exactButton(removal, "Annuler").click();
  await page.goto(`/signature/detail/${id}`);
  await expectText(page, "vous renvoie ce document", "« Il manque l’année »", "À corriger");
  await lookTwice(page, "circuits-15-returned");
  await link(page, "Corriger").click();
  await expectText(page, "Maximilien Vandenbroucke vous renvoie ce document");
  await lookTwice(page, "circuits-16-correct");
  await expectLowNotice(page, id);
  await page.getByLabel("Titre de l’enveloppe").fill("Convention de mise à disposition 2026");
  await expectText(page, "Enregistré");
  await page.goto(`/signature/workflow/${id}?etape=envoi`);
  await shownButton(page, "Envoyer").click();
  await expectVisible(page.getByText("Enveloppe envoyée").first());
  await head.reload();
  await expectText(
    head,
    "Version corrigée. Vous l’aviez renvoyée\u00a0: «\u00a0Il manque l’année\u00a0»",
  );
}

/** A phone on its side keeps its height for the document: the reason is folded. */
async function expectLowNotice(page: Page, id: string): Promise<void> {
  const size = page.viewportSize();
  await page.goto(`/signature/workflow/${id}?etape=champs`);
  await page.setViewportSize({ width: 844, height: 390 });
  const notice = page.getByRole("status").filter({ hasText: "vous renvoie ce document" });
  await expect(notice).toBeVisible();
  await expect(page.getByText("« Il manque l’année »")).toBeHidden();
  expect((await notice.boundingBox())?.height).toBeLessThan(40);
  await lookAt(page, "circuits-17-low");
  await notice.locator("summary").click();
  await expectText(page, "« Il manque l’année »");
  if (size) await page.setViewportSize(size);
  await page.goto(`/signature/workflow/${id}`);
}

async function giveVisa(browser: Browser, service: OwnService, sender: Page, id: string) {
  const page = await openAsGuest(browser, service, HEAD);
  await returnToPreparer(page, sender, id);
  const subjects = service.mails.mails.filter(({ to }) => to.includes(HEAD.email));
  expect(subjects[0]?.subject).toMatch(/^Document à viser/);
  await expectVisible(exactButton(page, "Donner mon visa"));
  await lookTwice(page, "circuits-06-visa");
  await button(page, "Confier à…").click();
  // A dialog outlives the places its opener has at each width.
  const size = page.viewportSize();
  for (const width of [800, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await nextFrames(page);
    await expectVisible(modal(page, "Confier cette étape\u202f?"));
  }
  if (size) await page.setViewportSize(size);
  await lookAt(page, "circuits-07-reassign");
  await exactButton(page, "Revenir").click();
  await exactButton(page, "Donner mon visa").click();
  await lookTwice(page, "circuits-08-confirm");
  await exactButton(modal(page, "Donner votre visa\u202f?"), "Donner mon visa").click();
  await expectVisible(heading(page, "Visa donné"), page.locator("[data-kind=signed]"));
  await lookAt(page, "circuits-08-given");
  return page;
}

/** The mayor sends back with a reason; the head gives the visa again; the mayor's deputy signs. */
async function sendBack(browser: Browser, service: OwnService, head: Page): Promise<void> {
  const page = await openAsGuest(browser, service, MAYOR);
  await shownButton(page, "Renvoyer…").click();
  const back = modal(page, "Renvoyer ce document\u202f?");
  await expect(back.getByLabel("Motif")).toBeFocused();
  await exactButton(back, "Renvoyer").click();
  await expectText(back, "Indiquez le motif du renvoi");
  await expectText(back, "Choisissez à qui renvoyer");
  await back.getByLabel("Renvoyer à").selectOption("1");
  await back.getByLabel("Motif").fill("L’article 3 est à revoir");
  await lookTwice(page, "circuits-10-send-back");
  await exactButton(back, "Renvoyer").click();
  await expectVisible(heading(page, "Document renvoyé"), page.locator("[data-kind=signed]"));
  await lookAt(page, "circuits-11-sent-back");

  await head.reload();
  await exactButton(head, "Donner mon visa").click();
  await exactButton(modal(head, "Donner votre visa\u202f?"), "Donner mon visa").click();
  await expectVisible(heading(head, "Visa donné"));

  await page.reload();
  await shownButton(page, "Confier à…").click();
  const give = modal(page, "Confier cette étape\u202f?");
  await give.getByLabel("Nom").fill(DEPUTY.full_name);
  await give.getByLabel("Email").fill(DEPUTY.email);
  await exactButton(give, "Confier l’étape").click();
  await expectVisible(heading(page, `Étape confiée à ${DEPUTY.full_name}`));
  await lookTwice(page, "circuits-12-given-away");
  // From then on the link says so.
  await page.reload();
  await expectVisible(heading(page, "Étape confiée à quelqu’un d’autre"));
  await expectText(page, /confiée à Maëlys Adam à .* Rien n’a été signé\./);
  await page.context().close();
}

test("a town hall prepares, its head of service gives a visa, the mayor signs, the archives get a copy", async ({
  ownService,
  browser,
}) => {
  await becomeOwner(ownService);
  const { server, mails } = ownService;
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: server.url });
  const page = await context.newPage();
  await signIn(page, { url: server.url, username: INES.username });
  await makeCircuit(page);
  await deleteCircuit(page, await keepParty(page, ownService));
  const id = await prepare(page, ownService);
  const head = await giveVisa(browser, ownService, page, id);
  await page.goto(`/signature/detail/${id}`);
  await expectText(page, "Circuit « Conventions et marchés »", "Étape 2 sur 3", "Visa donné");
  await lookTwice(page, "circuits-09-detail");
  await correctFixed(page);
  await sendBack(browser, ownService, head);
  await head.context().close();
  await signInvitation({ url: server.url, mails }, DEPUTY, id);
  await expect
    .poll(() => mails.mails.filter(({ to }) => to.includes(ARCHIVES.email)).at(-1)?.subject)
    .toMatch(/^Document signé par tous/);
  await expectSound(ownService, id);
  await context.close();
});

/** Other makers' validators accept the signed file. */
async function expectSound({ server }: OwnService, id: string): Promise<void> {
  const sender = await logIn(server.url, INES.username);
  const { bytes } = await sender.get(`/api/signature/envelopes/${id}/signed-document/`);
  sender.close();
  const file = test.info().outputPath("signed.pdf");
  writeFileSync(file, bytes);
  const said = execFileSync("pdfsig", ["-nocert", file], { encoding: "utf8" });
  expect(said.match(/Signature is Valid/g)).toHaveLength(1);
  execFileSync("qpdf", ["--check", file]);
}
