import { createHash } from "node:crypto";
import { failure, problem, type ProblemCode, type Result, success } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader } from "../database/database.ts";
import type { Platform } from "../platform.ts";

type ThrottleRule = {
  readonly key: string;
  readonly limit: number;
  readonly windowS: number;
  readonly now: Date;
  readonly weight?: number;
};
type LimitRule = Omit<ThrottleRule, "now"> & { readonly refusal?: ProblemCode };
type ThrottleOutcome = {
  readonly allowed: boolean;
  readonly retryAfterS: number;
  readonly remaining: number;
};

type LimitingPlatform = Pick<Platform, "settings" | "clock"> & { readonly db: Reader };

/**
 * Passes everything where limits are off.
 * Errors: `refusal`, or `too_many_requests`, with the time to the next window.
 */
export async function limitRate(
  platform: LimitingPlatform,
  { refusal = "too_many_requests", ...rule }: LimitRule,
): Promise<Result<null>> {
  if (platform.settings.rateLimits === "off") return success(null);
  const hit = await hitThrottle(platform.db, { ...rule, now: platform.clock() });
  return hit.allowed ? success(null) : failure(problem(refusal, { retryAfterS: hit.retryAfterS }));
}

export function throttleKey(kind: string, value: string): string {
  return `${kind} ${createHash("sha256").update(value).digest("base64url")}`;
}

/** Counts in a fixed window of all processes. The key has no address or name (`throttleKey`). */
export async function hitThrottle(db: Reader, rule: ThrottleRule): Promise<ThrottleOutcome> {
  const start = windowStart(rule);
  const weight = rule.weight ?? 1;
  const { hits } = await db
    .insertInto("throttles")
    .values({ key: rule.key, window_start: start, hits: weight })
    .onConflict((conflict) =>
      conflict
        .columns(["key", "window_start"])
        .doUpdateSet({ hits: sql<number>`throttles.hits + ${weight}` }),
    )
    .returning("hits")
    .executeTakeFirstOrThrow();
  return outcomeOf(rule, hits);
}

type Window = Pick<ThrottleRule, "windowS" | "now">;

/** Sorted by key, so that callers do not deadlock. */
export async function hitThrottles(
  db: Reader,
  { hits, ...window }: Window & { readonly hits: ReadonlyMap<string, number> },
): Promise<ReadonlyMap<string, number>> {
  const start = windowStart(window);
  const rows = await db
    .insertInto("throttles")
    .values(
      [...hits]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, count]) => ({ key, window_start: start, hits: count })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["key", "window_start"])
        .doUpdateSet({ hits: sql<number>`throttles.hits + excluded.hits` }),
    )
    .returning(["key", "hits"])
    .execute();
  return new Map(rows.map((row) => [row.key, row.hits]));
}

export async function readThrottles(
  db: Reader,
  { keys, ...window }: Window & { readonly keys: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("throttles")
    .select(["key", "hits"])
    .where("key", "in", keys)
    .where("window_start", "=", windowStart(window))
    .execute();
  return new Map(rows.map((row) => [row.key, row.hits]));
}

export function secondsLeft(window: Window): number {
  return Math.max(
    1,
    Math.ceil(
      (windowStart(window).getTime() + window.windowS * 1_000 - window.now.getTime()) / 1_000,
    ),
  );
}

export async function takeBackHit(
  db: Reader,
  rule: Window & Pick<ThrottleRule, "key">,
): Promise<void> {
  await db
    .updateTable("throttles")
    .set((eb) => ({ hits: eb.fn<number>("greatest", [eb("hits", "-", 1), eb.lit(0)]) }))
    .where("key", "=", rule.key)
    .where("window_start", "=", windowStart(rule))
    .execute();
}

export async function forgetHits(
  db: Reader,
  rule: Window & Pick<ThrottleRule, "key">,
): Promise<void> {
  await db
    .deleteFrom("throttles")
    .where("key", "=", rule.key)
    .where("window_start", "=", windowStart(rule))
    .execute();
}

export async function sweepThrottles(db: Reader, olderThan: Date): Promise<void> {
  await db.deleteFrom("throttles").where("window_start", "<", olderThan).execute();
}

function windowStart(rule: Window): Date {
  const lengthMs = rule.windowS * 1_000;
  return new Date(Math.floor(rule.now.getTime() / lengthMs) * lengthMs);
}

function outcomeOf(rule: ThrottleRule, hits: number): ThrottleOutcome {
  return hits <= rule.limit
    ? { allowed: true, retryAfterS: 0, remaining: rule.limit - hits }
    : { allowed: false, retryAfterS: secondsLeft(rule), remaining: 0 };
}

const MINUTE_MS = 60_000;

export type MinuteCounter = {
  hit(key: string, now: Date): { readonly allowed: boolean; readonly retryAfterS: number };
};

export function createMinuteCounter(limit: number): MinuteCounter {
  let minute = -1;
  let hits = new Map<string, number>();
  return {
    hit(key, now) {
      const current = Math.floor(now.getTime() / MINUTE_MS);
      if (current !== minute) [minute, hits] = [current, new Map()];
      const count = (hits.get(key) ?? 0) + 1;
      hits.set(key, count);
      if (count <= limit) return { allowed: true, retryAfterS: 0 };
      return {
        allowed: false,
        retryAfterS: Math.max(1, Math.ceil(((current + 1) * MINUTE_MS - now.getTime()) / 1_000)),
      };
    },
  };
}
