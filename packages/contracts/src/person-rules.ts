import { MAX_NAME_LENGTH, MAX_TITLE_LENGTH } from "./constants.ts";

/**
 * Texts of people must not end a line, hide or turn words: they could pass for the service's own.
 */

/** Half a pair has no UTF-8 (Unicode §3.9, D76 and D92). */
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** C0 and C1, separators, embeddings, overrides and isolates (Unicode §23.1, §23.2; UAX #9 §2). */
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** The same, except line feeds. */
const BREAKS_IN_LINES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Direction marks, soft hyphens, fillers, zero widths. Joiners stay: some scripts need them. */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060-\u2064\u3164\ufeff\uffa0]+/g;
const READABLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/** Gives one line in NFC; spaces replace what would end or turn it. */
export function plainText(text: string): string {
  return text
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(BREAKS, " ");
}

/** Gives several lines, each ended by a line feed. */
export function plainLines(text: string): string {
  return text
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(LINE_ENDS, "\n")
    .replace(BREAKS_IN_LINES, " ");
}

/** Inner quotation marks cannot close the outer (Lexique de l'Imprimerie nationale). */
export function quotationOf(words: string): string {
  const within = plainText(words)
    .replace(/«[\s\u00a0\u202f]*/g, "“")
    .replace(/[\s\u00a0\u202f]*»/g, "”")
    .trim();
  return `«\u00a0${within}\u00a0»`;
}

export const UNREADABLE = "Au moins une lettre ou un chiffre";
/** An empty-looking name would print as nothing. */
export function isReadable(text: string): boolean {
  return READABLE.test(text);
}

/** Stands beside the service's own words in mails: no links, mark-up or look-alikes. */

export type NamedText = "nom" | "titre";

/** Schemes that programs open from a text. */
const LINK =
  /:\/|\bwww\.|\b(?:https?|ftps?|file|mailto|tel|sms|callto|facetime|geo|intent|skype|whatsapp|javascript|vbscript|data):\S/i;
const MARKUP = /<\s*[a-z/!?]/i;
/** Finds addresses, but also numbers, abbreviations and file names. */
const DOTTED = /[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)+/gu;
/** Leaves out « 12.50 », « v1.2 » and « S.A.R.L. » (RFC 3696 §2). */
const TOP_LABEL = /^(?:\p{L}[\p{L}\p{M}]+|xn--.+)$/iu;
/** No top-level domains (IANA, 2026): « contrat.pdf », unlike « contrat.zip », is no link. */
const FILE_ENDING =
  /^(?:pdf|docx?|odt|ods|odp|xlsx?|csv|pptx?|txt|rtf|jpe?g|png|tiff?|webp|heic|xml|json|eml|msg|p7[ms]|asc)$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const WORD = /[\p{L}\p{M}]+/gu;
/** Other alphabets, and Greek look-alikes (UTS #39 §4); « ΔT » and « TNFα » pass. */
const FOREIGN =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳικνορτυχ]/u;

/** Null when nothing is wrong; the length was checked before. */
export function wordsFault(text: string, kind: NamedText): string | null {
  // Invisible characters split no address; other dots count as one (UTS #46 §4.5).
  const seen = visibleText(text).normalize("NFKC").replaceAll("\u3002", ".");
  if (MARKUP.test(seen)) return `Caractères non autorisés dans un ${kind}`;
  if (LINK.test(seen)) return `Un ${kind} ne peut pas contenir de lien.`;
  if ((seen.match(DOTTED) ?? []).some(isSite))
    return `Un ${kind} ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.`;
  if ((visibleText(text).match(WORD) ?? []).some(mixesAlphabets))
    return `Un ${kind} ne peut pas mêler deux alphabets dans un mot. Retapez ce mot.`;
  return null;
}

function isSite(labels: string): boolean {
  const top = labels.slice(labels.lastIndexOf(".") + 1);
  return IPV4.test(labels) || (TOP_LABEL.test(top) && !FILE_ENDING.test(top));
}

function mixesAlphabets(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && FOREIGN.test(word);
}

