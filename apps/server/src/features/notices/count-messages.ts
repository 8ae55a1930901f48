import { createHash } from "node:crypto";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { hitThrottles, readThrottles, secondsLeft } from "../../platform/throttle/throttle.ts";
import { BUDGET_WINDOW_S, budgetsOf, type Counted, overspent } from "./domain/budgets.ts";

type Counting = Pick<Platform, "clock" | "settings">;

/** Counts messages of the outbox; gives the places, in the list, of those that may not leave. */
export async function countMessages(trx: Transaction, platform: Counting, messages: readonly Counted[]): Promise<ReadonlySet<number>> {
  if (platform.settings.rateLimits === "off" || messages.length === 0) return new Set();
  const added = new Map<string, number>();
  for (const { of } of messages.flatMap(budgetsOf)) added.set(keyOf(of), (added.get(keyOf(of)) ?? 0) + 1);
  const after = await hitThrottles(trx, { hits: added, windowS: BUDGET_WINDOW_S, now: platform.clock() });
  const before = new Map(messages.flatMap(budgetsOf).map(({ of }) => [of, (after.get(keyOf(of)) ?? 0) - (added.get(keyOf(of)) ?? 0)]));
  return new Set(overspent(messages, before).flatMap((budget, index) => (budget === null ? [] : [index])));
}

/**
 * Tells whether messages that a person asks for may leave today, before anything is written; the outbox counts them when they are enqueued, and has the
 * last word between two who ask at once.
 * Errors: `too_many_messages`, with the time until they may.
 */
export async function mayStillSend(reader: Reader, platform: Counting, messages: readonly Counted[]): Promise<Result<null>> {
  if (platform.settings.rateLimits === "off" || messages.length === 0) return success(null);
  const window = { windowS: BUDGET_WINDOW_S, now: platform.clock() };
  const names = [...new Set(messages.flatMap(budgetsOf).map(({ of }) => of))];
  const hits = await readThrottles(reader, { keys: names.map(keyOf), ...window });
  const verdicts = overspent(messages, new Map(names.map((name) => [name, hits.get(keyOf(name)) ?? 0])));
  const index = verdicts.findIndex((budget) => budget !== null);
  if (index === -1) return success(null);
  const whither = verdicts[index]?.about === "sender" ? "de votre compte" : `vers ${messages[index]?.destination}`;
  return failure(problem("too_many_messages", { params: { whither }, retryAfterS: secondsLeft(window) }));
}

/** The counts hold no address. */
function keyOf(name: string): string {
  return `messages ${createHash("sha256").update(name).digest("base64url")}`;
}
