import { type BrowserContext, expect, type Locator, type Page, type TestInfo } from "@playwright/test";
import { signaturesIn } from "../../scripts/store/signatures-in.ts";
import type { ApiClient } from "../support/api-client.ts";
import { press } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { codeIn, isCode, linkIn } from "../support/read-mail.ts";
import { signIn } from "../support/sign-in.ts";
import { type MailServer, startMailServer } from "../support/start-mail-server.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { test } from "../support/stories.ts";
import * as story from "../support/story.ts";

const SENDER = { username: "clemence", email: "clemence@exemple.fr", firstName: "Clémence", lastName: "Aubry-Lefèvre" };
const THEO = { username: "theo", email: "theo@exemple.fr", firstName: "Théo", lastName: "Lenoir" };
const PAUL = { email: "paul@exemple.fr", full_name: "Paul Martin" };
const LEA = { email: "lea@exemple.fr", full_name: "Léa N'Guessan" };
const SENTENCE = "Lu et approuvé, bon pour l’engagement";
const CONSENT = "J’ai lu le document et j’accepte de le signer électroniquement.";

let server: RunningServer;
let mails: MailServer;
let sender: ApiClient;

test.beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ entry: "start", env: { SMTP_URL: mails.url } });
  for (const person of [SENDER, THEO]) await story.registerPerson({ url: server.url, mails }, person);
  sender = await story.logIn(server.url, SENDER.username);
});
test.afterAll(async () => {
  sender?.close();
  await server?.close();
  await mails?.close();
});

const place = (type: string, recipient: number, page: number, y: number, more = {}) => ({
  document_index: 0,
  recipient_index: recipient,
  type,
  page,
  x: 0.1 + 0.45 * recipient,
  y,
  width: 0.3,
  height: 0.05,
  ...more,
});

async function send(title: string, guests: readonly story.Guest[], fields: readonly object[]): Promise<string> {
  const { id } = await story.createEnvelope(sender, { title, pdf: await makeContract(title), guests, fields });
  await story.sendEnvelope(sender, id);
  return id;
}

