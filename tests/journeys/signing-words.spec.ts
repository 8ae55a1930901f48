import { type BrowserContext, expect, type Locator, type Page, type TestInfo } from "@playwright/test";
import type { ApiClient } from "../support/api-client.ts";
import { press } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { linkIn } from "../support/read-mail.ts";
import { signIn } from "../support/sign-in.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { test } from "../support/stories.ts";
import * as story from "../support/story.ts";

/** What a screen reader has of a guest's whole way, the code coming by SMS; and the end of a signed-in signer's. */
const SENDER = { username: "clemence", email: "clemence@exemple.fr", firstName: "Clémence", lastName: "Aubry-Lefèvre" };
const THEO = { username: "theo", email: "theo@exemple.fr", firstName: "Théo", lastName: "Lenoir" };
const PAUL = { email: "paul@exemple.fr", full_name: "Paul Martin", phone_number: "06 12 34 56 78" };
const CONSENT = "J’ai lu le document et j’accepte de le signer électroniquement.";

let server: RunningServer;
let mails: ReturnType<typeof readLocalMailbox>;
let sender: ApiClient;

test.beforeAll(async () => {
  server = await startServer({ entry: "start" });
  mails = readLocalMailbox(server.url);
  for (const person of [SENDER, THEO]) await story.registerPerson({ url: server.url, mails }, person);
  sender = await story.logIn(server.url, SENDER.username);
});
test.afterAll(async () => {
  sender?.close();
  await server?.close();
});

const place = (type: string, page: number, y: number, more = {}) => ({
  document_index: 0,
  recipient_index: 0,
  type,
  page,
  x: 0.1,
  y,
  width: 0.3,
  height: 0.05,
  ...more,
});

async function send(title: string, guest: story.Guest, fields: readonly object[]): Promise<string> {
  const { id } = await story.createEnvelope(sender, { title, pdf: await makeContract(title), guests: [guest], fields });
  await story.sendEnvelope(sender, id);
  return id;
}

type Reader = { readonly page: Page; readonly info: TestInfo; act(control: Locator, key?: string): Promise<void> };

/** With a finger where there is one, by the keyboard alone elsewhere. */
function readerOf(page: Page, info: TestInfo): Reader {
  return { page, info, act: (control, key) => (info.project.use.hasTouch ? control.tap() : press(page, control, key)) };
}

const seen = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).filter({ visible: true }).first();
/** A field on the pages: the side names it too. */
const field = (page: Page, name: RegExp) => page.locator("[data-field]").getByRole("button", { name });
const said = (page: Page) => page.locator("#annonces");

async function openLink(context: BrowserContext, id: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(linkIn(await mails.waitFor(PAUL.email, ({ text }) => text.includes(`/sign/${id}`)), /\/sign\//).href);
  return page;
}

async function confirmBySms({ page, act }: Reader, title: string): Promise<void> {
  await expect(page.getByRole("main")).toMatchAriaSnapshot(`
    - main:
      - paragraph: Document à signer
      - heading "${title}" [level=1]
      - paragraph: Envoyé par Clémence Aubry-Lefèvre
      - list:
        - listitem: Recevez un code à usage unique
        - listitem: Lisez le document
        - listitem: Signez, du doigt ou au clavier
      - button "Recevoir mon code"
      - paragraph:
        - button /Recevoir par SMS au .*78/
  `);
  await act(page.getByRole("button", { name: /^Recevoir par SMS/ }));
  const { text } = await mails.waitFor("+33612345678", ({ text: words }) => words.includes("code pour signer"));
  const input = page.getByRole("textbox", { name: "Code à 6 chiffres" });
  await expect(input).toBeFocused();
  await expect(page.getByRole("main")).toMatchAriaSnapshot(`
    - main:
      - button "Retour"
      - heading "Confirmez votre identité" [level=1]
      - paragraph: /Nous avons envoyé un code à 6 chiffres au .*78. Il est valable 10 minutes/
      - status
      - paragraph:
        - timer: /Expire dans/
      - textbox "Code à 6 chiffres"
      - button "Vérifier le code" [disabled]
  `);
  const code = /\d{6}/.exec(text)?.[0] ?? "";
  await page.keyboard.type(code === "000000" ? "000001" : "000000");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("Code incorrect ou expiré. Il vous reste 4 essais.");
  await expect(input).toBeFocused();
  await expect(input).toHaveAttribute("aria-invalid", "true");
  // As a message is pasted: spaces are dropped, and the whole code goes by itself.
  await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page.getByRole("region", { name: "Signature en cours" })).toMatchAriaSnapshot(`
    - region "Signature en cours":
      - heading "${title}" [level=1]
      - button "Lecture accessible"
      - button "Télécharger le document"
  `);
}

async function useTypedMark({ page, act }: Reader, { title, use }: { title: string; use: string }): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  const chosen = dialog.getByRole("tab", { selected: true });
  if ((await chosen.textContent()) !== "Saisir") await act(chosen, "ArrowRight");
  if ((await chosen.textContent()) !== "Saisir") await act(dialog.getByRole("tab", { name: "Saisir" }));
  await act(dialog.getByRole("button", { name: use }));
  await expect(dialog).toBeHidden();
}

/** How far the face of a field is from the field's own middle, to the left or the right: in whole pixels. */
async function placeWithin(button: Locator): Promise<number> {
  const [outer, inner] = [await button.boundingBox(), await button.locator("> span").boundingBox()];
  if (outer === null || inner === null) throw new Error("the box to tick is not shown");
  return Math.abs(Math.round(inner.x + inner.width / 2 - outer.x - outer.width / 2));
}

