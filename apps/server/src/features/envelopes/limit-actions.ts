import { type Result } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { limitRate, takeBackHit } from "../../platform/throttle/throttle.ts";
import { mayStillSend } from "../notices/public.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Source: security §1, line 61. */
const LIMITS = {
  create: { limit: 1_000, windowS: HOUR_S },
  /** Each file runs in the sandbox. */
  upload: { limit: 1_000, windowS: HOUR_S },
  invite: { limit: 5_000, windowS: DAY_S },
  remind: { limit: 10, windowS: DAY_S },
  /** Each correction may reach another person. */
  askOne: { limit: 5, windowS: DAY_S },
  askOneOfAccount: { limit: 500, windowS: DAY_S },
  /** Each extension writes to everybody awaited. */
  extend: { limit: 10, windowS: DAY_S },
  /** Each change adds to the journal. */
  reminders: { limit: 20, windowS: DAY_S },
  publicPage: { limit: 20, windowS: DAY_S },
  /** Each, with its cancellation, writes to everybody awaited. */
  restore: { limit: 5, windowS: DAY_S },
} as const;

/**
 * `remind`, `extend`, `reminders`, `publicPage`, `restore` count by envelope, others by account or
 * recipient. Errors: `too_many_requests`.
 */
export function limitAction(
  platform: Pick<Platform, "settings" | "clock"> & { readonly db: Reader },
  action: { readonly kind: keyof typeof LIMITS; readonly id: string; readonly count?: number },
): Promise<Result<null>> {
  return limitRate(platform, {
    key: `envelope ${action.kind} ${action.id}`,
    ...LIMITS[action.kind],
    weight: action.count ?? 1,
  });
}

/**
 * Counts one recipient's messages, then all of the account. One that its server refused does not
 * count.
 * Errors: `too_many_requests`.
 */
export async function limitAskingOne(
  platform: Parameters<typeof limitAction>[0],
  asked: { readonly recipientId: string; readonly ownerId: string; readonly lastRefused: boolean },
): Promise<Result<null>> {
  if (asked.lastRefused)
    await takeBackHit(platform.db, {
      key: `envelope askOne ${asked.recipientId}`,
      ...LIMITS.askOne,
      now: platform.clock(),
    });
  const one = await limitAction(platform, { kind: "askOne", id: asked.recipientId });
  return one.ok ? limitAction(platform, { kind: "askOneOfAccount", id: asked.ownerId }) : one;
}

/** Checks the day's quota before anything is written. Errors: `too_many_messages`. */
export function mayAskToday(
  platform: Parameters<typeof limitAction>[0],
  asked: {
    readonly envelope: Pick<Envelope, "ownerId">;
    readonly recipients: readonly Pick<EnvelopeRecipient, "email" | "phoneNumber">[];
    readonly channel?: "email" | "sms";
  },
): Promise<Result<null>> {
  const common = { kind: "invitation", senderId: asked.envelope.ownerId } as const;
  const messages = asked.recipients.map(({ email, phoneNumber }) =>
    asked.channel === "sms" && phoneNumber !== null
      ? ({ ...common, channel: "sms", destination: phoneNumber } as const)
      : ({ ...common, channel: "email", destination: email } as const),
  );
  return mayStillSend(platform.db, platform, messages);
}
