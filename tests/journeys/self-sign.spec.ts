import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, type TestInfo } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import { judgeSignedPdf } from "../support/judge-signed-pdf.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { signIn } from "../support/sign-in.ts";
import { type MailServer, startMailServer } from "../support/start-mail-server.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { test } from "../support/stories.ts";
import { createEnvelope, logIn, registerPerson, sendEnvelope } from "../support/story.ts";

/** A signature made once, then used alone and when asked: by a finger on the small screen, by the keyboard alone on the wide one. */
const SENDER = { username: "come", email: "come@exemple.fr", firstName: "Côme", lastName: "Œuvrard" };
const PERSON = "Maëlys N'Guessan";
const SAVED = "/signature/saved-signatures";

let server: RunningServer;
let mails: MailServer;

test.beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
  await registerPerson({ url: server.url, mails }, SENDER);
});
test.afterAll(async () => {
  await server?.close();
  await mails?.close();
});

const isWide = (info: TestInfo) => info.project.name === "1440";
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).filter({ visible: true }).first();
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Presses a control: by a finger on the small screen, by Tab and a key on the wide one. */
async function activate(page: Page, control: Locator, info: TestInfo, key = "Enter"): Promise<void> {
  if (isWide(info)) await press(page, control, key);
  else await control.tap();
}

async function draw(page: Page): Promise<void> {
  const box = await page.getByTestId("signature-pad").boundingBox();
  if (!box) throw new Error("no pad to draw on");
  const at = (step: number) => ({ x: box.x + box.width * (0.2 + step * 0.02), y: box.y + box.height * (0.5 + 0.3 * Math.sin(step / 3)) });
  await page.mouse.move(at(0).x, at(0).y);
  await page.mouse.down();
  for (let step = 1; step <= 30; step += 1) await page.mouse.move(at(step).x, at(step).y);
  await page.mouse.up();
}

/** Fills the dialog's tab: a drawing under a finger, a name by the keyboard. */
async function makeMark(page: Page, info: TestInfo): Promise<void> {
  if (!isWide(info)) {
    await page.getByRole("tab", { name: "Dessiner" }).tap();
    return draw(page);
  }
  await tabTo(page, page.getByRole("tab", { selected: true }));
  while ((await page.getByRole("tab", { name: "Saisir", selected: true }).count()) === 0) await page.keyboard.press("ArrowRight");
  await typeInto(page, "Nom à signer", PERSON);
}

async function keepSignatures(page: Page, info: TestInfo): Promise<void> {
  await page.goto(`${server.url}${SAVED}`);
  await expect(page.getByText("Dessinez-la une fois, elle vous suivra sur tous vos documents.")).toBeVisible();
  await lookAt(page, "saved-signatures-1-none", info);
  await activate(page, button(page, "Nouvelle signature"), info);
  await makeMark(page, info);
  await lookAt(page, "saved-signatures-2-new", info);
  await activate(page, button(page, "Enregistrer"), info);
  await expect(page.getByText("Signature complète", { exact: true })).toBeVisible();
  await expect(page.getByText("Par défaut", { exact: true })).toBeVisible();
  // A second one becomes the default, is renamed, and goes.
  await activate(page, button(page, "Nouvelle signature"), info);
  await makeMark(page, info);
  await activate(page, button(page, "Enregistrer"), info);
  await activate(page, button(page, "Définir par défaut, Paraphe"), info);
  await expect(page.getByRole("listitem").first()).toContainText("Paraphe");
  await activate(page, button(page, "Renommer Paraphe"), info);
  const field = page.getByLabel("Nom de la signature");
  await expect(field).toBeFocused();
  await field.fill("Pour les baux");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Pour les baux", { exact: true })).toBeVisible();
  await lookTwice(page, "saved-signatures-3-two", info);
  await activate(page, button(page, "Supprimer Pour les baux"), info);
  await expect(page.getByText("Les documents déjà signés ne changent pas.")).toBeVisible();
  await activate(page, page.getByRole("alertdialog").getByRole("button", { name: "Supprimer" }), info);
  await expect(page.getByText("Pour les baux", { exact: true })).toBeHidden();
  await expect(button(page, "Renommer Signature complète")).toBeFocused();
  await page.goto(`${server.url}/settings`);
  await expect(page.getByText("1 signature enregistrée")).toBeVisible();
}

const choose = (page: Page, name: string, buffer: Uint8Array) =>
  page.getByLabel("Déposez votre PDF ici").setInputFiles({ name, mimeType: "application/pdf", buffer: Buffer.from(buffer) });

