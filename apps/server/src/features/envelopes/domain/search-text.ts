/** Some letters open into eighteen; three bytes each of these stay within what an index of PostgreSQL holds (2 704). No title of words comes near. */
const MAX_LENGTH = 800;

/** Gives what a search looks in, and what it looks for: lower case, without accents, ligatures opened, spaces single. */
export function searchText(...parts: readonly string[]): string {
  return parts
    .join(" ")
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
