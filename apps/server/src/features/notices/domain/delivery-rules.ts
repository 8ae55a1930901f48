import { ACTIVATION_LINK_HOURS, ADDRESS_LINK_HOURS, OTP_VALIDITY_S, RESET_LINK_HOURS } from "@paraphe/contracts";
import { STALE } from "./delivery-failure.ts";
import type { NoticeChannel, NoticeKind } from "./notice.ts";

const HOUR_S = 3_600;
/** A server that is away for longer than this has lost the message (RFC 5321 §4.5.4.1 asks for 4 to 5 days of a relay; we are the first hop, and say so to the sender). */
export const GIVE_UP_S = 48 * HOUR_S;
/** A push service that is away for longer than this is not waited for: the same words go by mail. */
const PUSH_GIVE_UP_S = 4 * HOUR_S;
/** For how long a push service keeps a message for a browser that is closed (RFC 8030 §5.2). */
export const PUSH_TTL_S = 2 * 24 * HOUR_S;

const USEFUL_S: Partial<Readonly<Record<NoticeKind, number>>> = {
  code: OTP_VALIDITY_S,
  phone_code: OTP_VALIDITY_S,
  activation: ACTIVATION_LINK_HOURS * HOUR_S,
  reset: RESET_LINK_HOURS * HOUR_S,
  address_confirmation: ADDRESS_LINK_HOURS * HOUR_S,
};

/**
 * How a delivery is tried again: 10 s, doubled up to an hour; 58 tries go past 48 hours, where `isStale` ends it.
 * A try may take 100 s (SMTP conversation), so a job is not taken again before 180 s.
 */
export const DELIVERY_RETRIES = { retryLimit: 58, retryDelayS: 10, retryDelayMaxS: HOUR_S, expireInS: 180 } as const;

/** Tells whether a message is too old to be worth delivering: its code or link is dead, or 48 hours (of a push, 4) went by. */
export function isStale(
  kind: NoticeKind,
  waited: { readonly createdAt: Date; readonly now: Date; readonly channel?: NoticeChannel },
): boolean {
  const ageS = (waited.now.getTime() - waited.createdAt.getTime()) / 1_000;
  return ageS > Math.min(waited.channel === "push" ? PUSH_GIVE_UP_S : GIVE_UP_S, USEFUL_S[kind] ?? GIVE_UP_S);
}

/** The answer kept when a message got too old before any server took it. */
export function staleAnswer(lastAnswer: string | null): string {
  return lastAnswer === null ? STALE : `${STALE} Dernière réponse\u00a0: ${lastAnswer}`;
}
