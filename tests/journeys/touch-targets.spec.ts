import { expect, type Page } from "@playwright/test";
import type { ApiClient } from "../support/api-client.ts";
import { goToCard } from "../support/make-print.ts";
import { everythingCanBeHit, expectOnePrimaryButton } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { signIn } from "../support/sign-in.ts";
import { type Service, test } from "../support/stories.ts";
import * as story from "../support/story.ts";
import {
  button,
  exactText,
  expectVisible,
  heading,
  modal,
  nextFrames,
} from "../support/controls.ts";

/** 44 px below 1024 px wide (the design's rule, above WCAG 2.5.8). */
const SENDER = person("clemence.targets", "Clémence Aubry-Lefèvre");
const COME = invitee("come", "Côme Œuvrard");
const TARGET_PX = 44;
const PHONE = { width: 390, height: 844 };
const TABLET = { width: 820, height: 1180 };

let server: Service["server"];
let mails: Service["mails"];
let sender: ApiClient;
const ids: Record<"draft" | "sent" | "completed", string> = { draft: "", sent: "", completed: "" };

test.beforeAll(async ({ service }) => {
  ({ server, mails } = service);
  mails.takeAll();
  const world = { url: server.url, mails };
  await story.registerPerson(world, SENDER);
  sender = await story.logIn(server.url, SENDER.username);
  const make = async (title: string, guest: story.Guest) =>
    (await story.createEnvelope(sender, { title, pdf: await makeContract(title), guests: [guest] }))
      .id;
  ids.draft = await make("Avenant au bail", COME);
  ids.sent = await make("Bail d’habitation", COME);
  ids.completed = await make("Devis n° 7", COME);
  const me = { email: SENDER.email, full_name: "Clémence Aubry-Lefèvre" };
  const mine = await make("Mandat de gestion", me);
  const gone = await make("Congé", COME);
  for (const id of [ids.sent, ids.completed, mine, gone]) await story.sendEnvelope(sender, id);
  await story.cancelEnvelope(sender, gone);
  await story.confirmAddress(world, SENDER, mine);
  await story.signInvitation(world, COME, ids.completed);
});
test.afterAll(() => sender?.close());

/** Controls below 44 px, less links in a sentence and fields on a page (WCAG 2.5.8 exceptions). */
function lowTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const pressed = "a[href], button, select, textarea, summary, [role=button], input:not([type=hidden]):not([type=file])";
    const box = (control) => (control.matches("input[type=checkbox], input[type=radio]") ? control.closest("label") ?? control : control);
    const isInSentence = (control) => control.tagName === "A" && getComputedStyle(control).display === "inline" && control.closest("p, li > span") !== null;
    return [...document.querySelectorAll(pressed)]
      .filter((control) => control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !control.closest("[inert], .sr, [data-field]") && !isInSentence(control))
      .map((control) => [control, box(control).getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 1 && height > 1 && height < ${TARGET_PX} - 0.5)
      .map(([control, { height }]) => Math.round(height) + " px: " + control.tagName.toLowerCase() + " " + (control.getAttribute("aria-label") ?? control.textContent.trim().slice(0, 40)));
  })()`);
}

/** On a phone and on a tablet; controls can be hit in every window. */
async function expectTargets(page: Page, what: string): Promise<void> {
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  for (const size of [TABLET, PHONE]) {
    await page.setViewportSize(size);
    // The layout follows a new width within two frames.
    await nextFrames(page);
    expect.soft(await lowTargets(page), `${what}, ${size.width} px wide`).toEqual([]);
    await expectOnePrimaryButton(page, `${what}, ${size.width} px wide`);
  }
  await everythingCanBeHit(page, what);
}

test("every control is large enough for a finger and can be hit in every window @touch", async ({
  page,
}) => {
  await test.step("the envelope pages", () => expectTargetsOfEnvelopes(page));
  await test.step("the pages of the account, and before it", () => expectTargetsOfAccount(page));
  await test.step("the public pages", () => expectTargetsInPublic(page));
});

async function expectTargetsOfEnvelopes(page: Page): Promise<void> {
  await signIn(page, { url: server.url, username: SENDER.username });
  await page.goto("/dashboard");
  await button(page, "Plus de stats").tap();
  await button(page, "Personnalisé").tap();
  await expectTargets(page, "dashboard");
  for (const list of ["sent", "completed?search=devis", "action-required", "drafts", "deleted"]) {
    await page.goto(`/signature/envelopes/${list}`);
    await expectVisible(page.locator("[data-row], li").first());
    await expectTargets(page, list);
  }
  for (const id of [ids.sent, ids.completed]) {
    await page.goto(`/signature/detail/${id}`);
    await expectVisible(page.getByRole("heading", { name: "Historique" }));
    await expectTargets(page, "detail");
    await button(page, /^Messages/).tap();
    await expectVisible(modal(page, /^Messages/));
    await expectTargets(page, "messages");
    await page.keyboard.press("Escape");
    await button(page, "Non modifié").tap();
    const all = button(page, /^Tout afficher/);
    if (id === ids.completed) await all.tap();
    await expectTargets(page, "whole journal");
  }
  await page.goto("/signature/upload");
  await expectVisible(heading(page, "Documents"));
  await expectTargets(page, "upload");
  for (const step of ["documents", "destinataires", "champs", "envoi"]) {
    await page.goto(`/signature/workflow/${ids.draft}?etape=${step}`);
    await expectVisible(page.getByRole("main"));
    await expectTargets(page, step);
  }
}

async function expectTargetsOfAccount(page: Page): Promise<void> {
  for (const path of [
    "profile",
    "settings",
    "settings/signature",
    "settings/security",
    "settings/notifications",
    "settings/contacts",
    "settings/programmes",
    "signature/saved-signatures",
    "signature/templates",
    "signature/self-sign",
    "signature/bulk-same",
  ]) {
    await page.goto(`/${path}`);
    await expectVisible(page.getByRole("heading", { level: 1 }));
    await expectTargets(page, path);
  }
  await page.context().clearCookies();
  for (const path of ["login", "register", "password-reset", "conditions", "confidentialite"]) {
    await page.goto(`/${path}`);
    await expectVisible(page.getByRole("heading", { level: 1 }));
    await expectTargets(page, path);
  }
}

async function expectTargetsInPublic(page: Page): Promise<void> {
  const json = await story.makePrintOf(sender, ids.completed, "page");
  await page.goto(json.verify_url);
  await expectVisible(exactText(page, "Signature valide"));
  for (const card of [
    "Empreintes du document",
    "Comparer avec ma page imprimée",
    "Certificat du signataire",
    "Journal de transparence",
  ])
    await goToCard(page, card);
  await expectTargets(page, "verify");
  for (const [path, name] of [
    ["/journal-de-transparence", "Journal de transparence"],
    ["/verifier", "Vérifier une preuve sur votre appareil"],
  ] as const) {
    await page.goto(path);
    await expectVisible(heading(page, name));
    await expectTargets(page, path);
  }
}
