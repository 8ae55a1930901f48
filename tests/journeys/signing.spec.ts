import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import { signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { press } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt } from "../support/look-at.ts";
import { invitee, person, PHONE } from "../support/of-this-worker.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { codeIn, isCode, linkIn } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { signIn } from "../support/sign-in.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectInSight,
  expectText,
  expectVisible,
  heading,
  modal,
  nextFrames,
  region,
  shown,
} from "../support/controls.ts";

/** By keyboard on the wide screen, by touch on the small one. */
const SENDER = person("clemence.signing", "Clémence Aubry-Lefèvre");
const THEO = person("theo", "Théo Lenoir");
const PAUL = invitee("paul", "Paul Martin");
const PAUL_WITH_A_PHONE = { ...PAUL, phone_number: PHONE.typed };
const LEA = invitee("lea", "Léa N'Guessan");
const BOX = { width: 0.04, height: 0.03, label: "J’ai reçu les conditions" };
const SENTENCE = "Lu et approuvé, bon pour l’engagement";
const CONSENT = "J’ai lu le document et j’accepte de le signer électroniquement.";
const WITHOUT_MOTION = { reducedMotion: "reduce" } as const;

const stage = useSenderStage(SENDER);

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

const send = (title: string, guests: readonly story.Guest[], fields: readonly object[]) =>
  stage.send(title, guests, { fields });