/** The focus comes back where it was after each dialog, and what is left is said. */
async function fillOnThePages(reader: Reader): Promise<void> {
  const { page, info, act } = reader;
  const text = field(page, /^Fait à, page 1/);
  await expect(text).toBeFocused();
  await act(text);
  await expect(page.getByRole("textbox", { name: "Fait à" })).toBeFocused();
  await page.keyboard.type("Évreux");
  await act(page.getByRole("dialog", { name: "Fait à" }).getByRole("button", { name: "Valider" }));
  await expect(field(page, /^Fait à, page 1, Évreux$/)).toBeFocused();
  await expect(said(page)).toHaveText("4 champs restants");

  const box = field(page, /J’ai reçu les conditions, page 1/);
  const empty = await placeWithin(box);
  await act(box, "Space");
  await expect(said(page)).toHaveText("3 champs restants");
  // The box stays where it is, in the middle of its field, as the PDF will have it.
  expect([empty, await placeWithin(box)]).toEqual([0, 0]);

  const first = field(page, /Paraphe, page 1/);
  await act(first);
  await useTypedMark(reader, { title: "Votre paraphe", use: "Utiliser ce paraphe" });
  const everywhere = page.getByRole("dialog", { name: /^Appliquer ce paraphe à la page restante/ });
  await expect(everywhere).toBeVisible();
  await lookAt(page, "signing-words-initials", info);
  await act(everywhere.getByRole("button", { name: "Appliquer partout" }));
  await expect(everywhere).toBeHidden();
  await expect(first).toBeFocused();
  await expect(first).toHaveAccessibleName(/Paraphe, page 1, P\.\sM\./);

  await act(seen(page, info.project.use.isMobile ? "Aller à la signature" : "Champ suivant"));
  const signature = field(page, /Signature, page 2/);
  await expect(signature).toBeFocused();
  await page.keyboard.press("Enter");
  await useTypedMark(reader, { title: "Votre signature", use: "Utiliser cette signature" });
  await expect(signature).toBeFocused();
  await expect(signature).toHaveAccessibleName("Signature, page 2, Paul Martin");
  await expect(said(page)).toHaveText("Tout est rempli");
  await lookAt(page, "signing-words-filled", info);
}

async function agreeAndSign({ page, act }: Reader): Promise<void> {
  await act(page.getByRole("checkbox", { name: CONSENT }).filter({ visible: true }), "Space");
  await act(seen(page, "Signer"));
}

test("a guest whose code comes by SMS is told each step in words, the focus never lost, and fills every kind of field", async ({
  browser,
}, info) => {
  const title = `Mandat ${info.project.name}`;
  const id = await send(title, PAUL, [
    place("text", 1, 0.4, { label: "Fait à" }),
    place("date", 1, 0.48),
    place("name", 1, 0.56),
    place("checkbox", 1, 0.64, { width: 0.04, height: 0.03, label: "J’ai reçu les conditions" }),
    place("initials", 1, 0.85),
    place("initials", 2, 0.4),
    place("signature", 2, 0.7),
  ]);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const reader = readerOf(await openLink(context, id), info);
  const { page } = reader;
  await confirmBySms(reader, title);
  await fillOnThePages(reader);
  await agreeAndSign(reader);
  const done = page.getByRole("heading", { level: 1, name: "Signature réussie !" });
  await expect(done).toBeVisible({ timeout: 40_000 });
  await expect(done).toBeFocused();
  // Nothing moves for whoever asked that nothing does.
  expect(await page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length")).toBe(0);
  await expectNoSidewaysScroll(page);
  await context.close();
  const signed = (await sender.get(`/api/signature/envelopes/${id}/`)).json;
  const values = signed.fields.map(({ type, value }: { type: string; value: string | null }) => [type, value]);
  expect(Object.fromEntries(values)).toMatchObject({
    text: "Évreux",
    name: "Paul Martin",
    checkbox: "Oui",
    date: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
  });
  const { results } = (await sender.get(`/api/signature/envelopes/${id}/events/`)).json;
  const consent = results.find(({ action }: { action: string }) => action === "consent_given");
  expect(consent.detail).toMatchObject({ mark: "typed", initials: "typed" });
});

test("after a signed-in signature the page leaves in ten seconds, unless it is asked to stay", async ({ page }, info) => {
  const id = await send(`Avenant ${info.project.name}`, { email: THEO.email, full_name: "Théo Lenoir" }, [place("signature", 2, 0.7)]);
  const reader = readerOf(page, info);
  await signIn(page, { url: server.url, username: THEO.username });
  await page.goto(`${server.url}/signature/envelopes/${id}/sign`);
  await reader.act(page.getByRole("button", { name: /Signer ici/ }));
  await useTypedMark(reader, { title: "Votre signature", use: "Utiliser cette signature" });
  await agreeAndSign(reader);
  await expect(page.getByRole("heading", { level: 1, name: "Signature confirmée !" })).toBeFocused({ timeout: 40_000 });
  const notice = page.getByText('Redirection vers "Mes documents signés" dans 10 secondes');
  await expect(notice).toBeVisible();
  await lookAt(page, "signing-words-success", info);
  await reader.act(page.getByRole("button", { name: "Rester sur cette page" }));
  await expect(notice).toBeHidden();
  await page.waitForTimeout(11_000);
  await expect(page).toHaveURL(/\/signature\/success/);

  await page.goto(`${server.url}/signature/success?id=${id}`);
  await expect(notice).toBeVisible();
  await page.waitForURL(/\/signature\/envelopes\/completed$/, { timeout: 20_000 });
});
