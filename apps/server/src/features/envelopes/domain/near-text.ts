/** Shorter words are near too many others. */
const SHORTEST = 4;
/** From this length on, a word may differ by two letters. */
const LONG = 8;

/**
 * Gives what was probably meant by a search that found nothing: each of its words that no text holds becomes the nearest one that a text does hold. Null
 * when there is none near enough, or when no text holds all of it.
 * Shape: `sought` and `texts` folded, as `searchText` gives them.
 */
export function nearText(sought: string, texts: readonly string[]): string | null {
  const known = new Set(texts.flatMap((text) => text.split(NOT_A_WORD)));
  const near = sought.replaceAll(WORD, (word) => (texts.some((text) => text.includes(word)) ? word : nearest(word, known)));
  return near !== sought && texts.some((text) => text.includes(near)) ? near : null;
}

const WORD = /[\p{L}\p{N}]+/gu;
const NOT_A_WORD = /[^\p{L}\p{N}]+/u;

/** The nearest of the known words, the first of equals; the word itself when none is near. */
function nearest(word: string, known: ReadonlySet<string>): string {
  if (word.length < SHORTEST) return word;
  let [best, least] = [word, (word.length < LONG ? 1 : 2) + 1];
  for (const other of known) {
    if (other.length < SHORTEST || Math.abs(other.length - word.length) >= least) continue;
    const distance = distanceOf(word, other);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

/** How many letters are to be changed, added, taken away, or swapped with the next (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      here[column] = Math.min(
        at(last, column) + 1,
        at(here, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, here];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
