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
const UNSEEN = /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060-\u2064\u3164\ufeff\uffa0]+/g;
/** A letter or a digit, of those that have a shape (Unicode, Default_Ignorable_Code_Point). */
const READABLE = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/** Gives a text of one line: NFC, whole characters; what would end it or turn it is a space. */
export function plainText(text: string): string {
  return text.replace(LONE_SURROGATE, "\ufffd").replace(UNSEEN, "").normalize("NFC").replace(BREAKS, " ");
}

/** The same, of several lines, each ended by a line feed. */
export function plainLines(text: string): string {
  return text.replace(LONE_SURROGATE, "\ufffd").replace(UNSEEN, "").normalize("NFC").replace(LINE_ENDS, "\n").replace(BREAKS_IN_LINES, " ");
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
