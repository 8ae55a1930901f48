import type { MentionComparison, MentionFault } from "./compare-mention.ts";

/** Says in French what is left to write, or the first difference and its correction. */
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
