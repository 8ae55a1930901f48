import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Locator, type Page } from "@playwright/test";
import { button, expectText, expectVisible, heading, modal } from "../support/controls.ts";
import { lookAt } from "../support/look-at.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { codeIn, isCode } from "../support/start-mail-server.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { expectStatus } from "../support/story.ts";

/** A customer's site on another origin shows the signing page; its browser blocks third parties. */
const stage = useSenderStage(person("ines.portail", "Inès Portail"));
const PAUL = invitee("paul.portail", "Paul Martin");
const API = "/api/signature";

let site: Server;
let origin: string;
test.beforeAll(async () => {
  site = createServer((request, response) => {
    const address = new URL(request.url ?? "/", origin).searchParams.get("address") ?? "";
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><html lang="fr"><title>Espace client</title>
      <main><h1>Espace client</h1><ol id="told"></ol>
      <script src="${stage.server.url}/embed.js"></script>
      <script src="${stage.server.url}/embed.js"></script>
      <script>addEventListener("error", ({ message }) => told.append(message));</script>
      <paraphe-sign src="${address.replaceAll('"', "")}"></paraphe-sign></main>
      <script>for (const type of ["ready", "signed", "declined", "closed"])
        document.querySelector("paraphe-sign").addEventListener(type, ({ detail }) => {
          const line = document.createElement("li");
          line.textContent = [type, detail.envelope, detail.reason].join(" ").trim();
          told.append(line);
        });</script>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  // Another site than the service's localhost, not only another origin.
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
test.afterAll(() => site.close());

async function addressOf(page: Page, id: string, body: object = {}): Promise<string> {
  const { sender } = stage;
  const scopes = ["envelopes:read", "envelopes:send"];
  const made = await sender.post(`${API}/me/keys/`, {
    json: { name: "Portail", scopes, days: 90, origins: [origin] },
  });
  const { secret } = expectStatus(made, 201, "key").json;
  const envelope = await sender.get(`${API}/envelopes/${id}/`);
  const [recipient] = envelope.json.recipients;
  const path = `${API}/envelopes/${id}/recipients/${recipient.id}/embed/`;
  const answer = await page.request.post(`${stage.server.url}${path}`, {
    headers: { authorization: `Bearer ${secret}` },
    data: { origin, ...body },
  });
  expect(answer.status()).toBe(201);
  return ((await answer.json()) as { url: string }).url;
}

const sign = (title: string) =>
  stage.send(title, [PAUL], {
    fields: [
      {
        type: "signature",
        recipient_index: 0,
        document_index: 0,
        page: 1,
        x: 0.1,
        y: 0.6,
        width: 0.4,
        height: 0.1,
      },
    ],
  });

/** Third parties keep no cookie, as browsers will have it. */
async function blockThirdParties(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCookieControls", {
    enableThirdPartyCookieRestriction: true,
    disableThirdPartyCookieMetadata: true,
    disableThirdPartyCookieHeuristics: true,
  } as never);
}

async function confirmCode(at: Locator, page: Page): Promise<void> {
  await button(at, "Recevoir mon code").click();
  const code = codeIn(await stage.mails.waitFor(PAUL.email, isCode));
  await expect(at.getByRole("textbox", { name: /code/i })).toBeFocused();
  await page.keyboard.type(code);
}

async function signIn(at: Locator): Promise<void> {
  await button(at, /^Signer ici.*Signature, page 1/).click();
  const dialog = modal(at, "Votre signature");
  await dialog.getByRole("tab", { name: "Saisir" }).click();
  await button(at, "Utiliser cette signature").click();
  await at
    .getByLabel("J’ai lu le document et j’accepte de le signer électroniquement.")
    .filter({ visible: true })
    .check();
  await at.getByRole("button", { name: "Signer", exact: true }).filter({ visible: true }).click();
  await expect(heading(at, "Signature réussie !")).toBeVisible({ timeout: 40_000 });
}

const told = (page: Page) => page.locator("#told");

test("a guest signs within another site's page, whose third parties keep no cookie @desk", async ({
  page,
}) => {
  await blockThirdParties(page);
  const id = await sign("Bail dans le portail");
  const address = await addressOf(page, id, { return_url: `${origin}/merci` });
  await page.goto(`${origin}/?address=${encodeURIComponent(address)}`);
  const frame = page.frameLocator("iframe").locator("body");
  await expectText(told(page), `ready ${id}`);
  expect(
    await frame.evaluate(
      `(document.cookie = "third=1; Secure; SameSite=None; Path=/", document.cookie.includes("third"))`,
    ),
  ).toBe(false);
  await lookAt(page, "embedded-01-welcome");
  await confirmCode(frame, page);
  await signIn(frame);
  await expectText(told(page), `signed ${id}`);
  await lookAt(page, "embedded-02-signed");
  await frame.getByRole("link", { name: /^Revenir à 127\.0\.0\.1/ }).click();
  await expect(page).toHaveURL(`${origin}/merci`);
});

test("an address already opened says so to its site, and no other site shows one @desk", async ({
  page,
  browser,
}) => {
  const id = await sign("Bail ouvert deux fois");
  const address = await addressOf(page, id);
  await page.goto(`${origin}/?address=${encodeURIComponent(address)}`);
  await expectText(told(page), `ready ${id}`);
  const other = await browser.newPage({ ignoreHTTPSErrors: true });
  await other.goto(`${origin}/?address=${encodeURIComponent(address)}`);
  const spent = other.frameLocator("iframe").locator("body");
  await expectVisible(heading(spent, "Ce lien n’est plus valable"));
  await expectText(spent, /a déjà servi ou expiré/);
  await expectText(told(other), `closed ${id} embed_over`);
  await lookAt(other, "embedded-04-spent");
  const next = await addressOf(page, id);
  await other
    .locator("paraphe-sign")
    .evaluate((element, src) => Object.assign(element, { src }), next);
  await expectText(told(other), `ready ${id}`);
  await other.goto(
    `${origin.replace("127.0.0.1", "localhost")}/?address=${encodeURIComponent(address)}`,
  );
  await expect(other.frameLocator("iframe").getByText("Bail")).toHaveCount(0);
  await other.close();
});

test("the site is told why a signer who must still sign cannot sign now @desk", async ({
  page,
}) => {
  const show = async (id: string, body?: object) => {
    const src = encodeURIComponent(await addressOf(page, id, body));
    await page.goto(`${origin}/?address=${src}`);
    await expectText(told(page), `ready ${id}`);
    return page.frameLocator("iframe").locator("body");
  };
  const id = await sign("Bail à la bonne adresse");
  const corrected = await show(id);
  const [recipient] = (await stage.sender.get(`${API}/envelopes/${id}/`)).json.recipients;
  const path = `${API}/envelopes/${id}/recipients/${recipient.id}/`;
  const { email, full_name } = invitee("paul.nouveau", "Paul Martin");
  expectStatus(await stage.sender.patch(path, { json: { email, full_name } }), 200, "address");
  await button(corrected, "Recevoir mon code").click();
  await expectText(told(page), `closed ${id} embed_over`);
  await corrected.evaluate("location.reload()");
  await expect(told(page).getByText(`closed ${id} embed_over`)).toHaveCount(2);

  const people = [
    { ...PAUL, role: "visa", order: 1 },
    { ...invitee("lea.portail", "Léa Roux"), order: 2 },
  ];
  const visa = await stage.send("Bail à revoir", people, { flow: "sequential", fields: [] });
  const returned = await show(visa);
  await confirmCode(returned, page);
  await button(returned, "Renvoyer…").filter({ visible: true }).first().click();
  const back = modal(returned, "Renvoyer ce document\u202f?");
  await back.getByLabel("Motif").fill("Il manque l’année");
  await back.getByRole("button", { name: "Renvoyer", exact: true }).click();
  await expectVisible(heading(returned, "Document renvoyé"));
  await expectText(told(page), `closed ${visa} not_your_turn`);
  await lookAt(page, "embedded-05-sent-back");
});

test("where a frame keeps no cookie at all, a window signs and the page follows @desk", async ({
  page,
}) => {
  await page.addInitScript(`if (location.pathname.includes("/embed/"))
    Object.defineProperty(document, "cookie", { get: () => "", set: () => undefined });`);
  const id = await sign("Bail en fenêtre");
  await page.goto(`${origin}/?address=${encodeURIComponent(await addressOf(page, id))}`);
  const frame = page.frameLocator("iframe").locator("body");
  await expectVisible(heading(frame, "Signez dans une fenêtre"));
  await lookAt(page, "embedded-03-window");
  const opened = page.waitForEvent("popup");
  await button(frame, "Ouvrir la fenêtre").click();
  const popup = await opened;
  await confirmCode(popup.locator("body"), popup);
  await signIn(popup.locator("body"));
  await expectText(told(page), `signed ${id}`);
  await button(frame, /^Revenir à 127\.0\.0\.1/).click();
  await expectText(told(page), `closed ${id} left`);
});
