import type { useSenderStage } from "./stories.ts";
import * as story from "./story.ts";
import { expect, type Locator, type Page } from "@playwright/test";
import { type ApiClient, createApiClient } from "./api-client.ts";

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
  const id = await stage.send(title, [guest]);
  if (isSigned) {
    const world = stage.world;
    await story.signInvitation(world, guest, id);
  }
  const json = await story.makePrintOf(stage.sender, id, "page");
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

/** Waits until the proof of a print shows its place in the log. */
export const waitForInclusion = (client: ApiClient, { proof_url }: { proof_url: string }) =>
  expect
    .poll(async () => (await client.get(proof_url)).json.proof.inclusion, {
      timeout: CHECKPOINT_MS,
      intervals: [500],
    })
    .not.toBeNull();

/** A file of the service as an input of a page takes it. */
export async function takeFile(client: ApiClient, name: string, path: string) {
  const { bytes, headers } = await client.get(path);
  const mimeType = headers["content-type"]?.split(";")[0] ?? "";
  return { name, mimeType, buffer: Buffer.from(bytes) };
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
