const NARROW = "\u202f";
const SPACE = "\u00a0";

/**
 * Typesets the fixed part of a French sentence: U+202F before `; ! ?`, U+00A0 before `:` and inside « », a typographic apostrophe.
 * What is put in (a title, a name) is left as its author wrote it.
 */
export function french(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.map((part, index) => typeset(part) + (index < values.length ? String(values[index]) : "")).join("");
}

function typeset(text: string): string {
  return text
    .replace(/ ([;!?])/g, `${NARROW}$1`)
    .replace(/ :/g, `${SPACE}:`)
    .replace(/« /g, `«${SPACE}`)
    .replace(/ »/g, `${SPACE}»`)
    .replace(/'/g, "’");
}

/** Gives `482 913`, the thousands apart by U+202F, as a French reader groups digits. */
export function groupedCode(code: string): string {
  return `${code.slice(0, 3)}${NARROW}${code.slice(3)}`;
}

/** Gives the title cut for a subject line, with an ellipsis where it was cut. */
export function shortTitle(title: string, maximum = 80): string {
  const characters = Array.from(title);
  return characters.length <= maximum
    ? title
    : `${characters
        .slice(0, maximum - 1)
        .join("")
        .trimEnd()}…`;
}

/** Gives the text with invisible word joiners (U+2060) inside what a mail program would turn into a link. */
export function unlinked(text: string): string {
  return text.replace(/(?<=\S)[.:/@](?=\S)/g, "\u2060$&\u2060");
}
