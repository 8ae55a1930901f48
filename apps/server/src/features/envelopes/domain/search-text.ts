/** Some letters open into eighteen: no title of words comes near. */
const MAX_LENGTH = 800;

/** What an index of PostgreSQL holds in a row (2 704), less its other columns: about fifty people. Whoever comes later in the list is not found by. */
const MAX_BYTES = 2_400;

/** Parts title, sender and people. No letter of a folded text comes before it, so that « Bail » comes before « Bail 2 », whoever sent them. */
export const PART_END = "\n";

/** Gives what a search of envelopes looks in and what they are put in order by: the title, the sender's name, and each recipient's name and address, folded. */
export function envelopeText(
  title: string,
  senderName: string,
  people: readonly { readonly fullName: string; readonly email: string }[],
): string {
  const parts = [title, senderName, ...people.map(({ fullName, email }) => `${fullName} ${email}`)];
  const text = parts.map(searchText).join(PART_END);
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES)).read);
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
