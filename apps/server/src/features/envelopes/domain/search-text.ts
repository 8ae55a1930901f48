import { editDistance, foldText } from "@paraphe/kernel/french-words";
import { bareTeamName, type TeamRef } from "@paraphe/contracts";

/** Folding may turn one character into eighteen. */
const MAX_LENGTH = 800;

/**
 * A PostgreSQL index row (2,704 bytes) less its other columns: some fifty people can be searched.
 */
const MAX_BYTES = 2_400;

/** Sorts before letters, so that « Bail » precedes « Bail 2 ». */
export const PART_END = "\n";

export function envelopeText(
  title: string,
  senderName: string,
  people: readonly { readonly fullName: string; readonly email: string }[],
): string {
  const parts = [title, senderName, ...people.map(({ fullName, email }) => `${fullName} ${email}`)];
  const text = parts.map(searchText).join(PART_END);
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES)).read);
}

export function searchText(text: string): string {
  return foldText(text).slice(0, MAX_LENGTH).trim();
}

/** Gives a LIKE pattern with literal `%`, `_` and `\`. */
export function containsPattern(search: string): string {
  return `%${searchText(search).replace(/[\\%_]/gu, "\\$&")}%`;
}

/** Fewer letters begin too many teams' names. */
const TEAM_LETTERS = 3;

/**
 * Gives the person's teams with a word of their name that begins so. `sought` is folded by
 * `searchText`.
 */
export function teamsNamed(
  { teams }: { readonly teams: readonly TeamRef[] },
  sought: string,
): string[] {
  const words = bareTeamName(sought);
  if (words.length < TEAM_LETTERS) return [];
  return teams
    .filter(({ name }) => ` ${searchText(bareTeamName(name))}`.includes(` ${words}`))
    .map(({ id }) => id);
}

/** Shorter words resemble too many others. */
const SHORTEST = 4;
/** Words this long may differ by two letters. */
const LONG = 8;

/**
 * Corrects a search by the nearest known words; null without a match.
 * Shape: both folded by `searchText`.
 */
export function nearText(sought: string, texts: readonly string[]): string | null {
  const known = new Set(texts.flatMap((text) => text.split(NOT_A_WORD)));
  const near = sought.replaceAll(WORD, (word) =>
    texts.some((text) => text.includes(word)) ? word : nearest(word, known),
  );
  return near !== sought && texts.some((text) => text.includes(near)) ? near : null;
}

const WORD = /[\p{L}\p{N}]+/gu;
const NOT_A_WORD = /[^\p{L}\p{N}]+/u;

function nearest(word: string, known: ReadonlySet<string>): string {
  if (word.length < SHORTEST) return word;
  let [best, least] = [word, (word.length < LONG ? 1 : 2) + 1];
  for (const other of known) {
    if (other.length < SHORTEST || Math.abs(other.length - word.length) >= least) continue;
    const distance = editDistance(word, other);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}
