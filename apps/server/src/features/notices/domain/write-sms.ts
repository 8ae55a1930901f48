import { OTP_VALIDITY_S } from "@paraphe/contracts";
import { batchName, batchTally } from "./batch-words.ts";
import { cutGsmText, gsmLength, toGsmText } from "./gsm-text.ts";
import type { NoticeContents, NoticeKind } from "./notice.ts";

/** Kinds that may go by SMS; account mails may not, because they prove an address. */
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

/** One SMS in the GSM alphabet (3GPP TS 23.040 §9.2.3.24: 160 septets without concatenation). */
const MAXIMUM = 160;

const WRITERS: { readonly [K in SmsKind]: (content: NoticeContents[K], host: string) => string } = {
  // The last line lets a phone's browser offer the code on our origin only: WICG « Origin-bound one-time codes » §3.
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
  trial: () => fit(() => "Message d’essai de Paraphe. Vos SMS arrivent bien.", ""),
  invitation: (content) => ask("", content),
  reminder: (content) => ask("Rappel, ", content),
  expiring: (content) =>
    content.waitingFor === null
      ? ask(`Plus que ${content.daysLeft === 1 ? "24 h" : "2 jours"}, `, content)
      : fit((title) => `L'échéance de "${title}" est proche. Signatures attendues : ${content.waitingFor?.length}.`, content.envelopeTitle),
  extended: (content) => ask(content.fixed === true ? "Nouvelle échéance, " : "Délai prolongé, ", content),
  extension_requested: (content) =>
    fit((title) => `${name(content.recipientName)} demande plus de temps pour "${title}".`, content.envelopeTitle),
  batch_ended: (content) => fit((title) => `${title} : ${batchTally(content)}.`, batchName(content)),
  signed: (content) =>
    fit(
      (title) => `${name(content.signerName)} a signé "${title}" (${content.signedCount} sur ${content.signerCount}).`,
      content.envelopeTitle,
    ),
  completed: (content) =>
    fit((title) => `"${title}" est signé par tous. Votre exemplaire vous attend dans Paraphe.`, content.envelopeTitle),
  declined: (content) => fit((title) => `${name(content.recipientName)} a refusé de signer "${title}".`, content.envelopeTitle),
  cancelled: (content) =>
    fit((title) => `${name(content.senderName)} a annulé sa demande de signature de "${title}".`, content.envelopeTitle),
  expired: (content) => fit((title) => `Le délai de signature de "${title}" est dépassé.`, content.envelopeTitle),
};

/**
 * Gives the text of an SMS of this kind: GSM characters only, 160 at most; the title gives way first.
 * Tolerance: a link longer than what one SMS holds is kept whole, in a longer text.
 */
export function writeSms<K extends SmsKind>(kind: K, content: NoticeContents[K], host: string): string {
  return WRITERS[kind](content, host);
}

function fit(sentence: (variable: string) => string, variable: string): string {
  const room = MAXIMUM - gsmLength(toGsmText(sentence("")));
  return toGsmText(sentence(room < 4 ? "" : cutGsmText(toGsmText(variable), room)));
}

type Asking = { readonly senderName: string; readonly envelopeTitle: string; readonly link: string };
/** A title cut shorter than this says nothing: the sender stands alone. */
const SHORTEST_TITLE = 8;

/** A text that asks somebody to sign: who asks, what for, and the link. */
function ask(before: string, { link, ...who }: Asking): string {
  const after = ` : document à signer. ${link}`;
  return toGsmText(`${before}${namesOf(who, MAXIMUM - gsmLength(toGsmText(before + after)))}${after}`);
}

/** The sender, and the title between quotes that are always closed: the title is shortened inside them, then left out, then the sender shortened. */
function namesOf({ senderName, envelopeTitle }: Omit<Asking, "link">, room: number): string {
  const sender = toGsmText(senderName);
  const title = toGsmText(envelopeTitle).replaceAll('"', "'");
  const left = room - gsmLength(`${sender}, ""`);
  if (left >= Math.min(SHORTEST_TITLE, gsmLength(title))) return `${sender}, "${cutGsmText(title, left)}"`;
  return room < 4 ? "" : cutGsmText(sender, room);
}

function name(fullName: string): string {
  return cutGsmText(toGsmText(fullName), 60);
}
