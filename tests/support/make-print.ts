import { makeContract } from "./make-contract.ts";
import type { useSenderStage } from "./stories.ts";
import * as story from "./story.ts";
import { type Locator, type Page, expect } from "@playwright/test";
import { createApiClient } from "./api-client.ts";

export type Printed = {
  readonly envelope: string;
  readonly url: string;
  readonly printable: string;
  readonly verify: string;
};
type Wanted = { readonly title: string; readonly guest: story.Guest; readonly isSigned: boolean };

/** Sends an envelope to a guest, who signs or not, and prints it. `verify`: the proof's path. */
export async function makePrint(
  stage: ReturnType<typeof useSenderStage>,
  { title, guest, isSigned }: Wanted,
): Promise<Printed> {
  const { id } = await story.createEnvelope(stage.sender, {
    title,
    pdf: await makeContract(title),
    guests: [guest],
  });
  await story.sendEnvelope(stage.sender, id);
  if (isSigned) {
    const world = stage.world;
    const visit = await story.openInvitation(world, guest, id);
    await story.confirmGuest(world, visit);
    await story.signAsGuest(visit, story.DRAWN);
    visit.client.close();
  }
  const { json } = story.expectStatus(
    await stage.sender.post("/api/signature/prints/generate/", {
      json: { envelope: id, qr_type: "page" },
    }),
    201,
    "print",
  );
  return {
    envelope: id,
    url: json.verify_url,
    printable: json.printable_url,
    verify: json.proof_url.replace("/proof/", "/verify/"),
  };
}

/** A checkpoint follows a completion within seconds. */
const CHECKPOINT_MS = 60_000;

/** Waits for a checkpoint that covers the whole envelope. */
export async function waitForLog(url: string, { verify }: Printed): Promise<void> {
  const anyone = createApiClient(url);
  const isLogged = async () => (await anyone.get(verify)).json.completion_logged;
  await expect.poll(isLogged, { timeout: CHECKPOINT_MS, intervals: [1_000] }).toBe(true);
  anyone.close();
}

/** Scrolls to a part of the public page and opens its fold. */
export async function goToCard(page: Page, name: string): Promise<Locator> {
  const card = page
    .getByRole("region", { name, exact: true })
    .or(page.getByRole("group", { name, exact: true }));
  const fold = page.locator("main details.card", { hasText: name }).first();
  const isFolded = async () =>
    (await fold.count()) > 0 &&
    !(await fold.evaluate((details) => (details as unknown as { readonly open: boolean }).open));
  // Parts that load above may move the fold.
  await expect(async () => {
    if (await isFolded()) await fold.locator("summary").first().click();
    await card.scrollIntoViewIfNeeded({ timeout: 1_000 });
  }).toPass();
  await expect(card.locator("[data-waiting]")).toHaveCount(0);
  return card;
}