/** Leaves out extension and refused text. */
export function titleOfFile(fileName: string): string {
  const stem = fileName.replace(/\.pdf$/iu, "").trim();
  const spaced =
    wordsFault(stem, "titre") === null
      ? stem
      : stem
          .normalize("NFKC")
          .replace(/[.:/<\u3002\s]+/g, " ")
          .trim();
  return spaced === "" || wordsFault(spaced, "titre") !== null ? "Document" : spaced;
}

/** Trims and normalises (NFC): nothing ends a line, hides or turns words. */
export function lineOf(text: string): string {
  return plainText(text).trim();
}

type NamedLine = { readonly kind: NamedText; readonly maximum: number; readonly required: string };

export function nameFault(text: string): string | null {
  return namedLineFault(text, { kind: "nom", maximum: MAX_NAME_LENGTH, required: "Nom requis" });
}

export function titleFault(text: string): string | null {
  return namedLineFault(text, {
    kind: "titre",
    maximum: MAX_TITLE_LENGTH,
    required: "Titre requis",
  });
}

function namedLineFault(text: string, { kind, maximum, required }: NamedLine): string | null {
  const line = lineOf(text);
  if (line.length > maximum) return `${maximum} caractères au maximum`;
  if (line === "") return required;
  return isReadable(line) ? wordsFault(line, kind) : UNREADABLE;
}

/** Browsers and Node have it, but no ECMAScript library. */
const { URL: Url } = globalThis as unknown as {
  readonly URL: new (address: string) => { readonly hostname: string };
};

/** Writes the domain in ASCII (IDNA, RFC 5891); any other text stays. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  if (at < 1 || !/[^\u0000-\u007f]/.test(domain) || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(domain))
    return address;
  try {
    return `${address.slice(0, at)}@${new Url(`http://${domain}`).hostname}`;
  } catch {
    return address;
  }
}

/** RFC 5321 §4.5.3.1.3 less two brackets, and §4.5.3.1.1: servers may refuse longer ones. */
export const MAX_ADDRESS_LENGTH = 254;
export const MAX_LOCAL_PART = 64;
/** Practical dot-strings (RFC 5321 §4.1.2), at least two labels. */
export const EMAIL_PATTERN =
  /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Trimmed, its domain in ASCII. */
export function addressOf(text: string): string {
  return asciiAddress(text.normalize("NFC").trim());
}

export function emailFault(text: string): string | null {
  const address = addressOf(text);
  if (address === "") return "Email requis";
  const isRight =
    address.length <= MAX_ADDRESS_LENGTH &&
    address.lastIndexOf("@") <= MAX_LOCAL_PART &&
    EMAIL_PATTERN.test(address);
  return isRight ? null : "Email invalide";
}

/** E.164, or empty. */
export const PHONE_PATTERN = /^(\+[1-9]\d{6,14})?$/;

/** Drops separators; 00 (ITU-T E.123 §4) and French national numbers become +. */
export function bareNumber(text: string): string {
  return text
    .replace(/[\s.\-()\u00a0\u202f]/g, "")
    .replace(/^00(?=[1-9])/, "+")
    .replace(/^0(?=[1-9]\d{8}$)/, "+33");
}

/** Empty for none, null when invalid. */
export function phoneOf(text: string): string | null {
  const number = bareNumber(text);
  return PHONE_PATTERN.test(number) ? number : null;
}

/** Gives NFC without invisible characters, which nobody could type. */
export function visibleText(text: string): string {
  return text.replace(/\p{Cf}/gu, "").normalize("NFC");
}

export function isServedNumber(number: string, countries: readonly string[]): boolean {
  return countries.some((code) => number.startsWith(`+${code}`));
}

/** Gives `c•••@exemple.fr`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at < 1) return "•••";
  const [first = ""] = email.slice(0, at);
  return `${first}•••${email.slice(at)}`;
}

/** Gives `•• •• •• 45 67`. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, "").slice(-4);
  return `•• •• •• ${digits.slice(0, 2)} ${digits.slice(2)}`.trim();
}