async function openLink(context: BrowserContext, { email }: story.Guest, id: string): Promise<Page> {
  const page = await context.newPage();
  const mail = await mails.waitFor(email, ({ text }) => text.includes(`/sign/${id}`));
  await page.goto(linkIn(mail, /\/sign\//).href);
  return page;
}

/** Somebody at a page, and how they press what is on it. */
type Reader = { readonly page: Page; readonly info: TestInfo; act(control: Locator, key?: string): Promise<void> };

/** With a finger where there is one, by the keyboard alone elsewhere. */
function readerOf(page: Page, info: TestInfo): Reader {
  return { page, info, act: (control, key) => (info.project.use.hasTouch ? control.tap() : press(page, control, key)) };
}

/** Of two windows the keyboard belongs to one: the other person has a finger or a mouse. */
function pointerOf(page: Page, info: TestInfo): Reader {
  return { page, info, act: (control) => (info.project.use.hasTouch ? control.tap() : control.click()) };
}

async function confirmCode({ page, act }: Reader, email: string): Promise<void> {
  await act(page.getByRole("button", { name: "Recevoir mon code" }));
  const code = codeIn(await mails.waitFor(email, isCode));
  await expect(page.getByRole("textbox", { name: /code/i })).toBeFocused();
  await page.keyboard.type(code);
  await expect(page.getByRole("button", { name: "Lecture accessible" })).toBeVisible();
}

/** What is in sight: the side's button on a wide screen, the dock's on a small one. */
const seen = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).filter({ visible: true }).first();

async function useTypedMark({ page, act }: Reader): Promise<void> {
  const dialog = page.getByRole("dialog", { name: /^Votre (signature|paraphe)$/ });
  await expect(dialog).toBeVisible();
  // One tab stop for all of them: the arrows go from one to the next.
  const chosen = dialog.getByRole("tab", { selected: true });
  if ((await chosen.textContent()) !== "Saisir") {
    await act(chosen, "ArrowRight");
    if ((await chosen.textContent()) !== "Saisir") await act(dialog.getByRole("tab", { name: "Saisir" }));
  }
  await act(dialog.getByRole("button", { name: /^Utiliser (cette signature|ce paraphe)$/ }));
  await expect(dialog).toBeHidden();
}

async function agreeAndSign({ page, act }: Reader): Promise<void> {
  await act(page.getByRole("checkbox", { name: CONSENT }).filter({ visible: true }), "Space");
  await act(seen(page, "Signer"));
}

/** Everything is done in the text of the document, which flows at any width. */
async function signInTheText(reader: Reader): Promise<void> {
  const { page, info, act } = reader;
  await act(page.getByRole("button", { name: "Lecture accessible" }));
  const text = page.getByRole("article", { name: "Texte du document" });
  await expect(text.getByText(/Article 2 – Prix\. 12 450 € hors taxes/)).toBeVisible();
  await expect(text).toMatchAriaSnapshot(`
    - article "Texte du document":
      - status: Texte du document affiché, 2 pages
      - region "Page 1":
        - heading "Page 1" [level=2]
        - heading "CONTRAT DE PRESTATION DE SERVICES" [level=3]
        - 'checkbox "J’ai reçu les conditions, page 1"'
        - 'button /Mention manuscrite, page 1, à remplir/'
        - 'button /Parapher.*: Paraphe, page 1, à remplir/'
      - region "Page 2":
        - heading "Page 2" [level=2]
        - 'button /Parapher.*: Paraphe, page 2, à remplir/'
        - 'button /Signer ici.*: Signature, page 2, à remplir/'
  `);
  await lookAt(page, "signing-text", info);
  await expectNoSidewaysScroll(page);
  await seeAtFourTimes(reader);

  const box = text.getByRole("checkbox", { name: "J’ai reçu les conditions, page 1" });
  await act(box, "Space");
  await expect(box).toBeChecked();
  await copyTheSentence(reader, text);

  await act(seen(page, "Appliquer partout"));
  await useTypedMark(reader);
  await expect(page.locator("#annonces")).toHaveText("Paraphe posé à 2 endroits. 1 champ restant");
  await act(seen(page, "Annuler"));
  await expect(page.locator("#annonces")).toHaveText("3 champs restants");
  await act(seen(page, "Appliquer partout"));
  await expect(text.getByRole("button", { name: /Paraphe, page 2, P\.\sM\./ })).toBeVisible();
  await act(text.getByRole("button", { name: /Signer ici/ }));
  await useTypedMark(reader);
  await expect(text.getByRole("button", { name: /Signature, page 2, Paul Martin/ })).toBeVisible();
  await expect(page.locator("#annonces")).toHaveText("Tout est rempli");
}

/** What is left, then what differs, is said in words; the dialog takes the exact sentence alone. */
async function copyTheSentence({ page, info, act }: Reader, text: Locator): Promise<void> {
  await act(text.getByRole("button", { name: /Mention manuscrite/ }));
  const dialog = page.getByRole("dialog", { name: "Mention manuscrite" });
  const input = dialog.getByRole("textbox", { name: "Votre mention" });
  await expect(input).toBeFocused();
  await page.keyboard.type("Lu et aprouvé");
  const help = "Une lettre diffère : écrivez « approuvé, », et non « aprouvé » (la 3e lettre est « p »).";
  await expect(dialog.getByRole("status")).toHaveText(help);
  await act(dialog.getByRole("button", { name: "Valider" }));
  await expect(input).toBeFocused();
  await lookAt(page, "signing-mention", info);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(SENTENCE.replace("’", "'"));
  await expect(dialog.getByText("La mention est exacte.").first()).toBeVisible();
  await act(dialog.getByRole("button", { name: "Valider" }));
  await expect(dialog).toBeHidden();
}

/** A window a quarter as wide and as high is what a zoom of 400 % leaves. */
async function seeAtFourTimes({ page, info }: Reader): Promise<void> {
  const size = page.viewportSize();
  if (info.project.use.hasTouch || !size) return;
  await page.setViewportSize({ width: size.width / 4, height: size.height / 4 });
  await expect(page.getByText(/Article 2 – Prix/)).toBeVisible();
  await lookAt(page, "signing-text-400", info);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(size);
}

test("two guests sign at the same time: one in the text of the document, without a drag nor its pages, the other on them", async ({
  browser,
}, info) => {
  const title = `Bail – ${info.project.name}`;
  const id = await send(
    title,
    [PAUL, LEA],
    [
      place("checkbox", 0, 1, 0.5, { width: 0.04, height: 0.03, label: "J’ai reçu les conditions" }),
      place("mention", 0, 1, 0.6, { value: SENTENCE }),
      place("initials", 0, 1, 0.85),
      place("initials", 0, 2, 0.4),
      place("signature", 0, 2, 0.7),
      place("signature", 1, 2, 0.7),
    ],
  );
  const contexts = await Promise.all([LEA, PAUL].map(() => browser.newContext({ reducedMotion: "reduce" })));
  const lea = pointerOf(await openLink(contexts[0] as BrowserContext, LEA, id), info);
  const paul = readerOf(await openLink(contexts[1] as BrowserContext, PAUL, id), info);
  await Promise.all([confirmCode(lea, LEA.email), confirmCode(paul, PAUL.email)]);
  await lea.act(lea.page.getByRole("button", { name: /Signer ici.*Signature, page 2/ }));
  await useTypedMark(lea);
  await signInTheText(paul);
  await Promise.all([agreeAndSign(paul), agreeAndSign(lea)]);
  for (const { page } of [paul, lea])
    await expect(page.getByRole("heading", { level: 1, name: "Signature réussie !" })).toBeVisible({ timeout: 40_000 });
  await Promise.all(contexts.map((context) => context.close()));
  const signed = (await sender.get(`/api/signature/envelopes/${id}/`)).json;
  expect([signed.status, signed.progress.signed, signed.fields.find(({ type }: { type: string }) => type === "mention").value]).toEqual([
    "completed",
    2,
    SENTENCE.replace("’", "'"),
  ]);
  const file = await sender.get(`/api/signature/envelopes/${id}/signed-document/`);
  expect(signaturesIn(file.bytes).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached")).toHaveLength(2);
});

test("a signed-in recipient signs through a cut of the network; then a guest refuses, and each finds where the request stands", async ({
  page,
  browser,
}, info) => {
  const title = `Avenant – ${info.project.name}`;
  const theo = { email: THEO.email, full_name: "Théo Lenoir" };
  const id = await send(title, [theo, PAUL], [place("signature", 0, 2, 0.7), place("signature", 1, 2, 0.7)]);
  const reader = readerOf(page, info);
  await signIn(page, { url: server.url, username: THEO.username });
  await page.goto(`${server.url}/signature/sign/${id}`);
  await reader.act(seen(page, info.project.use.isMobile ? "Aller à la signature" : "Champ suivant"));
  await expect(page.getByRole("button", { name: /Signer ici/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await useTypedMark(reader);
  await page.route("**/sign_authenticated/", (route) => route.abort("internetdisconnected"), { times: 1 });
  await agreeAndSign(reader);
  // Told once, beside the button that tries again.
  await expect(page.getByText("Votre signature n’a pas été enregistrée. Rien n’est perdu : réessayez.")).toHaveCount(1);
  await lookAt(page, "signing-cut", info);
  await reader.act(seen(page, "Réessayer"));
  await expect(page.getByRole("heading", { level: 1, name: "Signature confirmée !" })).toBeVisible({ timeout: 40_000 });
  await page.goto(`${server.url}/signature/sign/${id}`);
  await expect(page.getByText(/^Vous avez déjà signé ce document le .* \(1 sur 2\)\.$/)).toBeVisible();

  const context = await browser.newContext({ reducedMotion: "reduce" });
  const paul = await openLink(context, PAUL, id);
  const guest = readerOf(paul, info);
  await confirmCode(guest, PAUL.email);
  await guest.act(seen(paul, info.project.use.isMobile ? "Aller à la signature" : "Champ suivant"));
  // What the first one put there is seen as it is: nothing lies over it.
  const filled = paul.getByRole("img", { name: "Signature (signé par Théo Lenoir)" });
  await expect(filled).toBeInViewport();
  await expect(filled).toHaveText("");
  await expect(filled).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await lookAt(paul, "signing-next", info);
  await guest.act(seen(paul, info.project.use.isMobile ? "Refuser de signer" : "Refuser"));
  const dialog = paul.getByRole("dialog", { name: "Refuser de signer ?" });
  await guest.act(dialog.getByRole("radio", { name: "Erreur dans le document" }), "Space");
  await guest.act(dialog.getByRole("checkbox", { name: "Je confirme que je refuse de signer ce document." }), "Space");
  await lookAt(paul, "signing-decline", info);
  await guest.act(dialog.getByRole("button", { name: "Refuser de signer" }));
  await expect(paul.getByText("Vous avez refusé de signer ce document. L’expéditeur en a été informé.")).toBeVisible();
  await expectNoSidewaysScroll(paul);
  await paul.reload();
  await expect(paul.getByText("Vous avez refusé de signer ce document. L’expéditeur en a été informé.")).toBeVisible();
  await context.close();
  const closed = (await sender.get(`/api/signature/envelopes/${id}/`)).json;
  expect([closed.status, closed.recipients[1].decline_reason]).toEqual(["declined", "Erreur dans le document"]);
});
