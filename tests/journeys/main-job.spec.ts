import { readFile } from "node:fs/promises";
import { type BrowserContext, expect, type Page } from "@playwright/test";
import { toolComplaints } from "../support/tool-complaints.ts";
import { expectNoSidewaysScroll, lookAt as lookOnce } from "../support/look-at.ts";
import { makeContract, pdfFile } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { codeIn, isCode, linkIn } from "../support/start-mail-server.ts";
import { signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { type Service, test } from "../support/stories.ts";
import {
  button,
  download,
  drawMark,
  exactButton,
  expectText,
  expectVisible,
  heading,
  modal,
  shown,
  shownButton,
} from "../support/controls.ts";

const SENDER = ofThisWorker({
  username: "clemence",
  email: "clemence@exemple.fr",
  password: "Plume-et-encrier-1852",
});
const COME = ofThisWorker({ name: "Côme Œuvrard", email: "come@exemple.fr" });
const MAELYS = ofThisWorker({ name: "Maëlys N'Guessan", email: "maelys@exemple.fr" });
const GUESTS = [COME, MAELYS];
const TITLE = "Contrat de prestation – Pêche & Forêt";

let server: Service["server"];
let mails: Service["mails"];

test.beforeAll(({ service }) => {
  ({ server, mails } = service);
  mails.takeAll();
});

/** Errors of the page itself fail the story. */
function watch(page: Page, troubles: string[]): void {
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    // Refusals that the story provokes: no session, a PNG named .pdf, a dead address.
    const expected =
      /status of (401|403|415)|^(401|403) /.test(message.text()) ||
      message.location().url.endsWith("/nulle-part");
    if (message.type() === "error" && !expected) troubles.push(message.text());
  });
}

const isTouch = () => test.info().project.use.hasTouch;
const TABLET = { width: 820, height: 1180 };

/** With touch, looks once more on a tablet in the dark. */
async function lookAt(page: Page, name: string): Promise<void> {
  await lookOnce(page, name);
  const size = page.viewportSize();
  if (!isTouch() || size === null) return;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize(TABLET);
  await lookOnce(page, `${name}-tablet-dark`);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: "light" });
}

async function register(page: Page): Promise<void> {
  await page.goto("/register");
  await expectVisible(heading(page, "Compte"));
  await lookAt(page, "01-register-account");
  await page.getByLabel("Nom d’utilisateur").fill(SENDER.username);
  await page.getByLabel("Email").fill(SENDER.email);
  await page.getByLabel("Mot de passe", { exact: true }).fill(SENDER.password);
  await button(page, "Suivant").click();
  await expect(heading(page, "Profil")).toBeFocused();
  await page.getByLabel("Prénom").fill("Clémence");
  await page.getByLabel("Nom", { exact: true }).fill("Aubry-Lefèvre");
  // Touch uses the device's calendar, a keyboard types.
  if (isTouch()) await page.getByLabel("Date de naissance").first().fill("1984-02-29");
  else await page.getByRole("textbox", { name: "Date de naissance" }).fill("29/02/1984");
  await lookAt(page, "02-register-profile");
  await button(page, "Créer mon compte").click();
  await expectVisible(heading(page, "Inscription réussie !"));
  await lookAt(page, "03-register-success");
}