/** Drop, press: the file is signed and comes down. */
async function signAlone(page: Page, info: TestInfo): Promise<void> {
  await page.goto(`${server.url}/signature/self-sign`);
  await expect(page.getByText("Déposez un PDF, posez votre signature, téléchargez. Rien n’est envoyé à personne.")).toBeVisible();
  await lookAt(page, "self-sign-1-choose", info);
  await choose(page, "faux.pdf", new TextEncoder().encode("Bonjour"));
  await expect(page.getByText("Seuls les fichiers PDF sont autorisés")).toBeVisible();
  await lookAt(page, "self-sign-2-refused", info);
  await choose(page, "contrat_v2-final.pdf", await makeContract("7"));
  const mark = page.getByRole("button", { name: /^Votre signature.*, page 2/ });
  await expect(mark).toBeVisible();
  await expect(page.getByRole("group", { name: "Page 2 sur 2" })).toBeVisible();
  await lookTwice(page, "self-sign-3-place", info);
  if (isWide(info)) {
    const before = await mark.getAttribute("aria-label");
    await tabTo(page, mark);
    await page.keyboard.press("Shift+ArrowUp");
    await expect(mark).not.toHaveAttribute("aria-label", before ?? "");
  }
  const download = page.waitForEvent("download");
  await activate(page, button(page, "Signer le document"), info);
  const file = await download;
  expect(file.suggestedFilename()).toBe("contrat-v2-final_signe.pdf");
  await expect(heading(page, "Document signé")).toBeFocused();
  await expect(page.getByText("Le téléchargement a commencé. Le document est aussi dans vos enveloppes complétées.")).toBeVisible();
  await lookTwice(page, "self-sign-4-signed", info);
  await expectSigned(await readFile(await file.path()));
  await page.goto(`${server.url}/signature/envelopes/completed`);
  await expect(page.getByText("Contrat v2 final").filter({ visible: true }).first()).toBeVisible();
}

async function expectSigned(bytes: Buffer): Promise<void> {
  const client = createApiClient(server.url);
  const root = await client.get("/pki/ca.pem");
  client.close();
  const judgement = judgeSignedPdf(new Uint8Array(bytes), new TextDecoder().decode(root.bytes));
  expect(judgement.qpdfClean).not.toBe(false);
  expect(judgement.pdfsig?.filter(({ valid }) => valid).map(({ signer }) => signer) ?? [PERSON]).toEqual([PERSON]);
  expect(judgement.openssl?.every(({ cms, timestamp }) => cms && timestamp)).not.toBe(false);
}

/** A file that the service cannot sign now: nothing of what was prepared is lost, and the next press goes on. */
async function failThenSign(page: Page, info: TestInfo): Promise<void> {
  await page.goto(`${server.url}/signature/self-sign`);
  await choose(page, "bail.pdf", await makeContract("8"));
  const mark = page.getByRole("button", { name: /^Votre signature.*, page 2/ });
  await expect(mark).toBeVisible();
  const place = await mark.getAttribute("aria-label");
  await page.route("**/api/signature/self-sign/", (route) => route.abort());
  await activate(page, button(page, "Signer le document"), info);
  await expect(page.getByText("Impossible de signer le document").filter({ visible: true }).first()).toBeVisible();
  await expect(mark).toHaveAttribute("aria-label", place ?? "");
  await lookAt(page, "self-sign-5-failed", info);
  await expectNoSidewaysScroll(page);
  await page.unroute("**/api/signature/self-sign/");
  const download = page.waitForEvent("download");
  await activate(page, button(page, "Réessayer"), info);
  await download;
  await expect(heading(page, "Document signé")).toBeVisible();
}

/** Somebody else's request, signed with the kept signature: the consent is asked for anew. */
async function signAsked(page: Page, envelopeId: string, info: TestInfo): Promise<void> {
  await page.goto(`${server.url}/signature/sign/${envelopeId}`);
  await activate(page, button(page, /Champ suivant|Aller à la signature/), info);
  const place = page.locator("[data-field] button:focus");
  await expect(place).toBeVisible();
  if (isWide(info)) await page.keyboard.press("Enter");
  else await place.tap();
  const tab = page.getByRole("tab", { name: "Mes signatures" });
  await tabTo(page, page.getByRole("tab", { selected: true }));
  while ((await tab.getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Signature complète" })).toBeChecked();
  await lookAt(page, "sign-saved-1-dialog", info);
  await activate(page, button(page, "Utiliser cette signature"), info);
  const consent = page.getByLabel("J’ai lu le document et j’accepte de le signer électroniquement.").filter({ visible: true });
  await expect(consent).not.toBeChecked();
  await activate(page, consent, info, "Space");
  await activate(page, page.getByRole("button", { name: "Signer", exact: true }).filter({ visible: true }).last(), info);
  await expect(heading(page, "Signature confirmée !")).toBeFocused();
  await expect(page.getByText('Redirection vers "Mes documents signés" dans 10 secondes')).toBeVisible();
  await lookAt(page, "sign-saved-2-success", info);
  await activate(page, button(page, "Rester sur cette page"), info);
  await expect(page.getByText('Redirection vers "Mes documents signés" dans 10 secondes')).toBeHidden();
}

test("a signature kept, used alone in two gestures, and when asked", async ({ page }, info) => {
  const name = `maelys${info.project.name}`;
  const person = { username: name, email: `${name}@exemple.fr`, firstName: "Maëlys", lastName: "N'Guessan" };
  await registerPerson({ url: server.url, mails }, person);
  const sender = await logIn(server.url, SENDER.username);
  const guest = { email: person.email, full_name: PERSON };
  const { id } = await createEnvelope(sender, { title: "Contrat", pdf: await makeContract(info.project.name), guests: [guest] });
  await sendEnvelope(sender, id);
  sender.close();
  await signIn(page, { url: server.url, username: name });
  await keepSignatures(page, info);
  await signAlone(page, info);
  await failThenSign(page, info);
  await signAsked(page, id, info);
});
