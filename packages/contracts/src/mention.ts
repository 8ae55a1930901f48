import { visibleText } from "./person-rules.ts";

/** Compares typed text with the sentence to copy (« mention manuscrite »). */
export type MentionComparison =
  | { readonly kind: "same" }
  /** The word to write or finish, and how many are left with it. */
  | { readonly kind: "unfinished"; readonly next: string; readonly left: number }
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

type Word = { readonly shown: string; readonly letters: string };

/**
 * Compares case, accents and punctuation; not kinds of apostrophes, quotation marks, hyphens and
 * spaces, œ/oe, accents of capitals and invisible characters.
 */
export function compareMention(sentence: string, typed: string): MentionComparison {
  const expected = wordsOf(sentence);
  const given = wordsOf(typed);
  // The last word is unfinished unless a space follows outside quotation marks and signs.
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
      const rank = fault.letter === 1 ? "1ʳᵉ" : `${fault.letter}ᵉ`;
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