async function activateAndLogIn(page: Page): Promise<void> {
  const mail = await mails.waitFor(SENDER.email, ({ text }) => text.includes("/activate/"));
  await page.goto(linkIn(mail, /\/activate\//).href);
  await expectText(page, "Compte activé avec succès. Vous pouvez maintenant vous connecter.");
  await lookAt(page, "04-login");
  await page.getByLabel("Nom d’utilisateur").fill(SENDER.username);
  await page.getByLabel("Mot de passe", { exact: true }).fill("mauvais mot de passe");
  await exactButton(page, "Se connecter").click();
  await expectVisible(page.getByText("Nom d'utilisateur ou mot de passe incorrect.").first());
  await expect(page.getByLabel("Mot de passe", { exact: true })).toHaveValue("");
  await page.getByLabel("Mot de passe", { exact: true }).fill(SENDER.password);
  await exactButton(page, "Se connecter").click();
  await page.waitForURL(/\/(dashboard|signature)/);
}

async function prepare(page: Page, pdf: Uint8Array): Promise<string> {
  await page.goto("/signature/upload");
  await expectVisible(heading(page, "Documents"));
  await page
    .getByLabel("Déposez vos PDF ici")
    .setInputFiles([
      pdfFile("image.pdf", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")),
      pdfFile("contrat.pdf", pdf),
    ]);
  await expectText(page, "Seuls les fichiers PDF sont autorisés");
  await button(page, "Retirer image.pdf").click();
  await expectText(page, /2 pages/);
  await page.getByLabel("Titre de l’enveloppe").fill(TITLE);
  await lookAt(page, "05-prepare-documents");
  await expectNoSidewaysScroll(page);
  await shownButton(page, "Continuer").click();

  await expectVisible(heading(page, "Destinataires"));
  for (const [index, guest] of GUESTS.entries()) {
    if (index > 0) await button(page, "Ajouter un destinataire").click();
    await page.getByLabel("Nom", { exact: true }).nth(index).fill(guest.name);
    await page.getByLabel("Email", { exact: true }).nth(index).fill(guest.email);
  }
  // Scrolled, the bar at the top covers half of the steps.
  await page.evaluate("window.scrollTo(0, 0)");
  await lookAt(page, "06-prepare-recipients");
  await expectNoSidewaysScroll(page);
  await shownButton(page, "Continuer").click();

  for (const [index, guest] of GUESTS.entries()) {
    await page.getByLabel("Champs pour").selectOption({ label: guest.name });
    await placeField(page, "Signature", { x: 0.25 + 0.45 * index, y: 0.6 });
    await placeField(page, "Date", { x: 0.25 + 0.45 * index, y: 0.75 });
  }
  await lookAt(page, "07-prepare-fields");
  await expectNoSidewaysScroll(page);
  await shownButton(page, "Continuer").click();

  await expectVisible(heading(page, "Vérifier et envoyer"));
  await lookAt(page, "08-prepare-send");
  await shownButton(page, /^Envoyer/).click();
  await page.waitForURL(/\/signature\/(detail|sent|envelopes)/);
  return signLink(COME.email);
}

const signLink = async (email: string) =>
  linkIn(await mails.waitFor(email, ({ text }) => text.includes("/sign/")), /\/sign\//).href;

async function placeField(page: Page, tool: string, at: { x: number; y: number }): Promise<void> {
  const placed = page.getByRole("group", { name: "Page 2 sur 2" });
  await placed.scrollIntoViewIfNeeded();
  await button(page.getByRole("group", { name: "Champs à placer" }), new RegExp(`^${tool}`))
    .filter({ visible: true })
    .click();
  const box = await placed.boundingBox();
  if (!box) throw new Error("the second page is nowhere");
  await placed.click({ position: { x: box.width * at.x, y: box.height * at.y } });
}

async function openGuest(browser: BrowserContext, troubles: string[], link: string): Promise<Page> {
  const page = await browser.newPage();
  watch(page, troubles);
  await page.goto(link);
  return page;
}

async function confirmCode(page: Page, email: string): Promise<void> {
  await button(page, "Recevoir mon code").click();
  const code = codeIn(await mails.waitFor(email, isCode));
  await page.getByRole("textbox", { name: /code/i }).fill(code);
}

async function draw(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Dessiner" }).click();
  await drawMark(page);
}

async function type(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name: "Saisir" }).click();
  await page.getByLabel("Nom à signer").fill(name);
}

type GuestStory = {
  readonly guest: typeof COME;
  readonly link: string;
  readonly makeMark: (page: Page) => Promise<void>;
  /** First guest: each state is photographed. Second: the typed name. */
  readonly isFirst: boolean;
};

async function signAsGuest(
  page: Page,
  { guest, link, makeMark, isFirst }: GuestStory,
): Promise<void> {
  const look = (name: string) => (isFirst ? lookAt(page, `10-guest-1-${name}`) : Promise.resolve());
  await expect(page).not.toHaveURL(/token=/);
  await expectVisible(shown(page.getByText(TITLE)));
  await look("1-welcome");
  await confirmCode(page, guest.email);
  await expectVisible(
    page.getByRole("group", { name: "Page 1 sur 2" }),
    page.getByText("CONTRAT DE PRESTATION DE SERVICES"),
  );
  await look("2-reading");
  await expectNoSidewaysScroll(page);
  await shownButton(page, /signature/i).click();
  await expectVisible(modal(page, "Votre signature"));
  await makeMark(page);
  await lookAt(page, isFirst ? "10-guest-1-3-mark" : "11-guest-2-3-mark");
  await button(page, "Utiliser cette signature").click();
  await page
    .getByLabel("J’ai lu le document et j’accepte de le signer électroniquement.")
    .filter({ visible: true })
    .check();
  await look("4-ready");
  await page.getByRole("button", { name: "Signer", exact: true }).filter({ visible: true }).click();
  await expect(heading(page, "Signature réussie !")).toBeVisible({
    timeout: 40_000,
  });
  await look("5-success");
  expect(link).toContain("token=");
}

test("a contract goes from registration to a verified proof", async ({
  browser,
  context,
  page,
}, info) => {
  const troubles: string[] = [];
  watch(page, troubles);
  const original = await makeContract(`journey-${info.project.name}`);
  await register(page);
  await activateAndLogIn(page);
  const firstLink = await prepare(page, original);

  await page.goto("/signature/envelopes/sent");
  await expectVisible(shown(page.getByText(TITLE)));
  await lookAt(page, "09-sent");
  await expectNoSidewaysScroll(page);

  const firstBrowser = await browser.newContext();
  const first = await openGuest(firstBrowser, troubles, firstLink);
  await signAsGuest(first, { guest: COME, link: firstLink, makeMark: draw, isFirst: true });
  await firstBrowser.close();

  const secondLink = await signLink(MAELYS.email);
  const secondBrowser = await browser.newContext(
    isTouch() ? { viewport: TABLET, colorScheme: "dark" } : {},
  );
  const second = await openGuest(secondBrowser, troubles, secondLink);
  await signAsGuest(second, {
    guest: MAELYS,
    link: secondLink,
    makeMark: (at) => type(at, MAELYS.name),
    isFirst: false,
  });
  await secondBrowser.close();

  const id = new URL(firstLink).pathname.split("/")[2] ?? "";
  await page.goto(`/signature/detail/${id}`);
  await expectVisible(shown(page.getByText("Terminé")));
  await lookAt(page, "12-detail");
  await expectNoSidewaysScroll(page);
  const saved = await download(page, () => shownButton(page, /^Télécharger/).click());
  expect(saved.suggestedFilename()).toBe("contrat-de-prestation-peche-foret_signe.pdf");
  const signed = new Uint8Array(await readFile(await saved.path()));

  expect(Buffer.compare(signed.subarray(0, original.byteLength), original)).toBe(0);
  expect(
    signaturesIn(signed).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached"),
  ).toHaveLength(2);
  const root = await (await context.request.get(`${server.url}/pki/ca.pem`)).text();
  const signers = GUESTS.map(({ name }) => name);
  expect(toolComplaints(signed, { rootPem: root, signers })).toEqual([]);

  const csrf = (await context.cookies()).find(({ name }) => name === "csrftoken")?.value ?? "";
  const print = await context.request.post(`${server.url}/api/signature/prints/generate/`, {
    data: { envelope: id, qr_type: "last" },
    headers: { "x-csrftoken": decodeURIComponent(csrf) },
  });
  expect(print.status()).toBe(201);
  const anyone = await browser.newContext();
  const proof = await openGuest(anyone, troubles, (await print.json()).verify_url);
  await expectVisible(proof.getByText(/valide/i).first(), shown(proof.getByText(TITLE)));
  await lookAt(proof, "13-verify");
  await expectNoSidewaysScroll(proof);
  await proof.goto(`/verify/${"0".repeat(8)}`);
  await expectText(proof, "Lien invalide : paramètres manquants.");
  await anyone.close();

  await page.goto("/nulle-part");
  await expectText(page, "Page non trouvée");
  await lookAt(page, "14-not-found");
  expect(troubles).toEqual([]);
});
