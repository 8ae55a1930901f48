import { expect, type Page } from "@playwright/test";
import type { ApiClient } from "../support/api-client.ts";
import {
  exactButton,
  exactText,
  expectText,
  expectVisible,
  heading,
  link,
  modal,
  shown,
} from "../support/controls.ts";
import { press, tabTo } from "../support/keyboard.ts";
import { lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { personOf } from "../support/of-this-worker.ts";
import { nameOrganisation, openOwnPage } from "../support/own-organisation.ts";
import { linkIn } from "../support/start-mail-server.ts";
import { type OwnService, test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** A firm: two partners and a clerk share a team; one partner leaves. Keyboard alone. */
const CLEMENCE = personOf("clemence.firm", "Clémence Aubry-Lefèvre");
const FANNY = personOf("fanny.firm", "Fanny Delaunay");
const INES = personOf("ines.firm", "Inès Boudjellal");
const NADIA = { email: "nadia.benali@exemple.fr", full_name: "Nadia Benali" };
const FANNY_ASKED = { email: FANNY.email, full_name: "Fanny Delaunay" };
const API = "/api/signature";

const worldOf = ({ server, mails }: OwnService): story.World => ({ url: server.url, mails });

async function as<T>(
  { server }: OwnService,
  person: typeof FANNY,
  work: (client: ApiClient) => Promise<T>,
): Promise<T> {
  const client = await story.logIn(server.url, person.username);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

async function join(own: OwnService, person: typeof FANNY): Promise<void> {
  await story.registerPerson(worldOf(own), person);
  await as(own, CLEMENCE, async (lead) => {
    const json = { emails: [person.email], role: "member" };
    story.expectStatus(await lead.post("/api/organisation/invitations/", { json }), 200, "invite");
  });
  const mail = await own.mails.waitFor(person.email, ({ text }) => text.includes("/invitation#"));
  const token = linkIn(mail, /\/invitation#/).hash.slice(1);
  await as(own, person, async (client) => {
    const accepted = await client.post("/api/organisation/invitations/accept/", {
      json: { token },
    });
    story.expectStatus(accepted, 200, "join");
  });
}

async function makeTeam(own: OwnService): Promise<string> {
  return as(own, CLEMENCE, async (lead) => {
    const { members } = (await lead.get("/api/organisation/members/")).json;
    const json = {
      name: "Urbanisme",
      members: members.map(({ id }: { id: string }) => ({ id, is_administrator: false })),
    };
    const made = await lead.post("/api/organisation/teams/", { json });
    return story.expectStatus(made, 200, "team").json.teams[0].id;
  });
}

/** Fanny shares a template, a layout, a contact and an envelope with the team, and keeps one. */
async function share(own: OwnService, team: string): Promise<string> {
  return as(own, FANNY, async (fanny) => {
    const title = "Convention de servitude";
    const pdf = await makeContract(title);
    const { id } = await story.createEnvelope(fanny, { title, pdf, guests: [NADIA, FANNY_ASKED] });
    const made = async (path: string, json: object) =>
      story.expectStatus(await fanny.post(`${API}/${path}`, { json }), 201, path);
    await made("templates/", { envelope: id, name: "Servitude", team });
    const place = { page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.08 };
    const field = { type: "signature", document_rank: 1, person_rank: 1, ...place };
    await made("layouts/", { name: "Bas de page", fields: [field], team });
    await made("contacts/", { full_name: NADIA.full_name, email: NADIA.email, team });
    const patched = await fanny.patch(`${API}/envelopes/${id}/`, { json: { team } });
    story.expectStatus(patched, 200, "for the team");
    await story.sendEnvelope(fanny, id);
    await story.sendContract(fanny, "Bail personnel", [NADIA]);
    return id;
  });
}

async function findAsTeam(page: Page): Promise<void> {
  await page.goto("/signature/envelopes/sent");
  await expectText(page, /^Service Urbanisme, Fanny Delaunay · /);
  await expectVisible(link(page, "Mandat de vente").first());
  await press(exactButton(page, "Filtrer"));
  const filter = modal(page, "Filtrer");
  await tabTo(filter.getByLabel("De", { exact: true }));
  await page.keyboard.type("Service");
  await lookTwice(page, "firm-01-filter");
  await press(exactButton(filter, "Voir 1 enveloppe"));
  await expect(link(page, "Mandat de vente")).toHaveCount(0);
  await expect(page).toHaveURL(/[?&]de=[0-9a-f-]{36}/);
  await page.reload();
  await expectVisible(
    link(page, "Convention de servitude").first(),
    exactText(page, "service Urbanisme"),
  );
  await lookTwice(page, "firm-02-filtered");
  await page.goto("/signature/envelopes/sent?search=urbanisme");
  await expectVisible(
    link(page, "Convention de servitude").first(),
    exactText(page, "1 enveloppe"),
  );
  await page.goto("/signature/templates");
  await expectText(page, /^Service Urbanisme · /);
  await lookAt(page, "firm-03-templates");
  await page.goto("/settings/contacts");
  await expectVisible(
    exactText(page, NADIA.email).first(),
    exactText(page, "Service Urbanisme").first(),
  );
  await lookAt(page, "firm-04-contacts");
}

async function removeFanny(page: Page): Promise<void> {
  await page.goto("/settings/membres");
  await press(exactButton(page, "Actions pour Fanny Delaunay"));
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const dialog = modal(page, /^Retirer Fanny Delaunay/);
  await expectText(dialog, /Il lui reste un document à signer, à son adresse/);
  await tabTo(dialog.getByLabel("Les confier à"));
  // The team comes after the people.
  await page.keyboard.press("End");
  await lookTwice(page, "firm-05-leave");
  await press(exactButton(dialog, "Retirer et confier"));
  await expectText(page, "Fanny Delaunay n’a plus accès", "2 membres");
}

/** The open page of whoever left ends well before the heartbeat of 20 s; the password fails. */
async function expectClosed(own: OwnService, page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/login/, { timeout: 15_000 });
  await expectText(page, /Votre session a expiré/);
  await expectVisible(page.getByRole("heading", { level: 1 }));
  await lookAt(page, "firm-06-closed");
  await expect(as(own, FANNY, async () => {})).rejects.toThrow(/401/);
}

/** Ines asked Fanny to sign: a mail says what to do, and its link shows what is concerned. */
async function askSomebodyElse(own: OwnService, page: Page, id: string): Promise<void> {
  const mail = await own.mails.waitFor(INES.email, ({ text }) =>
    text.includes("attend sa réponse, à son adresse"),
  );
  expect(mail.text).toContain("Personne ne répond à sa place");
  const { pathname, search } = linkIn(mail, /\/signature\/envelopes\/sent\?search=/);
  await page.goto(`${pathname}${search}`);
  await press(shown(link(page, "Mandat de vente")));
  await expectVisible(heading(page, "Mandat de vente"));
  await lookAt(page, "firm-07-awaiting-leaver");
  await as(own, INES, async (ines) => {
    const { recipients } = (await ines.get(`${API}/envelopes/${id}/`)).json;
    const path = `${API}/envelopes/${id}/recipients/${recipients[0].id}/`;
    const corrected = await ines.patch(path, { json: { email: "paul.martin@exemple.fr" } });
    story.expectStatus(corrected, 200, "correct");
  });
  await own.mails.waitFor("paul.martin@exemple.fr", ({ text }) => text.includes("Mandat de vente"));
}

/** The team has what she had; what she signed, and what was asked in its name, stands. */
async function goOn(own: OwnService, page: Page, id: string): Promise<void> {
  await story.signInvitation(worldOf(own), NADIA, id, story.typed(NADIA.full_name));
  await page.goto(`/signature/detail/${id}`);
  await expectText(page, "2 signatures sur 2");
  await lookTwice(page, "firm-08-completed");
  await page.goto("/signature/envelopes/sent");
  await expectVisible(link(page, "Bail personnel").first());
  await as(own, INES, async (ines) => {
    const signed = (await ines.get(`${API}/signatures/?envelope=${id}`)).json.results;
    expect(
      signed.map((one: { signer_name: string; verdict: string }) => [one.signer_name, one.verdict]),
    ).toEqual(
      expect.arrayContaining([
        ["Fanny Delaunay", "valid"],
        ["Nadia Benali", "valid"],
      ]),
    );
    story.expectStatus(await ines.get(`${API}/envelopes/${id}/evidence/`), 200, "evidence");
    const templates = (await ines.get(`${API}/templates/`)).json.results;
    const clemence = { email: CLEMENCE.email, full_name: "Clémence Aubry" };
    const json = {
      people: [
        { ...NADIA, role_index: 0 },
        { ...clemence, role_index: 1 },
      ],
    };
    const used = await ines.post(`${API}/templates/${templates[0].id}/use/`, { json });
    expect(story.expectStatus(used, 201, "use").json.title).toBe("Convention de servitude");
    const layouts = (await ines.get(`${API}/layouts/`)).json.results;
    expect(layouts.map(({ name }: { name: string }) => name)).toEqual(["Bas de page"]);
  });
}

test("a firm shares a team's work; a partner leaves, and nothing signed, sent or prepared is lost @desk", async ({
  ownService: own,
  browser,
}) => {
  await nameOrganisation(own, CLEMENCE, { isOpen: true });
  for (const person of [FANNY, INES]) await join(own, person);
  const team = await makeTeam(own);
  const shared = await share(own, team);
  await story.signInvitation(worldOf(own), FANNY_ASKED, shared, story.typed("Fanny Delaunay"));
  const asked = await as(own, INES, (ines) =>
    story.sendContract(ines, "Mandat de vente", [FANNY_ASKED]),
  );
  const clerk = await openOwnPage(browser, own, INES.username);
  await findAsTeam(clerk);
  const leaving = await openOwnPage(browser, own, FANNY.username);
  const stream = leaving.waitForResponse((answer) => answer.url().endsWith("/events/stream/"));
  await leaving.goto(`/signature/detail/${shared}`);
  await expectVisible(heading(leaving, "Convention de servitude"));
  await stream;
  await removeFanny(await openOwnPage(browser, own, CLEMENCE.username));
  await expectClosed(own, leaving);
  await askSomebodyElse(own, clerk, asked);
  await goOn(own, clerk, shared);
});
