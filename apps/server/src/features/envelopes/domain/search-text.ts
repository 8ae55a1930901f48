/** Some letters open into eighteen; three bytes each of these stay within what an index of PostgreSQL holds (2 704). No title of words comes near. */
const MAX_LENGTH = 800;

/** Ends a title where it is put in order: no letter of a folded text comes before it, so that « Bail » comes before « Bail 2 », whoever sent them. */
const TITLE_END = "\n";

/** Gives what a search of envelopes looks in and what they are put in order by: the title, its end, the sender's name, each folded. */
export function envelopeText(title: string, senderName: string): string {
  return `${searchText(title)}${TITLE_END}${searchText(senderName)}`.slice(0, MAX_LENGTH);
}

/** Gives a text folded as it is looked for: lower case, without accents, ligatures opened, spaces single. */
export function searchText(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/œ/gu, "oe")
    .replace(/æ/gu, "ae")
    .replace(/ß/gu, "ss")
    .replace(/ø/gu, "o")
    .replace(/[łđ]/gu, (letter) => (letter === "ł" ? "l" : "d"))
    .replace(/[’‘]/gu, "'")
    .replace(/\s+/gu, " ")
    .slice(0, MAX_LENGTH)
    .trim();
}

/** Gives the LIKE pattern that finds this text anywhere: `%`, `_` and `\` stand for themselves. */
export function containsPattern(search: string): string {
  return `%${searchText(search).replace(/[\\%_]/gu, "\\$&")}%`;
}
