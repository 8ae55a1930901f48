import { createHash } from "node:crypto";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { hitThrottles, readThrottles, secondsLeft } from "../../platform/throttle/throttle.ts";
import { BUDGET_WINDOW_S, budgetsOf, type Counted, overspent } from "./domain/budgets.ts";

type Counting = Pick<Platform, "clock" | "settings">;

/** Counts the messages of the outbox that leave; gives the places, in the list, of those that may not. */
export async function countMessages(trx: Transaction, platform: Counting, messages: readonly Counted[]): Promise<ReadonlySet<number>> {
  if (platform.settings.rateLimits === "off") return new Set();
  const asked = tally(messages, 1);
  if (asked.size === 0) return new Set();
  const window = { windowS: BUDGET_WINDOW_S, now: platform.clock() };
  const after = await hitThrottles(trx, { hits: asked, ...window });
  const before = new Map(messages.flatMap(budgetsOf).map(({ of }) => [of, (after.get(keyOf(of)) ?? 0) - (asked.get(keyOf(of)) ?? 0)]));
  const verdicts = overspent(messages, before);
  // All were counted at once, under the rows' locks; those that may not leave are taken back under the same.
  const refused = tally(
    messages.filter((_, index) => verdicts[index] !== null),
    -1,
  );
  if (refused.size > 0) await hitThrottles(trx, { hits: refused, ...window });
  return new Set(verdicts.flatMap((budget, index) => (budget === null ? [] : [index])));
}

function tally(messages: readonly Counted[], each: 1 | -1): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { of } of messages.flatMap(budgetsOf)) counts.set(keyOf(of), (counts.get(keyOf(of)) ?? 0) + each);
  return counts;
}

/**
 * Tells whether messages that a person asks for may leave today, before anything is written; the outbox counts them when they are enqueued, and has the
 * last word between two who ask at once.
 * Errors: `too_many_messages`, with the time until they may.
 */
export async function mayStillSend(reader: Reader, platform: Counting, messages: readonly Counted[]): Promise<Result<null>> {
  if (platform.settings.rateLimits === "off") return success(null);
  const window = { windowS: BUDGET_WINDOW_S, now: platform.clock() };
  const names = [...new Set(messages.flatMap(budgetsOf).map(({ of }) => of))];
  if (names.length === 0) return success(null);
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