async function openLink(context: BrowserContext, { email }: story.Guest, id: string) {
  const page = await context.newPage();
  const mail = await stage.mails.waitFor(email, ({ text }) => text.includes(`/sign/${id}`));
  await page.goto(linkIn(mail, /\/sign\//).href);
  return page;
}

type Reader = {
  readonly page: Page;
  act(control: Locator, key?: string): Promise<void>;
};

const byKeyboard = (page: Page): Reader => ({ page, act: press });
const byMouse = (page: Page): Reader => ({ page, act: (control) => control.click() });
const byFinger = (page: Page): Reader => ({ page, act: (control) => control.tap() });

async function confirmCode({ page, act }: Reader, email: string): Promise<void> {
  await act(button(page, "Recevoir mon code"));
  const code = codeIn(await stage.mails.waitFor(email, isCode));
  await expect(page.getByRole("textbox", { name: /code/i })).toBeFocused();
  await page.keyboard.type(code);
  await expectVisible(button(page, "Plus d’actions"));
}

/** The side's button on a wide screen, the dock's on a small one. */
const seen = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).filter({ visible: true }).first();

/** The side lists the fields too. */
const field = (page: Page, name: RegExp) => button(page.locator("[data-field]"), name);
const said = (page: Page) => page.locator("#annonces");

const SIGNATURE = { title: "Votre signature", use: "Utiliser cette signature" } as const;
const INITIALS = { title: "Votre paraphe", use: "Utiliser ce paraphe" } as const;

async function useTypedMark(
  { page, act }: Reader,
  { title, use }: typeof SIGNATURE | typeof INITIALS,
): Promise<void> {
  const dialog = modal(page, title);
  await expectVisible(dialog);
  // Roving tab stop: arrows move between tabs.
  const chosen = dialog.getByRole("tab", { selected: true });
  if ((await chosen.textContent()) !== "Saisir") await act(chosen, "ArrowRight");
  if ((await chosen.textContent()) !== "Saisir")
    await act(dialog.getByRole("tab", { name: "Saisir" }));
  await act(button(dialog, use));
  await expect(dialog).toBeHidden();
}

async function agreeAndSign({ page, act }: Reader): Promise<void> {
  await act(page.getByRole("checkbox", { name: CONSENT }).filter({ visible: true }), "Space");
  await act(seen(page, "Signer"));
}

async function signInTheText(reader: Reader): Promise<void> {
  const { page, act } = reader;
  await act(button(page, "Plus d’actions"));
  for (const name of ["Télécharger", "Refuser de signer", "Aide"])
    await expectVisible(page.getByRole("banner").getByRole("button", { name, exact: true }));
  await act(button(page, "Lecture accessible"));
  await expectVisible(page.getByRole("button", { name: "Plus d’actions", expanded: false }));
  const text = page.getByRole("article", { name: "Texte du document" });
  await expectText(text, /Article 2 – Prix\. 12 450 € hors taxes/);
  await expect(text).toMatchAriaSnapshot(`
    - article "Texte du document":
      - status: Texte du document affiché, 2 pages
      - region "Page 1":
        - heading "Page 1" [level=2]
        - heading "CONTRAT DE PRESTATION DE SERVICES" [level=3]
        - 'checkbox "J’ai reçu les conditions, page 1"'
        - 'button /Mention manuscrite, page 1, à remplir/'
        - 'button "Parapher, page 1, à remplir"'
      - region "Page 2":
        - heading "Page 2" [level=2]
        - 'button "Parapher, page 2, à remplir"'
        - 'button /Signer ici.*: Signature, page 2, à remplir/'
  `);
  await lookAt(page, "signing-text");
  await expectNoSidewaysScroll(page);
  await seeAtFourTimes(reader);

  const box = text.getByRole("checkbox", { name: "J’ai reçu les conditions, page 1" });
  await act(box, "Space");
  await expect(box).toBeChecked();
  await copyTheSentence(reader, text);

  await act(seen(page, "Appliquer partout"));
  await useTypedMark(reader, INITIALS);
  await expect(said(page)).toHaveText("Paraphe posé à 2 endroits. 1 champ restant");
  await act(seen(page, "Annuler"));
  await expect(said(page)).toHaveText("3 champs restants");
  await act(seen(page, "Appliquer partout"));
  await expectVisible(button(text, /Paraphe, page 2, P\.\sM\./));
  await act(button(text, /Signer ici/));
  await useTypedMark(reader, SIGNATURE);
  await expectVisible(button(text, /Signature, page 2, Paul Martin/));
  await expect(said(page)).toHaveText("Tout est rempli");
}

async function copyTheSentence({ page, act }: Reader, text: Locator): Promise<void> {
  const mention = button(text, /Mention manuscrite/);
  await act(mention);
  const dock = region(page, "Suite de la signature");
  const input = dock.getByRole("textbox", { name: `Recopiez : « ${SENTENCE} »` });
  await expect(input).toBeFocused();
  await page.keyboard.type("Lu et aprouvé");
  const help =
    "Une lettre diffère : écrivez « approuvé, », et non « aprouvé » (la 3ᵉ lettre est « p »).";
  await expect(dock.getByRole("status").filter({ hasText: help })).toBeAttached();
  await act(button(dock, "Suivant"));
  await expect(input).toBeFocused();
  await expect(input).toHaveAttribute("aria-invalid", "true");
  await lookAt(page, "signing-mention");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(SENTENCE.replace("’", "'"));
  await expectVisible(dock.getByText("La mention est exacte.").first());
  await act(button(dock, "Suivant"));
  await expect(input).toBeHidden();
  // The next field opens by itself.
  await act(modal(page, INITIALS.title).getByRole("button", { name: "Annuler", exact: true }));
}

/** Reads the page at a zoom of 400 %. */
async function seeAtFourTimes({ page }: Reader): Promise<void> {
  const size = page.viewportSize();
  if (!size) throw new Error("the window has no size");
  await page.setViewportSize({ width: size.width / 4, height: size.height / 4 });
  await expectText(page, /Article 2 – Prix/);
  await lookAt(page, "signing-text-400");
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(size);
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
        - button /Recevoir par SMS au .*${PHONE.shown.slice(-2)}/
  `);
  const texts = readLocalMailbox(stage.server.url);
  await texts.takeAll(PHONE.destination);
  await act(button(page, /^Recevoir par SMS/));
  const { text } = await texts.waitFor(PHONE.destination, ({ text: words }) =>
    words.includes("code pour signer"),
  );
  const input = page.getByRole("textbox", { name: "Code à 6 chiffres" });
  await expect(input).toBeFocused();
  await expect(page.getByRole("main")).toMatchAriaSnapshot(`
    - main:
      - button "Retour"
      - heading "Confirmez votre identité" [level=1]
      - paragraph: /Nous avons envoyé un code à 6 chiffres au .*${PHONE.shown.slice(-2)}. Il est valable 10 minutes/
      - status
      - paragraph:
        - timer: /Expire dans/
      - textbox "Code à 6 chiffres"
      - button "Vérifier le code" [disabled]
  `);
  const code = /\d{6}/.exec(text)?.[0] ?? "";
  await page.keyboard.type(code === "000000" ? "000001" : "000000");
  await expect(page.getByRole("main").getByRole("alert")).toHaveText(
    "Code incorrect ou expiré. Il vous reste 4 essais.",
  );
  await expect(input).toBeFocused();
  await expect(input).toHaveAttribute("aria-invalid", "true");
  // Pasted: spaces are dropped, a whole code is sent.
  await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page.getByRole("banner", { name: "Signature en cours" })).toMatchAriaSnapshot(`
    - banner "Signature en cours":
      - heading "${title}" [level=1]
      - button "Plus d’actions"
  `);
}

/** Distance of the box from its field's middle, in pixels. */
async function placeWithin(box: Locator): Promise<number> {
  const [outer, inner] = [await box.boundingBox(), await box.locator("> span").boundingBox()];
  if (outer === null || inner === null) throw new Error("the box to tick is not shown");
  return Math.abs(Math.round(inner.x + inner.width / 2 - outer.x - outer.width / 2));
}

/** The page as a screen reader presents it. */
const SIGNING_PAGE = `
  - link "Aller au contenu"
  - banner "Signature en cours":
    - heading "Mandat de gestion" [level=1]
    - text: De Clémence Aubry-Lefèvre · 2 pages
    - button "Plus d’actions"
  - main:
    - region "Document à signer":
      - toolbar "Affichage du document":
        - button "Page 1 sur 2"
      - region "Document à signer, pages":
        - group "Page 1 sur 2":
          - button "Fait à, page 1, à remplir"
          - button /Date, page 1, .+/
          - button "Nom, page 1, Paul Martin"
          - button "J’ai reçu les conditions, page 1, à remplir"
          - 'button "Parapher, page 1, à remplir"'
        - group "Page 2 sur 2":
          - 'button "Parapher, page 2, à remplir"'
          - 'button "Signer ici : Signature, page 2, à remplir"'
    - complementary "À remplir":
      - heading "À remplir" [level=2]
      - list:
        - listitem:
          - button "Fait à, page 1"
        - listitem:
          - button "Date, page 1 (rempli)"
        - listitem:
          - button "Nom, page 1 (rempli)"
        - listitem:
          - button "J’ai reçu les conditions, page 1"
        - listitem:
          - button "Paraphe, page 1"
        - listitem:
          - button "Paraphe, page 2"
        - listitem:
          - button "Signature, page 2"
      - region "Suite de la signature":
        - text: 2 paraphes à poser
        - button "Appliquer partout"
        - status: 5 champs à remplir
        - img "2 champs remplis sur 7"
        - button "Refuser de signer"
        - button "Commencer"
`;

async function fillOnThePages(reader: Reader): Promise<void> {
  const { page, act } = reader;
  const text = field(page, /^Fait à, page 1/);
  await expect(page.locator("body")).toMatchAriaSnapshot(SIGNING_PAGE);
  await act(seen(page, "Commencer"));
  await expect(page.getByRole("textbox", { name: "Fait à" })).toBeFocused();
  await page.keyboard.type("Évreux");
  await expect(text).toHaveAccessibleName("Fait à, page 1, Évreux");
  await act(seen(page, "Suivant"));
  await expect(said(page)).toHaveText("4 champs restants");

  const box = field(page, /J’ai reçu les conditions, page 1/);
  await expect(box).toBeFocused();
  const empty = await placeWithin(box);
  await act(box, "Space");
  await expect(said(page)).toHaveText("3 champs restants");
  expect([empty, await placeWithin(box)]).toEqual([0, 0]);

  const first = field(page, /Parap.*, page 1/);
  await act(first);
  await useTypedMark(reader, INITIALS);
  const everywhere = modal(page, /^Appliquer ce paraphe à la page restante/);
  await expectVisible(everywhere);
  await lookAt(page, "signing-words-initials");
  await act(button(everywhere, "Appliquer partout"));
  await expect(everywhere).toBeHidden();
  await expect(first).toHaveAccessibleName(/Paraphe, page 1, P\.\sM\./);

  // After a mark the next field has the focus, then the consent.
  const signature = field(page, /Signature, page 2/);
  await expect(signature).toBeFocused();
  await expectInSight(signature);
  await act(seen(page, "Poser ma signature"));
  await useTypedMark(reader, SIGNATURE);
  await expect(
    page.getByRole("checkbox", { name: CONSENT }).filter({ visible: true }),
  ).toBeFocused();
  await expect(signature).toHaveAccessibleName("Signature, page 2, Paul Martin");
  await expect(said(page)).toHaveText("Tout est rempli");
  await lookAt(page, "signing-words-filled");
}

async function changeOnesMind({ page, act }: Reader): Promise<void> {
  await act(seen(page, "Refuser de signer"));
  const dialog = modal(page, "Refuser de signer ?");
  await expectVisible(dialog);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

async function stayThenLeave({ page, act }: Reader, id: string): Promise<void> {
  const notice = page.getByText('Redirection vers "Mes documents signés" dans 10 secondes');
  await expectVisible(notice);
  // First, as the page leaves after ten seconds.
  await act(button(page, "Rester sur cette page"));
  await expect(notice).toBeHidden();
  await page.clock.runFor(11_000);
  await expect(page).toHaveURL(/\/signature\/success/);
  await lookAt(page, "signing-words-success");

  await page.goto(`/signature/success?id=${id}`);
  await expectVisible(notice);
  await page.clock.runFor(10_000);
  await page.waitForURL(/\/signature\/envelopes\/completed$/);
}

type Scroller = Record<"scrollTop" | "scrollHeight" | "clientHeight", number> & {
  readonly lastElementChild: { readonly style: { marginBottom: string } };
};

/** On a phone on its side the button is in sight, and the head is not cut. */
async function expectWholeLying(page: Page): Promise<void> {
  const upright = page.viewportSize();
  await page.setViewportSize({ width: 844, height: 390 });
  await expectInSight(seen(page, "Réessayer"));
  const cut = await page.getByText(/^De .* · 2 pages$/).evaluate((words) => {
    const { scrollHeight, clientHeight } = words as unknown as Scroller;
    return scrollHeight - clientHeight;
  });
  // A letter may stand out of its box by a pixel.
  expect(cut).toBeLessThan(4);
  if (upright) await page.setViewportSize(upright);
}

/** A field scrolled under the page's number does not hide it. */
async function expectNumberAbove(page: Page, own: Locator): Promise<void> {
  const number = page.getByText(/^Page \d sur \d$/);
  const [field, pill] = [await own.boundingBox(), await number.boundingBox()];
  if (!field || !pill) throw new Error("no field, or no number");
  await region(page, /, pages$/).evaluate((pages, by) => {
    const scroller = pages as unknown as Scroller;
    scroller.lastElementChild.style.marginBottom = "100vh";
    scroller.scrollTop += by;
  }, field.y - pill.y);
  await nextFrames(page);
  const scrolled = await own.boundingBox();
  expect(scrolled?.y).toBeCloseTo(pill.y, 0);
  expect(field.x + field.width).toBeGreaterThan(pill.x + 8);
  const point = `${pill.x + 8}, ${pill.y + pill.height / 2}`;
  const shownThere = await page.evaluate<string>(`document.elementFromPoint(${point}).textContent`);
  expect(shownThere).toBe(await number.textContent());
}

async function refuse(guest: Reader): Promise<void> {
  const { page, act } = guest;
  await confirmCode(guest, PAUL.email);
  await act(seen(page, "Commencer"));
  await act(button(modal(page, "Votre signature"), "Fermer"));
  const filled = page.getByRole("img", { name: "Signature (signé par Théo Lenoir)" });
  await expect(filled).toBeInViewport();
  await expect(filled).toHaveText("");
  await expect(filled).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await lookAt(page, "signing-next");
  await expectNumberAbove(page, field(page, /Signer ici/));
  await act(seen(page, "Refuser de signer"));
  const dialog = modal(page, "Refuser de signer ?");
  await act(dialog.getByRole("radio", { name: "Erreur dans le document" }), "Space");
  await act(
    dialog.getByRole("checkbox", { name: "Je confirme que je refuse de signer ce document." }),
    "Space",
  );
  await lookAt(page, "signing-decline");
  await act(button(dialog, "Refuser de signer"));
  const refused = page.getByText(
    "Vous avez refusé de signer ce document. L’expéditeur en a été informé.",
  );
  await expectVisible(refused);
  await expectNoSidewaysScroll(page);
  await page.reload();
  await expectVisible(refused);
}

test("a guest with a code by SMS fills every kind of field, each step announced and the focus never lost @desk", async ({
  browser,
}) => {
  const title = "Mandat de gestion";
  const id = await send(
    title,
    [PAUL_WITH_A_PHONE],
    [
      place("text", 0, 1, 0.4, { label: "Fait à" }),
      place("date", 0, 1, 0.48),
      place("name", 0, 1, 0.56),
      place("checkbox", 0, 1, 0.64, {
        ...BOX,
      }),
      place("initials", 0, 1, 0.85),
      place("initials", 0, 2, 0.4),
      place("signature", 0, 2, 0.7),
    ],
  );
  const context = await browser.newContext(WITHOUT_MOTION);
  const reader = byKeyboard(await openLink(context, PAUL, id));
  const { page } = reader;
  await confirmBySms(reader, title);
  await fillOnThePages(reader);
  await agreeAndSign(reader);
  const done = heading(page, "Signature réussie !");
  await expect(done).toBeVisible({ timeout: 40_000 });
  await expect(done).toBeFocused();
  expect(
    await page.evaluate(
      "document.getAnimations().filter(({ playState }) => playState === 'running').length",
    ),
  ).toBe(0);
  await expectNoSidewaysScroll(page);
  await context.close();
  const signed = (await stage.sender.get(`/api/signature/envelopes/${id}/`)).json;
  const values = signed.fields.map(({ type, value }: { type: string; value: string | null }) => [
    type,
    value,
  ]);
  expect(Object.fromEntries(values)).toMatchObject({
    text: "Évreux",
    name: "Paul Martin",
    checkbox: "Oui",
    date: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
  });
  const { results } = (await stage.sender.get(`/api/signature/envelopes/${id}/events/`)).json;
  const consent = results.find(({ action }: { action: string }) => action === "consent_given");
  expect(consent.detail).toMatchObject({ mark: "typed", initials: "typed" });
});

/** A flag between two fields of a line would point at the wrong one. */
async function expectFlagBesideOwn({ page, act }: Reader): Promise<void> {
  await act(seen(page, "Commencer"));
  await act(modal(page, SIGNATURE.title).getByRole("button", { name: "Annuler", exact: true }));
  const own = await field(page, /Signer ici/).boundingBox();
  const flag = await exactText(page, "Signer").and(page.locator("[data-side]")).boundingBox();
  expect(flag?.x ?? 0).toBeGreaterThanOrEqual((own?.x ?? 0) + (own?.width ?? 0));
}

test("two guests sign at the same time, one in the accessible text and one on the pages @desk", async ({
  browser,
}) => {
  const id = await send(
    "Bail d’habitation",
    [PAUL, LEA],
    [
      place("checkbox", 0, 1, 0.5, {
        ...BOX,
      }),
      place("mention", 0, 1, 0.6, { value: SENTENCE }),
      place("initials", 0, 1, 0.85),
      place("initials", 0, 2, 0.4),
      place("signature", 0, 2, 0.7),
      place("signature", 1, 2, 0.7),
    ],
  );
  const contexts = await Promise.all([LEA, PAUL].map(() => browser.newContext(WITHOUT_MOTION)));
  const lea = byMouse(await openLink(contexts[0] as BrowserContext, LEA, id));
  const paul = byKeyboard(await openLink(contexts[1] as BrowserContext, PAUL, id));
  await Promise.all([confirmCode(lea, LEA.email), confirmCode(paul, PAUL.email)]);
  await expectFlagBesideOwn(lea);
  await lea.act(seen(lea.page, "Poser ma signature"));
  await useTypedMark(lea, SIGNATURE);
  await signInTheText(paul);
  await changeOnesMind(paul);
  await Promise.all([agreeAndSign(paul), agreeAndSign(lea)]);
  for (const { page } of [paul, lea])
    await expect(heading(page, "Signature réussie !")).toBeVisible({
      timeout: 40_000,
    });
  await Promise.all(contexts.map((context) => context.close()));
  const signed = (await stage.sender.get(`/api/signature/envelopes/${id}/`)).json;
  expect([
    signed.status,
    signed.progress.signed,
    signed.fields.find(({ type }: { type: string }) => type === "mention").value,
  ]).toEqual(["completed", 2, SENTENCE.replace("’", "'")]);
  const file = await stage.sender.get(`/api/signature/envelopes/${id}/signed-document/`);
  expect(
    signaturesIn(file.bytes).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached"),
  ).toHaveLength(2);
});

test("a signed-in recipient confirms the address once, by a code, and then reads @desk", async ({
  page,
}) => {
  const zoe = person("zoe.1440", "Zoë Œuvrard");
  const id = await send(
    "Avenant au bail",
    [{ email: zoe.email, full_name: "Zoë Œuvrard" }],
    [place("signature", 0, 2, 0.7)],
  );
  await story.registerPerson(stage.world, zoe);
  await signIn(page, { url: stage.server.url, username: zoe.username });
  await page.goto("/signature/envelopes/action-required");
  await expectVisible(
    shown(page.getByText("Confirmez votre adresse")),
    page.getByRole("link", { name: "Confirmer mon adresse" }),
  );
  await lookAt(page, "confirm-address-1-list");
  await expectNoSidewaysScroll(page);
  const reader = byKeyboard(page);
  await page.goto(`/signature/sign/${id}`);
  await expectVisible(heading(page, "Confirmez votre adresse"));
  await expect(page.getByText("Avenant au bail")).toHaveCount(0);
  await lookAt(page, "confirm-address-2-ask");
  await expectNoSidewaysScroll(page);
  await reader.act(button(page, "Recevoir mon code"));
  await expect(page.getByRole("textbox", { name: /code/i })).toBeFocused();
  await lookAt(page, "confirm-address-3-code");
  await expectNoSidewaysScroll(page);
  await page.keyboard.type(codeIn(await stage.mails.waitFor(zoe.email, isCode)));
  await expectVisible(button(page, "Lecture accessible"));
  await page.goto("/signature/envelopes/action-required");
  await expectVisible(shown(page.getByText("Avenant au bail")));
});

test("a signed-in recipient signs through a network cut, a guest declines, and each sees the state of the request @touch", async ({
  page,
  browser,
}) => {
  const theo = { email: THEO.email, full_name: "Théo Lenoir" };
  const id = await send(
    "Avenant au bail",
    [theo, PAUL],
    [place("signature", 0, 2, 0.7), place("signature", 1, 2, 0.7)],
  );
  await story.registerPerson(stage.world, THEO);
  await story.confirmAddress(stage.world, THEO, id);
  await signIn(page, { url: stage.server.url, username: THEO.username });
  await page.clock.install();
  const reader = byFinger(page);
  await test.step("signs through a cut of the network", async () => {
    await page.goto(`/signature/sign/${id}`);
    await reader.act(seen(page, "Commencer"));
    await useTypedMark(reader, SIGNATURE);
    await page.route("**/sign_authenticated/", (route) => route.abort("internetdisconnected"), {
      times: 1,
    });
    await agreeAndSign(reader);
    await expect(
      page.getByText("Votre signature n’a pas été enregistrée. Rien n’est perdu : réessayez."),
    ).toHaveCount(1);
    await lookAt(page, "signing-cut");
    await expectWholeLying(page);
    await reader.act(seen(page, "Réessayer"));
    await expect(heading(page, "Signature confirmée !")).toBeFocused({ timeout: 40_000 });
  });
  await test.step("the page leaves in ten seconds, unless it is asked to stay", () =>
    stayThenLeave(reader, id));
  await test.step("the signed request says that it is signed", async () => {
    await page.goto(`/signature/envelopes/${id}/sign`);
    await expectText(page, /^Votre signature du .* est enregistrée\. .* \(1 sur 2\)\.$/);
  });

  const context = await browser.newContext(WITHOUT_MOTION);
  await test.step("a guest refuses", async () =>
    refuse(byFinger(await openLink(context, PAUL, id))));
  await context.close();
  const closed = (await stage.sender.get(`/api/signature/envelopes/${id}/`)).json;
  expect([closed.status, closed.recipients[1].decline_reason]).toEqual([
    "declined",
    "Erreur dans le document",
  ]);
});
