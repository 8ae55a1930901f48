import { createHash } from "node:crypto";
import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { networkOf } from "../../platform/throttle/network-of.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";

const HOUR_S = 3_600;

/**
 * Counts a request of this kind from this address, of those about the same thing when `about` names one; refuses beyond `perHour`. Answers say nothing
 * of any account: the count is the asker's own.
 */
export async function limitRequests(
  platform: Platform,
  request: { kind: string; ip: string; perHour: number; about?: string },
): Promise<Result<void, Problem>> {
  if (platform.settings.rateLimits === "off") return success(undefined);
  const asker = [networkOf(request.ip), request.about].filter((part) => part !== undefined).join(" ");
  const rule = { key: throttleKey(request.kind, asker), limit: request.perHour, windowS: HOUR_S, now: platform.clock() };
  const { allowed, retryAfterS } = await hitThrottle(platform.db, rule);
  return allowed ? success(undefined) : failure(problem("too_many_requests", { retryAfterS }));
}

/** Gives a throttle's key: what a person gave is hashed. */
export function throttleKey(kind: string, value: string): string {
  return `${kind} ${createHash("sha256").update(value).digest("base64url")}`;
}
