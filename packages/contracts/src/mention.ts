import { visibleText } from "./person-rules.ts";

/** Typed text against the sentence to copy (« mention manuscrite »). */
export type MentionComparison =
  | { readonly kind: "same" }
  /** The word to write or finish, and how many are left with it. */
  | { readonly kind: "unfinished"; readonly next: string; readonly left: number }
  /** `rank`: of the word, from 1. */
  | { readonly kind: "different"; readonly rank: number; readonly fault: MentionFault };

export type MentionFault =
  | { readonly kind: "missing" | "extra"; readonly word: string; readonly after: string | null }
  | { readonly kind: "joined"; readonly words: readonly [string, string] }
  | {
      readonly kind: "case" | "accent" | "punctuation";
      readonly expected: string;
      readonly typed: string;
    }
  /** `letter`: from 1; `wanted`: null when the word is over. */
  | {
      readonly kind: "letter";
      readonly expected: string;
      readonly typed: string;
      readonly letter: number;
      readonly wanted: string | null;
    };

/** `shown`: as displayed; `letters`: as compared. */
type Word = { readonly shown: string; readonly letters: string };

/**
 * By letter, with case, accents and punctuation; kinds of apostrophes, quotation marks, hyphens and
 * spaces, œ/oe, accents of capitals and invisible characters do not count.
 */
