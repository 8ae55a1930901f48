import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page } from "@playwright/test";
import { createApiClient } from "../support/api-client.ts";
import { toolComplaints } from "../support/tool-complaints.ts";
import { press, tabTo, typeInto } from "../support/keyboard.ts";
import { expectNoSidewaysScroll, lookAt, lookTwice } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { signIn } from "../support/sign-in.ts";
import { confirmAddress, registerPerson } from "../support/story.ts";
import {
  download,
  drawMark,
  exactText,
  expectInSight,
  expectText,
  expectVisible,
  heading,
  link,
  nextFrames,
  region,
  shown,
  shownButton as button,
} from "../support/controls.ts";

const SENDER = person("come.asks", "Côme Œuvrard");
const SIGNER = person("maelys.signs", "Maëlys N'Guessan");
const PERSON = "Maëlys N'Guessan";
const SAVED = "/signature/saved-signatures";

const stage = useSenderStage(SENDER);

async function openTab(page: Page, name: string): Promise<void> {
  await tabTo(page.getByRole("tab", { selected: true }));
  while ((await page.getByRole("tab", { name, selected: true }).count()) === 0)
    await page.keyboard.press("ArrowRight");
}

async function act(page: Page, signature: string, action: string): Promise<void> {
  await press(button(page, `Actions pour ${signature}`));
  const entry = page.getByRole("menuitem", { name: action });
  await expectVisible(entry);
  while ((await entry.and(page.locator(":focus")).count()) === 0)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

/** The specification's address and the settings' show the same, each date on a line. */
async function expectOnePage(page: Page): Promise<void> {
  const main = page.getByRole("main");
  await expectVisible(heading(page, "Ma signature"));
  const current = page.getByRole("link", { name: "Ma signature" });
  await expect(current).toHaveAttribute("aria-current", "page");
  const seen = await main.ariaSnapshot();
  await page.goto("/settings/signature");
  await expectVisible(exactText(page, "Pour les baux"));
  expect(await main.ariaSnapshot()).toBe(seen);
  for (const date of await main.locator("[data-signature] small span").all()) {
    const lines = await date.evaluate(
      (words) =>
        (words as unknown as { getClientRects(): readonly object[] }).getClientRects().length,
    );
    expect(lines).toBe(1);
  }
}

async function keepSignatures(page: Page): Promise<void> {
  await page.goto(SAVED);
  await expectText(page, "Dessinez-la une fois, elle vous suivra sur tous vos documents.");
  await lookAt(page, "saved-signatures-1-none");
  await press(button(page, "Nouvelle signature"));
  await openTab(page, "Saisir");
  await typeInto(page, "Nom à signer", PERSON);
  await lookAt(page, "saved-signatures-2-new");
  await press(button(page, "Enregistrer"));
  await expectVisible(exactText(page, "Signature complète"), exactText(page, "Par défaut"));
  await press(button(page, "Nouvelle signature"));
  await openTab(page, "Dessiner");
  await drawMark(page);
  await press(button(page, "Enregistrer"));
  const cards = page.getByRole("list", { name: "Signatures enregistrées" });
  await act(page, "Paraphe", "Définir par défaut");
  await expect(cards.getByRole("listitem").first()).toContainText("Paraphe");
  await act(page, "Paraphe", "Renommer");
  const field = page.getByLabel("Nom de la signature");
  await expect(field).toBeFocused();
  await field.fill("Pour les baux");
  await page.keyboard.press("Enter");
  await expectVisible(exactText(page, "Pour les baux"));
  await lookTwice(page, "saved-signatures-3-two");
  await expectOnePage(page);
  await act(page, "Pour les baux", "Supprimer");
  await expectText(page, "Les documents déjà signés ne changent pas.");
  await press(page.getByRole("alertdialog").getByRole("button", { name: "Supprimer" }));
  await expect(exactText(page, "Pour les baux")).toBeHidden();
  await expect(button(page, "Actions pour Signature complète")).toBeFocused();
  await page.goto("/settings");
  await expectText(page, "1 signature enregistrée");
}

const choose = (page: Page, name: string, buffer: Uint8Array) =>
  page
    .getByLabel("Déposez votre PDF ici")
    .setInputFiles({ name, mimeType: "application/pdf", buffer: Buffer.from(buffer) });

async function signAlone(page: Page): Promise<void> {
  await page.goto("/signature/self-sign");
  await expectVisible(
    page.getByText("Déposez un PDF, posez votre signature, téléchargez. Rien n’est envoyé."),
    link(page, "Quitter"),
  );
  await lookAt(page, "self-sign-1-choose");
  await choose(page, "faux.pdf", new TextEncoder().encode("Bonjour"));
  await expectText(page, "Seuls les fichiers PDF sont autorisés");
  await lookAt(page, "self-sign-2-refused");
  await choose(page, "contrat_v2-final.pdf", await makeContract("7"));
  const mark = page.getByRole("button", { name: /^Votre signature.*, page 2/ });
  await expectVisible(mark, page.getByRole("group", { name: "Page 2 sur 2" }));
  await expect(heading(page, "Poser votre signature")).toBeFocused();
  await lookTwice(page, "self-sign-3-place");
  await expectPagesBesideAct(page, mark);
  const before = await mark.getAttribute("aria-label");
  await tabTo(mark);
  await page.keyboard.press("Shift+ArrowUp");
  await expect(mark).not.toHaveAttribute("aria-label", before ?? "");
  const file = await download(page, () => press(button(page, "Signer le document")));
  expect(file.suggestedFilename()).toBe("contrat-v2-final_signe.pdf");
  await expect(heading(page, "Document signé")).toBeFocused();
  await expectText(
    page,
    "Le téléchargement a commencé. Le document est aussi dans vos enveloppes complétées.",
  );
  await lookTwice(page, "self-sign-4-signed");
  await expectSigned(await readFile(await file.path()));
  await page.goto("/signature/envelopes/completed");
  await expectVisible(shown(page.getByText("Contrat v2 final")));
}

/** On a phone in landscape the page stands beside the button, and still shows the signature. */
async function expectPagesBesideAct(page: Page, mark: Locator): Promise<void> {
  const size = page.viewportSize();
  if (!size) throw new Error("the window has no size");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectInSight(mark);
  for (const turned of [
    { width: 844, height: 390 },
    { width: 390, height: 844 },
    { width: 844, height: 390 },
  ]) {
    await page.setViewportSize(turned);
    await nextFrames(page);
    await expectInSight(mark);
  }
  const act = button(page, "Signer le document");
  await expectInSight(act);
  const pages = await region(page, /, pages$/).boundingBox();
  expect(pages?.height ?? 0).toBeGreaterThan(240);
  expect((await act.boundingBox())?.x).toBeGreaterThanOrEqual(
    (pages?.x ?? 0) + (pages?.width ?? 0),
  );
  await page.setViewportSize(size);
}

async function expectSigned(bytes: Buffer): Promise<void> {
  const client = createApiClient(stage.server.url);
  const root = await client.get("/pki/ca.pem");
  client.close();
  const rootPem = new TextDecoder().decode(root.bytes);
  expect(toolComplaints(new Uint8Array(bytes), { rootPem, signers: [PERSON] })).toEqual([]);
}

async function failThenSign(page: Page): Promise<void> {
  await page.goto("/signature/self-sign");
  await choose(page, "bail.pdf", await makeContract("8"));
  const mark = page.getByRole("button", { name: /^Votre signature.*, page 2/ });
  await expectVisible(mark);
  const place = await mark.getAttribute("aria-label");
  await page.route("**/api/signature/self-sign/", (route) => route.abort());
  await press(button(page, "Signer le document"));
  await expectVisible(shown(page.getByText("Impossible de signer le document")));
  await expect(mark).toHaveAttribute("aria-label", place ?? "");
  await lookAt(page, "self-sign-5-failed");
  await expectNoSidewaysScroll(page);
  await page.unroute("**/api/signature/self-sign/");
  await download(page, () => press(button(page, "Réessayer")));
  await expectVisible(heading(page, "Document signé"));
}

/** Consent is asked for again with a stored signature. */
async function signAsked(page: Page, envelopeId: string): Promise<void> {
  await page.goto(`/signature/sign/${envelopeId}`);
  await press(button(page, "Commencer"));
  await press(button(page, "Passer"));
  const place = page.locator("[data-field] button:focus");
  await expectVisible(place);
  await press(button(page, "Poser ma signature"));
  await openTab(page, "Mes signatures");
  await expect(page.getByRole("radio", { name: "Signature complète" })).toBeChecked();
  await lookAt(page, "sign-saved-1-dialog");
  await press(button(page, "Utiliser cette signature"));
  const consent = page
    .getByLabel("J’ai lu le document et j’accepte de le signer électroniquement.")
    .filter({ visible: true });
  await expect(consent).not.toBeChecked();
  await press(consent, "Space");
  await press(
    page.getByRole("button", { name: "Signer", exact: true }).filter({ visible: true }).last(),
  );
  await expect(heading(page, "Signature confirmée !")).toBeFocused();
  await expectText(page, 'Redirection vers "Mes documents signés" dans 10 secondes');
  await lookAt(page, "sign-saved-2-success");
  await press(button(page, "Rester sur cette page"));
  await expect(
    page.getByText('Redirection vers "Mes documents signés" dans 10 secondes'),
  ).toBeHidden();
}

test("a saved signature signs an own document in two gestures, and a request @desk", async ({
  page,
}) => {
  await registerPerson(stage.world, SIGNER);
  const id = await stage.send("Contrat", [{ email: SIGNER.email, full_name: PERSON }]);
  await confirmAddress(stage.world, SIGNER, id);
  await signIn(page, { url: stage.server.url, username: SIGNER.username });
  await keepSignatures(page);
  await signAlone(page);
  await failThenSign(page);
  await signAsked(page, id);
});
