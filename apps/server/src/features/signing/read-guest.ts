import type { GuestEnvelope } from "@paraphe/contracts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { documentsDigest } from "../documents/public.ts";
import { tokenSha256 } from "../envelopes/public.ts";
import { recordArrival, selectChannel } from "../notices/public.ts";
import { findAct } from "./seal/store.ts";
import { mayText } from "./domain/two-channels.ts";
import { resendIn } from "./domain/decide-code-request.ts";
import type { Guest } from "./guest-door.ts";
import { type GuestCookie, resumeGuestSession } from "./guest-session.ts";
import { presentGuest } from "./present-signing.ts";
import { readCodeWay } from "./read-code-way.ts";
import { loadCodeTimes } from "./store.ts";

const MINUTE_MS = 60_000;

/** Tells a guest, whom no other call tells it, that no mail leaves. */
export function mailOf({ mailDisabled }: Pick<Platform["settings"], "mailDisabled">): Pick<GuestEnvelope, "mail"> {
  return mailDisabled ? { mail: false } : {};
}

/** Gives a guest's envelope, and the cookie that makes the session slide. */
export async function readGuest(
  platform: Platform,
  request: { readonly guest: Guest; readonly token: string; readonly cookies: Readonly<Record<string, string | undefined>> },
): Promise<{ readonly answer: GuestEnvelope; readonly cookie: GuestCookie | null }> {
  const now = platform.clock();
  const { recipient, aggregate } = request.guest;
  const [resumed, act, sentAt, way, link] = await platform.db
    .connection()
    .execute((db) =>
      together([
        resumeGuestSession({ ...platform, db }, recipient.id, request.cookies),
        findAct(db, recipient.id),
        loadCodeTimes(db, { recipientId: recipient.id }, new Date(now.getTime() - MINUTE_MS)),
        readCodeWay(db, recipient.id, now),
        selectChannel(db, { linkSha256: tokenSha256(request.token) }),
        recordArrival(db, platform, { linkSha256: tokenSha256(request.token) }),
      ]),
    );
  const verified = resumed !== null && Buffer.compare(resumed.session.documentsSha256, documentsDigest(aggregate.documents)) === 0;
  const answer = presentGuest(
    { aggregate, recipient, hasUnsealedAct: act !== null && !act.sealed },
    {
      verified,
      resendIn: resendIn({ sentAt, now }),
      bySms: mayText(link) && textableNumber(platform.settings, recipient.phoneNumber) !== null,
      way,
    },
  );
  return { answer: { ...answer, ...mailOf(platform.settings) }, cookie: verified ? resumed.cookie : null };
}