export function compareMention(sentence: string, typed: string): MentionComparison {
  const expected = wordsOf(sentence);
  const given = wordsOf(typed);
  // An unfinished last word, unless a space follows outside quotation marks and signs.
  const isSpaced = /[^\s"«“„]\s+$/u.test(visibleText(typed));
  for (const [index, word] of expected.entries()) {
    const own = given[index];
    const left = expected.length - index;
    if (own === undefined) return { kind: "unfinished", next: word.shown, left };
    if (own.letters === word.letters) continue;
    const isOpen = !isSpaced || /^["»:;!?]/u.test(word.letters.slice(own.letters.length));
    if (isOpen && index === given.length - 1 && word.letters.startsWith(own.letters))
      return { kind: "unfinished", next: word.shown, left };
    return { kind: "different", rank: index + 1, fault: faultAt(index, expected, given) };
  }
  const extra = given[expected.length];
  if (extra === undefined) return { kind: "same" };
  return {
    kind: "different",
    rank: expected.length + 1,
    fault: { kind: "extra", word: extra.shown, after: expected.at(-1)?.shown ?? null },
  };
}

function faultAt(index: number, expected: readonly Word[], given: readonly Word[]): MentionFault {
  const [word, own] = [expected[index] as Word, given[index] as Word];
  const [nextWord, nextOwn] = [expected[index + 1], given[index + 1]];
  const after = expected[index - 1]?.shown ?? null;
  if (nextWord !== undefined && own.letters === word.letters + nextWord.letters)
    return { kind: "joined", words: [word.shown, nextWord.shown] };
  if (nextWord !== undefined && own.letters === nextWord.letters)
    return { kind: "missing", word: word.shown, after };
  if (nextOwn !== undefined && nextOwn.letters === word.letters)
    return { kind: "extra", word: own.shown, after };
  const both = { expected: word.shown, typed: own.shown };
  const [plain, ownPlain] = [withoutAccents(word.letters), withoutAccents(own.letters)];
  if (ownPlain === plain && own.letters.toLowerCase() !== word.letters.toLowerCase())
    return { kind: "accent", ...both };
  // Accents of capitals do not count: the case is the fault.
  if (ownPlain.toLowerCase() === plain.toLowerCase()) return { kind: "case", ...both };
  if (withoutMarks(own.letters) === withoutMarks(word.letters))
    return { kind: "punctuation", ...both };
  return { kind: "letter", ...both, ...firstDifference(word.letters, own.letters) };
}

function firstDifference(
  expected: string,
  typed: string,
): { readonly letter: number; readonly wanted: string | null } {
  const [wanted, written] = [[...expected], [...typed]];
  const at = wanted.findIndex((letter, index) => letter !== written[index]);
  return at === -1
    ? { letter: wanted.length + 1, wanted: null }
    : { letter: at + 1, wanted: wanted[at] ?? null };
}

/** A space inside quotation marks, or before a high sign, does not separate words. */
function wordsOf(text: string): readonly Word[] {
  const plain = visibleText(text).trim();
  const sided = sidedQuotes(plain);
  const words: string[] = [];
  let from = 0;
  for (const { 0: spaces, index } of sided.matchAll(/\s+/gu)) {
    const after = index + spaces.length;
    if (/[«“„]/u.test(sided.charAt(index - 1)) || /[»”;:!?]/u.test(sided.charAt(after))) continue;
    words.push(plain.slice(from, index));
    from = after;
  }
  if (plain !== "") words.push(plain.slice(from));
  return words.map((shown) => ({ shown, letters: lettersOf(shown.replace(/\s/gu, "")) }));
}

/** Straight quotation marks open and close in turn. */
function sidedQuotes(text: string): string {
  let isInside = false;
  return text.replace(/[«“„»”"]/gu, (mark) => {
    isInside = mark === '"' ? !isInside : /[«“„]/u.test(mark);
    return isInside ? "«" : "»";
  });
}

function lettersOf(word: string): string {
  return word
    .replace(/[’‘ʼ′]/gu, "'")
    .replace(/[«»“”„]/gu, '"')
    .replace(/[‐‑–—−]/gu, "-")
    .replace(/…/gu, "...")
    .replace(/œ/gu, "oe")
    .replace(/Œ/gu, "OE")
    .replace(/æ/gu, "ae")
    .replace(/Æ/gu, "AE")
    .replace(/\p{Lu}/gu, withoutAccents);
}

function withoutAccents(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "");
}

function withoutMarks(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/** What is left to write, or the first difference. */
export function mentionInWords(comparison: MentionComparison): string {
  if (comparison.kind === "same") return "La mention est exacte.";
  if (comparison.kind === "different") return faultInWords(comparison.fault);
  const { left, next } = comparison;
  return left === 1
    ? `Il reste un mot à écrire\u00a0: ${quoted(next)}.`
    : `Il reste ${left}\u00a0mots à écrire\u00a0; le prochain est ${quoted(next)}.`;
}

function faultInWords(fault: MentionFault): string {
  switch (fault.kind) {
    case "missing":
      return `Il manque le mot ${quoted(fault.word)}${place(fault.after)}.`;
    case "extra":
      return `Le mot ${quoted(fault.word)} est de trop${place(fault.after)}.`;
    case "joined":
      return `Il manque une espace entre ${quoted(fault.words[0])} et ${quoted(fault.words[1])}.`;
    case "case":
      return `Attention aux majuscules\u00a0: ${correction(fault)}.`;
    case "accent":
      return `Attention aux accents\u00a0: ${correction(fault)}.`;
    case "punctuation":
      return `Attention à la ponctuation\u00a0: ${correction(fault)}.`;
    case "letter": {
      const rank = fault.letter === 1 ? "1re" : `${fault.letter}e`;
      const what =
        fault.wanted === null
          ? "le mot s’arrête avant"
          : `la ${rank}\u00a0lettre est ${quoted(fault.wanted)}`;
      return `Une lettre diffère\u00a0: ${correction(fault)} (${what}).`;
    }
  }
}

function place(after: string | null): string {
  return after === null ? " au début" : ` après ${quoted(after)}`;
}

function correction({
  expected,
  typed,
}: {
  readonly expected: string;
  readonly typed: string;
}): string {
  return `écrivez ${quoted(expected)}, et non ${quoted(typed)}`;
}

function quoted(word: string): string {
  return `«\u00a0${word}\u00a0»`;
}

/**
 * Ranges (hexadecimal) drawn by Instrument Sans and Noto Sans; a server test compares them with the
 * fonts.
 */
const PRINTED_RANGES = [
  "0 9-a d 20-7e a0-377 37a-37f 384-38a 38c 38e-3a1 3a3-3e1 3f0-52f 900-97f 10fb 1ab0-1ac0 1ac5 1ac7-1ace 1c80-1c88 1d00-1df9",
  "1dfb-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7c 1f80-1fb4 1fb6-1fc4 1fc6-1fd2 1fd6-1fda 1fdd-1fed",
  "1ff2-1ff4 1ff6-1ffe 2002-2064 2066-2071 2074-208e 2090-209c 20a0-20c0 20f0 2100-215f 2183-2184 2189 2190-2199 2212 25cc",
  "2c60-2c7f 2de0-2e5d a640-a69f a700-a7ca a7d0-a7d1 a7d3 a7d5-a7d9 a7f2-a7ff a8ff a92e ab30-ab6b fb00-fb06 fe00 fe20-fe2f feff",
  "fffc-fffd 10780-10785 10787-107b0 107b2-107ba 1df00-1df1e",
].join(" ");
let ranges: readonly (readonly [number, number])[] | null = null;

/** The first character (NFC) without glyph; null for none. */
export function firstUnprinted(text: string): string | null {
  ranges ??= PRINTED_RANGES.split(" ").map((range) => {
    const [first = "", last = first] = range.split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
  for (const character of text.normalize("NFC")) {
    const code = character.codePointAt(0) ?? 0;
    if (!ranges.some(([first, last]) => code >= first && code <= last)) return character;
  }
  return null;
}

/** For a name with such a character. */
export function unprintedSentence(character: string): string {
  return `Le caractère «\u00a0${character}\u00a0» ne peut pas être imprimé dans le document. Remplacez-le.`;
}
