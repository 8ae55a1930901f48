import { OTP_VALIDITY_S } from "@paraphe/contracts";
import { batchName, batchTally } from "./french.ts";
import type { NoticeContents, NoticeKind } from "./notice.ts";

/**
 * The GSM 7-bit default alphabet: a text within it travels as 160 characters in one SMS, otherwise as 70.
 * Source: 3GPP TS 23.038 §6.2.1; a character of the extension table counts for two (§6.2.1.1).
 */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const EXTENSION = "^{}\\[~]|€";

const REPLACEMENTS: Readonly<Record<string, string>> = {
  œ: "oe",
  Œ: "OE",
  ç: "c",
  "’": "'",
  "‘": "'",
  ʼ: "'",
  "«": '"',
  "»": '"',
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  "—": "-",
  "‑": "-",
  "…": "...",
  "\u00a0": " ",
  "\u202f": " ",
  "\u2009": " ",
  "\t": " ",
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  ı: "i",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "Th",
  ħ: "h",
  Ħ: "H",
  ŋ: "n",
  Ŋ: "N",
  ŧ: "t",
  Ŧ: "T",
  ẞ: "SS",
  // « n° 12 » without its sign is « no 12 », as typewriters had it.
  "°": "o",
  "·": ".",
  "•": "-",
  "−": "-",
  "×": "x",
  "÷": "/",
  "⁄": "/",
  "©": "(c)",
  "®": "(R)",
  "‹": "'",
  "›": "'",
  "‚": ",",
  "′": "'",
  "″": '"',
  "\u2010": "-",
  "\u2012": "-",
  "\u2015": "-",
  "\u2002": " ",
  "\u2003": " ",
  "\u200b": "",
  "\u200d": "",
  "\u2060": "",
  "\ufeff": "",
  "\u00ad": "",
};

/** Gives the length of a text in GSM septets. */
export function gsmLength(text: string): number {
  return Array.from(text).reduce(
    (length, character) => length + (EXTENSION.includes(character) ? 2 : 1),
    0,
  );
}

/** Tells whether every character of a text is in the GSM alphabet. */
export function isGsmText(text: string): boolean {
  return Array.from(text).every(
    (character) => BASIC.includes(character) || EXTENSION.includes(character),
  );
}

/** Gives the text in the GSM alphabet: é, è, à, ù and their like are kept, ê becomes e, ç becomes c, œ becomes oe, n° becomes no; what has no likeness becomes a question mark. */
export function toGsmText(text: string): string {
  return Array.from(text.normalize("NFC"), gsmCharacter).join("");
}

/** Gives the text cut to that many septets, with three dots where it was cut. */
export function cutGsmText(text: string, maximum: number): string {
  if (gsmLength(text) <= maximum) return text;
  let cut = "";
  for (const character of text) {
    if (gsmLength(cut + character) > maximum - 3) break;
    cut += character;
  }
  return `${cut.trimEnd()}...`;
}

function gsmCharacter(character: string): string {
  if (isGsmText(character)) return character;
  const replacement = REPLACEMENTS[character];
  if (replacement !== undefined) return replacement;
  // A letter without its mark; then what a sign stands for: ½ is 1/2, ² is 2, ﬁ is fi, ™ is TM.
  const plain = Array.from(
    character.normalize("NFKD").replace(/\p{M}+/gu, ""),
    (part) => REPLACEMENTS[part] ?? part,
  ).join("");
  if (plain.length > 0 && isGsmText(plain)) return plain;
  const capital = plain.toUpperCase();
  return capital.length > 0 && isGsmText(capital) ? capital : "?";
}

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
      : fit(
          (title) =>
            `L'échéance de "${title}" est proche. Signatures attendues : ${content.waitingFor?.length}.`,
          content.envelopeTitle,
        ),
  extended: (content) =>
    ask(content.fixed === true ? "Nouvelle échéance, " : "Délai prolongé, ", content),
  extension_requested: (content) =>
    fit(
      (title) => `${name(content.recipientName)} demande plus de temps pour "${title}".`,
      content.envelopeTitle,
    ),
  batch_ended: (content) =>
    fit((title) => `${title} : ${batchTally(content)}.`, batchName(content)),
  signed: (content) =>
    fit(
      (title) =>
        `${name(content.signerName)} a signé "${title}" (${content.signedCount} sur ${content.signerCount}).`,
      content.envelopeTitle,
    ),
  completed: (content) =>
    fit(
      (title) => `"${title}" est signé par tous. Votre exemplaire vous attend dans Paraphe.`,
      content.envelopeTitle,
    ),
  declined: (content) =>
    fit(
      (title) => `${name(content.recipientName)} a refusé de signer "${title}".`,
      content.envelopeTitle,
    ),
  cancelled: (content) =>
    fit(
      (title) => `${name(content.senderName)} a annulé sa demande de signature de "${title}".`,
      content.envelopeTitle,
    ),
  expired: (content) =>
    fit((title) => `Le délai de signature de "${title}" est dépassé.`, content.envelopeTitle),
};

/**
 * Gives the text of an SMS of this kind: GSM characters only, 160 at most; the title gives way first.
 * Tolerance: a link longer than what one SMS holds is kept whole, in a longer text.
 */
export function writeSms<K extends SmsKind>(
  kind: K,
  content: NoticeContents[K],
  host: string,
): string {
  return WRITERS[kind](content, host);
}

function fit(sentence: (variable: string) => string, variable: string): string {
  const room = MAXIMUM - gsmLength(toGsmText(sentence("")));
  return toGsmText(sentence(room < 4 ? "" : cutGsmText(toGsmText(variable), room)));
}

type Asking = {
  readonly senderName: string;
  readonly envelopeTitle: string;
  readonly link: string;
};
/** A title cut shorter than this says nothing: the sender stands alone. */
const SHORTEST_TITLE = 8;

/** A text that asks somebody to sign: who asks, what for, and the link. */
function ask(before: string, { link, ...who }: Asking): string {
  const after = ` : document à signer. ${link}`;
  return toGsmText(
    `${before}${namesOf(who, MAXIMUM - gsmLength(toGsmText(before + after)))}${after}`,
  );
}

/** The sender, and the title between quotes that are always closed: the title is shortened inside them, then left out, then the sender shortened. */
function namesOf({ senderName, envelopeTitle }: Omit<Asking, "link">, room: number): string {
  const sender = toGsmText(senderName);
  const title = toGsmText(envelopeTitle).replaceAll('"', "'");
  const left = room - gsmLength(`${sender}, ""`);
  if (left >= Math.min(SHORTEST_TITLE, gsmLength(title)))
    return `${sender}, "${cutGsmText(title, left)}"`;
  return room < 4 ? "" : cutGsmText(sender, room);
}

function name(fullName: string): string {
  return cutGsmText(toGsmText(fullName), 60);
}
