import { expect } from "@playwright/test";
import { lookAt } from "../support/look-at.ts";
import { makeContract } from "../support/make-contract.ts";
import { invitee, person } from "../support/of-this-worker.ts";
import { test, useSenderStage } from "../support/stories.ts";
import { createEnvelope } from "../support/story.ts";
import { button, expectText } from "../support/controls.ts";

const SENDER = person("solene.tabs", "Solène Guérin");
const GUEST = invitee("maelys", "Maëlys N'Guessan");

const stage = useSenderStage(SENDER);

test("the second of two tabs on a draft is warned and chooses whose version stays @desk", async ({
  page,
  context,
}) => {
  const { sender } = stage;
  await stage.signIn(page);
  const { id } = await createEnvelope(sender, {
    title: "Deux onglets",
    pdf: await makeContract("3"),
    guests: [GUEST],
  });
  const address = `/signature/workflow/${id}`;
  const other = await context.newPage();
  await page.goto(address);
  await other.goto(address);
  for (const tab of [page, other])
    await expect(tab.getByLabel("Titre de l’enveloppe")).toHaveValue("Deux onglets");
  await page.getByLabel("Titre de l’enveloppe").fill("Premier onglet");
  await expectText(page, /Brouillon enregistré/);
  await other.getByLabel("Titre de l’enveloppe").fill("Second onglet");
  await expectText(other, /^Ce brouillon a été modifié ailleurs/);
  await lookAt(other, "59-prepare-conflict");
  await button(other, "Garder ma version").click();
  await expectText(other, /Brouillon enregistré/);
  expect((await sender.get(`/api/signature/envelopes/${id}/`)).json.title).toBe("Second onglet");
  await page.getByLabel("Titre de l’enveloppe").fill("Encore le premier");
  await expectText(page, /^Ce brouillon a été modifié ailleurs/);
  await button(page, "Recharger").click();
  await expect(page.getByLabel("Titre de l’enveloppe")).toHaveValue("Second onglet");
  await expect(page.getByText(/^Ce brouillon a été modifié ailleurs/)).toBeHidden();
});
