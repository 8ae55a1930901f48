import {
  ACTIVATION_LINK_HOURS,
  ADDRESS_LINK_HOURS,
  DELIVERY_FAILURES,
  type DeliveryFailureCode,
  type DeliveryState,
  OTP_VALIDITY_S,
  RESET_LINK_HOURS,
} from "@paraphe/contracts";
import type { NoticeChannel, NoticeKind } from "./notice.ts";

type Ended = {
  readonly kind: string;
  readonly channel: string;
  readonly state: DeliveryState;
  readonly serverAnswer: string | null;
};
type DeliveryFailure = { readonly code: DeliveryFailureCode; readonly detail: string };

/** Subject and detail of an enhanced status code (RFC 3463 §3.2 to §3.8). */
const BY_ENHANCED_CODE: Readonly<Record<string, DeliveryFailureCode>> = {
  "1.1": "unknown_address",
  "1.2": "unknown_domain",
  "1.3": "unknown_address",
  "1.4": "unknown_address",
  "1.6": "unknown_address",
  "1.7": "sender_refused",
  "1.8": "sender_refused",
  // RFC 7505 §4.1: null MX.
  "1.10": "unknown_domain",
  "2.1": "mailbox_disabled",
  "2.2": "mailbox_full",
  "2.3": "too_large",
  "3.4": "too_large",
  "4.4": "unknown_domain",
};

/** Read where the code says too little; the first match wins. */
const BY_WORDS: readonly (readonly [RegExp, DeliveryFailureCode])[] = [
  [
    /spam|unsolicited|junk|blacklist|block ?list|blocked|reputation|spamhaus|ind[ée]sirable/i,
    "refused_as_spam",
  ],
  [/\b(spf|dkim|dmarc|unauthenticated|sender (address|domain))\b/i, "sender_refused"],
  [/quota|mailbox (is )?full|over ?quota|bo[iî]te pleine/i, "mailbox_full"],
  [/disabled|inactive|suspended|d[ée]sactiv/i, "mailbox_disabled"],
  [
    /(user|recipient|mailbox|address|account)\b.{0,40}\b(unknown|not found|unavailable|rejected|invalid|does ?n.t exist|not exist)|no such (user|mailbox|recipient)|unknown (user|recipient|mailbox|address)|inconnu/i,
    "unknown_address",
  ],
  [/domain\b.{0,30}\b(not found|does ?n.t exist|unknown)/i, "unknown_domain"],
  [/too (large|big)|size (limit|exceeds)/i, "too_large"],
];

/** RFC 5321 §4.2.2, for a server without enhanced codes. */
const BY_REPLY_CODE: Readonly<Record<string, DeliveryFailureCode>> = {
  552: "mailbox_full",
  551: "unknown_address",
  553: "unknown_address",
};

/** RFC 7372 §3 and RFC 8616: the sender's domain failed authentication. */
const ABOUT_SENDER = /^7\.(2[0-9]|1[6-9])$/;

/** Gives the sender a French sentence; null unless refused. */
export function deliveryFailure(ended: Ended): DeliveryFailure | null {
  if (ended.state !== "refused") return null;
  const answer = ended.serverAnswer ?? "";
  const code = failureCode(ended, answer);
  const words = code === "other" ? sentenceOf(answer) : "";
  return { code, detail: words === "" ? DELIVERY_FAILURES[code] : words };
}

export function isServersAnswer(failure: DeliveryFailure | null): boolean {
  return failure === null || !OWN_REFUSALS.some((code) => code === failure.code);
}

/** Codes of this service's own refusals, in `server_answer`. */
const OWN_REFUSALS = [
  "mail_off",
  "too_many",
  "not_offered",
  "restored",
] as const satisfies readonly DeliveryFailureCode[];
export type OwnRefusal = (typeof OWN_REFUSALS)[number];

function failureCode({ kind, channel }: Ended, answer: string): DeliveryFailureCode {
  const own = OWN_REFUSALS.find((code) => code === answer);
  if (own !== undefined) return own;
  if (kind === "code" && answer.startsWith(STALE)) return "too_late";
  return channel === "email" ? mailFailure(answer) : otherFailure(channel, answer);
}

function mailFailure(answer: string): DeliveryFailureCode {
  if (answer === STALE) return "no_answer";
  const gaveUp = answer.startsWith(STALE);
  const reply = /(?:^|\s)([245]\d\d)[ -](?:([245])\.(\d{1,3}\.\d{1,3})\b)?/.exec(answer);
  if (reply === null) return gaveUp ? "no_answer" : (byWords(answer) ?? "other");
  const [, basic = "", , enhanced = ""] = reply;
  const known =
    BY_ENHANCED_CODE[enhanced] ??
    (ABOUT_SENDER.test(enhanced) ? "sender_refused" : undefined) ??
    byWords(answer);
  if (known !== undefined) return known;
  if (gaveUp) return "no_answer";
  return BY_REPLY_CODE[basic] ?? (enhanced.startsWith("7.") ? "refused_by_policy" : "other");
}

function otherFailure(channel: string, answer: string): DeliveryFailureCode {
  if (answer.startsWith(STALE)) return "no_answer";
  return channel === "sms" && /^4\d\d\b/.test(answer) ? "number_refused" : "other";
}

function byWords(answer: string): DeliveryFailureCode | undefined {
  return BY_WORDS.find(([pattern]) => pattern.test(answer))?.[1];
}

function sentenceOf(answer: string): string {
  return answer.replace(/^[245]\d\d(?:[ -]|$)(?:[245]\.\d{1,3}\.\d{1,3}\s*)?/, "").trim();
}

/** Begins the answer of a message given up. */
const STALE = "Délai de remise dépassé.";

const HOUR_S = 3_600;
/** RFC 5321 §4.5.4.1 asks 4 to 5 days; this first hop reports sooner. */
const GIVE_UP_S = 48 * HOUR_S;
/** After this time a push goes by mail. */
const PUSH_GIVE_UP_S = 4 * HOUR_S;
/** A closed browser gets it later (RFC 8030 §5.2). */
export const PUSH_TTL_S = 2 * 24 * HOUR_S;

const USEFUL_S: Partial<Readonly<Record<NoticeKind, number>>> = {
  code: OTP_VALIDITY_S,
  phone_code: OTP_VALIDITY_S,
  activation: ACTIVATION_LINK_HOURS * HOUR_S,
  reset: RESET_LINK_HOURS * HOUR_S,
  address_confirmation: ADDRESS_LINK_HOURS * HOUR_S,
};

/**
 * Waits 10 s, doubled up to an hour, less up to a half by `chance` (0 to 1), so that messages put
 * off together come back apart.
 */
export function retryAfterS(tries: number, chance: number): number {
  return Math.min(10 * 2 ** Math.min(tries, 16), HOUR_S) * (1 - chance / 2);
}

/** A code or link has expired, or the deadline has passed. */
export function isStale(
  kind: NoticeKind,
  waited: { readonly createdAt: Date; readonly now: Date; readonly channel?: NoticeChannel },
): boolean {
  const ageS = (waited.now.getTime() - waited.createdAt.getTime()) / 1_000;
  return (
    ageS >
    Math.min(waited.channel === "push" ? PUSH_GIVE_UP_S : GIVE_UP_S, USEFUL_S[kind] ?? GIVE_UP_S)
  );
}

export function staleAnswer(lastAnswer: string | null): string {
  return lastAnswer === null ? STALE : `${STALE} Dernière réponse\u00a0: ${lastAnswer}`;
}
