import { visibleText } from "./visible-text.ts";

/**
 * What no title and no name may hold, for they stand in mails and on pages that bear the service's name: what a mail program makes a link of, mark-up, and
 * letters of another alphabet that pass for Latin ones.
 */

/** Of a text in the sentences: « Un nom », « Un titre ». */
export type NamedText = "nom" | "titre";

/** The start of an address; the schemes are those that programs open from a text. */
const LINK = /:\/|\bwww\.|\b(?:https?|ftps?|file|mailto|tel|sms|callto|facetime|geo|intent|skype|whatsapp|javascript|vbscript|data):\S/i;
const MARKUP = /<\s*[a-z/!?]/i;
/** Labels with dots between them: an address, but also a number, an abbreviation, a file's name. */
const DOTTED = /[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)+/gu;
/** No domain ends in a figure or in one letter (RFC 3696 §2): « 12.50 », « v1.2 » and « S.A.R.L. » are none. */
const TOP_LABEL = /^(?:\p{L}[\p{L}\p{M}]+|xn--.+)$/iu;
/** Endings of files that are no top-level domain (IANA's list of 2026): « contrat.pdf » is no link, « contrat.zip » is one. */
const FILE_ENDING = /^(?:pdf|docx?|odt|ods|odp|xlsx?|csv|pptx?|txt|rtf|jpe?g|png|tiff?|webp|heic|xml|json|eml|msg|p7[ms]|asc)$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const WORD = /[\p{L}\p{M}]+/gu;
/** Cyrillic, Armenian, Cherokee and Coptic letters, and the Greek ones that are drawn as Latin ones are (UTS #39 §4): « ΔT » and « TNFα » stay. */
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳικνορτυχ]/u;

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
