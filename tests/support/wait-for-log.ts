import { expect } from "@playwright/test";
import { createApiClient } from "./api-client.ts";
import type { Printed } from "./make-print.ts";

/** A checkpoint comes some seconds after a completion. */
const CHECKPOINT_MS = 60_000;

/** Waits for a checkpoint that covers this print's envelope to its end: the service may have made others before. */
export async function waitForLog(url: string, { verify }: Printed): Promise<void> {
  const anyone = createApiClient(url);
  const isLogged = async () => (await anyone.get(verify)).json.completion_logged;
  await expect.poll(isLogged, { timeout: CHECKPOINT_MS, intervals: [1_000] }).toBe(true);
  anyone.close();
}
