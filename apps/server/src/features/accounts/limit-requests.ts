import { createHash } from "node:crypto";
import { type Result } from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import { networkOf } from "../../platform/addresses.ts";
import type { Platform } from "../../platform/platform.ts";
import { limitRate, throttleKey } from "../../platform/throttle/throttle.ts";
import type { LinkPurpose } from "./registration-store.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** One network can use up half of an address's links, never all. */
const LINKS_OF_ADDRESS_PER_DAY = 5;

/**
 * Counts by asker, so that no account is revealed. Errors: `too_many_requests` beyond `perHour`.
 */
export async function limitRequests(
  platform: Platform,
  request: { kind: string; ip: string; perHour: number },
): Promise<Result<null>> {
  return limitRate(platform, {
    key: throttleKey(request.kind, networkOf(request.ip)),
    limit: request.perHour,
    windowS: HOUR_S,
  });
}

export async function limitLinks(
  platform: Platform,
  link: { purpose: LinkPurpose; ip: string; emailKey: string },
): Promise<Result<null>> {
  const key = throttleKey(`link-address-${link.purpose}`, `${networkOf(link.ip)} ${link.emailKey}`);
  return limitRate(platform, { key, limit: LINKS_OF_ADDRESS_PER_DAY, windowS: DAY_S });
}

/** Gives 256 random bits, to store as a hash. */
export function mintToken(platform: Pick<Platform, "random">): {
  readonly token: string;
  readonly sha256: Uint8Array;
} {
  const token = toBase64Url(platform.random(32));
  return { token, sha256: hashToken(token) };
}

export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
