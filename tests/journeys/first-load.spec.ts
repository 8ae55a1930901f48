import { expect, type Page } from "@playwright/test";
import { makeContract } from "../support/make-contract.ts";
import { ofThisWorker } from "../support/of-this-worker.ts";
import { useSenderStage } from "../support/sender-stage.ts";
import { signIn } from "../support/sign-in.ts";
import { test } from "../support/stories.ts";
import { createEnvelope, sendEnvelope } from "../support/story.ts";

/** What a page brings with it, and what it does when a part of it does not come. */
const SENDER = ofThisWorker({ username: "solene.load", email: "solene.load@exemple.fr", firstName: "Solène", lastName: "Guérin" });
const GUEST = ofThisWorker({ email: "maelys@exemple.fr", full_name: "Maëlys N'Guessan" });

const stage = useSenderStage(SENDER);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

async function makeDraft(title: string): Promise<string> {
  const { id } = await createEnvelope(stage.sender, { title, pdf: await makeContract("1"), guests: [GUEST] });
  return id;
}

/** Scripts a page has asked for since it was opened, in kilobytes of 1 000 bytes as they came; the engine of PDF files apart, which comes with a file. */
function scriptKb(page: Page): Promise<number> {
  return page.evaluate<number>(
    `performance.getEntriesByType("resource").filter(({ name }) => /\\.m?js$/.test(name) && !/open-pdf-|pdf\\.worker/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000`,
  );
}

test("a first load is 180 kB of script at most @touch", async ({ page }) => {
  const sentId = await makeDraft("Ancien contrat");
  await sendEnvelope(stage.sender, sentId);
  await signIn(page, { url: stage.server.url, username: SENDER.username });
  for (const [path, title] of [
    ["/signature/upload", "Documents"],
    [`/signature/detail/${sentId}`, "Ancien contrat"],
  ] as const) {
    await page.goto(`${stage.server.url}${path}`);
    await expect(heading(page, title)).toBeVisible();
    // What is fetched once the first screen is there counts as well.
    await page.waitForTimeout(1_500);
    const weight = await scriptKb(page);
    expect.soft(weight, path).toBeGreaterThan(100);
    expect.soft(weight, path).toBeLessThanOrEqual(180);
  }
});

test("a step whose file does not come is said in its place; what was typed stays, and the page taken anew opens it @desk", async ({
  page,
}) => {
  const id = await makeDraft("Contrat");
  await signIn(page, { url: stage.server.url, username: SENDER.username });
  const lost = /\/assets\/send-step-[^/]*\.js$/;
  await page.route(lost, (route) => route.abort());
  await page.goto(`${stage.server.url}/signature/workflow/${id}?etape=destinataires`);
  await page.getByLabel("Message aux destinataires (facultatif)").fill("Bonjour");
  await page.goto(`${stage.server.url}/signature/workflow/${id}?etape=envoi`);
  await expect(page.getByText("Cette partie de la page n’a pas pu être chargée.")).toBeVisible();
  await expect(page.getByText("Contrat", { exact: true }).first()).toBeVisible();
  await page.unroute(lost);
  await page.getByRole("button", { name: "Réessayer" }).click();
  const again = page.getByRole("button", { name: "Recharger la page" });
  // A browser that asks for the file again shows the step; one that keeps the failure offers the page anew.
  await expect(again.or(heading(page, "Vérifier et envoyer"))).toBeVisible();
  if (await again.isVisible()) await again.click();
  await expect(heading(page, "Vérifier et envoyer")).toBeVisible();
  await expect(page.getByText("Bonjour")).toBeVisible();
});
