import { MAX_NAME_LENGTH, MAX_TITLE_LENGTH } from "./constants.ts";
import { visibleText } from "./visible-text.ts";

/**
 * The one rule for what people write where others read it: nothing in it ends a line, hides, or turns the words around it. Without it a title or a reason could
 * stand in a mail or in a sealed file as a sentence of the service's own.
 */

/** Half of a pair is no character, and has no UTF-8 (Unicode §3.9, D76 and D92). It is shown as such. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** C0 and C1, line and paragraph separators, embeddings, overrides and isolates (Unicode §23.1, §23.2; UAX #9 §2). */
const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** The same, of a text of several lines. */
const BREAKS_IN_LINES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Marks of direction, soft hyphens, fillers and what has no width. Joiners stay: letters of some scripts are shaped by them. */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060-\u2064\u3164\ufeff\uffa0]+/g;
/** A letter or a digit, of those that have a shape (Unicode, Default_Ignorable_Code_Point). */
const READABLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/** Gives a text of one line: NFC, whole characters; what would end it or turn it is a space. */
export function plainText(text: string): string {
  return text
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(BREAKS, " ");
}

/** The same, of several lines, each ended by a line feed. */
export function plainLines(text: string): string {
  return text
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(LINE_ENDS, "\n")
    .replace(BREAKS_IN_LINES, " ");
}

/** Gives somebody's words between quotation marks that they cannot close: theirs become those of a quotation within. Source: Lexique de l'Imprimerie nationale. */
export function quotationOf(words: string): string {
  const within = plainText(words)
    .replace(/«[\s\u00a0\u202f]*/g, "“")
    .replace(/[\s\u00a0\u202f]*»/g, "”")
    .trim();
  return `«\u00a0${within}\u00a0»`;
}

/** Says whether somebody can read something in a text: a title or a name that shows nothing would be signed, and printed, as nothing. */
export function isReadable(text: string): boolean {
  return READABLE.test(text);
}

/**
 * What no title and no name may hold, for they stand in mails and on pages that bear the service's name: what a mail program makes a link of, mark-up, and
 * letters of another alphabet that pass for Latin ones.
 */

/** Of a text in the sentences: « Un nom », « Un titre ». */
export type NamedText = "nom" | "titre";

/** The start of an address; the schemes are those that programs open from a text. */
const LINK =
  /:\/|\bwww\.|\b(?:https?|ftps?|file|mailto|tel|sms|callto|facetime|geo|intent|skype|whatsapp|javascript|vbscript|data):\S/i;
const MARKUP = /<\s*[a-z/!?]/i;
/** Labels with dots between them: an address, but also a number, an abbreviation, a file's name. */
const DOTTED = /[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)+/gu;
/** No domain ends in a figure or in one letter (RFC 3696 §2): « 12.50 », « v1.2 » and « S.A.R.L. » are none. */
const TOP_LABEL = /^(?:\p{L}[\p{L}\p{M}]+|xn--.+)$/iu;
/** Endings of files that are no top-level domain (IANA's list of 2026): « contrat.pdf » is no link, « contrat.zip » is one. */
const FILE_ENDING =
  /^(?:pdf|docx?|odt|ods|odp|xlsx?|csv|pptx?|txt|rtf|jpe?g|png|tiff?|webp|heic|xml|json|eml|msg|p7[ms]|asc)$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const WORD = /[\p{L}\p{M}]+/gu;
/** Cyrillic, Armenian, Cherokee and Coptic letters, and the Greek ones that are drawn as Latin ones are (UTS #39 §4): « ΔT » and « TNFα » stay. */
const FOREIGN =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳικνορτυχ]/u;

/** Gives what is wrong with the words of a title or of a name; null when nothing is. Its length was looked at before. */
export function wordsFault(text: string, kind: NamedText): string | null {
  // What is not seen splits no address, and the other dots of domain names stand for one (UTS #46 §4.5).
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

/** Gives the title that a file's name makes: without its ending, and without what no title may hold. */
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

/**
 * What a person's name, address and number must be, without a validation library: the schemas are made of these rules, and a page that checks what
 * is typed loads nothing else.
 */

/** Gives a line as it is kept: trimmed, NFC, whole characters, without what ends a line, hides or turns its words. */
export function lineOf(text: string): string {
  return plainText(text).trim();
}

type NamedLine = { readonly kind: NamedText; readonly maximum: number; readonly required: string };

/** Gives what is wrong with a person's name; null when it can be kept. */
export function nameFault(text: string): string | null {
  return namedLineFault(text, { kind: "nom", maximum: MAX_NAME_LENGTH, required: "Nom requis" });
}

/** Gives what is wrong with a title; null when it can be kept. */
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
  return isReadable(line) ? wordsFault(line, kind) : required;
}

/** Of browsers and Node alike, though of no ECMAScript library. */
const { URL: Url } = globalThis as unknown as {
  readonly URL: new (address: string) => { readonly hostname: string };
};

/** Gives an address in a domain with accents as mail carries it: its labels in ASCII (IDNA, RFC 5891). Any other text is given back. */
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

/** In letters. RFC 5321 §4.5.3.1.3 less its two brackets, and §4.5.3.1.1: no server has to take longer ones. */
export const MAX_ADDRESS_LENGTH = 254;
export const MAX_LOCAL_PART = 64;
/** A dot-string (RFC 5321 §4.1.2) of what mail is really sent to: letters, digits and `_ ' + -`, in a domain of at least two labels. */
export const EMAIL_PATTERN =
  /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Gives an address as it is kept: trimmed, its domain in ASCII. */
export function addressOf(text: string): string {
  return asciiAddress(text.normalize("NFC").trim());
}

/** Gives what is wrong with an email address; null when mail can be sent to it. */
export function emailFault(text: string): string | null {
  const address = addressOf(text);
  if (address === "") return "Email requis";
  const isRight =
    address.length <= MAX_ADDRESS_LENGTH &&
    address.lastIndexOf("@") <= MAX_LOCAL_PART &&
    EMAIL_PATTERN.test(address);
  return isRight ? null : "Email invalide";
}

/** E.164, or nothing. */
export const PHONE_PATTERN = /^(\+[1-9]\d{6,14})?$/;

/** Writes a number bare: its + written 00 as well (ITU-T E.123 §4: the prefix dialled in Europe), or a French national one; spaces, dots and hyphens are dropped. */
export function bareNumber(text: string): string {
  return text
    .replace(/[\s.\-()\u00a0\u202f]/g, "")
    .replace(/^00(?=[1-9])/, "+")
    .replace(/^0(?=[1-9]\d{8}$)/, "+33");
}

/** Gives a number as it is kept; empty when there is none, null when it is no number. */
export function phoneOf(text: string): string | null {
  const number = bareNumber(text);
  return PHONE_PATTERN.test(number) ? number : null;
}
