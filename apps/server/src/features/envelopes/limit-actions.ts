import { type Result } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { limitRate, takeBackHit } from "../../platform/throttle/throttle.ts";
import { mayStillSend } from "../notices/public.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Generous bounds on what one account may set going. Source: security §1, line 61. */
const LIMITS = {
  create: { limit: 1_000, windowS: HOUR_S },
  /** Additions of files to drafts: each is controlled in the sandbox. */
  upload: { limit: 1_000, windowS: HOUR_S },
  /** People asked, whatever the number of envelopes. */
  invite: { limit: 5_000, windowS: DAY_S },
  remind: { limit: 10, windowS: DAY_S },
  /** Corrections of one recipient's address and invitations sent to them again: each may write to somebody new. */
  askOne: { limit: 5, windowS: DAY_S },
  askOneOfAccount: { limit: 500, windowS: DAY_S },
  /** Deadlines put off, set or moved: each writes to everybody awaited. */
  extend: { limit: 10, windowS: DAY_S },
  /** Other automatic reminders: each adds to the journal. */
  reminders: { limit: 20, windowS: DAY_S },
  /** Other public pages of one envelope: the same. */
  publicPage: { limit: 20, windowS: DAY_S },
  /** Each writes to everybody awaited; the cancellation that comes before it too. */
  restore: { limit: 5, windowS: DAY_S },
} as const;

/**
 * Counts an action of this kind, as often as `count` says: reminders, extensions, public pages and restorations by envelope, the others by account.
 * Errors: `too_many_requests`, with the time until the next window.
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
 * Counts a message to one recipient: theirs first, then all those of the account. One whose server refused it has reached nobody, and does not stand
 * in the way of the next: the address is still to be corrected. Errors: `too_many_requests`.
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

/**
 * Tells whether messages that ask these people may leave today, before anything is written: by mail unless a text is asked for.
 * Errors: `too_many_messages`.
 */
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
