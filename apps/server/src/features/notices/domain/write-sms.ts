import { OTP_VALIDITY_S } from "@paraphe/contracts";
import { ask, fit } from "./gsm-text.ts";
import type { NoticeContents, NoticeKind } from "./notice.ts";
import { outcomeTexts } from "./outcome-words.ts";

/** Account mails prove an address, so they never go by SMS. */
export type SmsKind = Exclude<
  NoticeKind,
  | "activation"
  | "already_registered"
  | "reset"
  | "password_changed"
  | "address_confirmation"
  | "address_changing"
  | "account_erased"
  | "checkpoint"
  | "summary"
>;

const WRITERS: { readonly [K in SmsKind]: (content: NoticeContents[K], host: string) => string } = {
  // Binds the code to our origin: WICG « Origin-bound one-time codes » §3.
  code: (content, host) =>
    fit(
      (title) =>
        `${content.code} : code pour signer "${title}". Valable ${OTP_VALIDITY_S / 60} min. Ne le transmettez pas.\n@${host} #${content.code}`,
      content.envelopeTitle,
    ),
  phone_code: (content, host) =>
    fit(
      () =>
        `${content.code} : code pour vérifier votre numéro. Valable ${OTP_VALIDITY_S / 60} min. Ne le transmettez pas.\n@${host} #${content.code}`,
      "",
    ),
  invitation: (content) => ask("", content),
  reminder: (content) => ask("Rappel, ", content),
  expiring: (content) =>
    content.waitingFor === null
      ? ask(`Plus que ${content.daysLeft === 1 ? "24 h" : "2 jours"}, `, content)
      : fit(
          (title) =>
            `L'échéance de "${title}" est proche. Signatures attendues : ${content.waitingFor?.length}.`,
          content.envelopeTitle,
        ),
  extended: (content) =>
    ask(content.fixed === true ? "Nouvelle échéance, " : "Délai prolongé, ", content),
  ...outcomeTexts,
};

/**
 * At most 160 GSM characters; the title is shortened first.
 * Tolerance: a link longer than one SMS is left whole.
 */
export function writeSms<K extends SmsKind>(
  kind: K,
  content: NoticeContents[K],
  host: string,
): string {
  return WRITERS[kind](content, host);
}
