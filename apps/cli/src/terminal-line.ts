/** Controls (C0, C1), line and paragraph separators, and every mark that hides or turns the words around it (Unicode §23.1 to §23.3, UAX #9 §2). */
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

/**
 * Gives a text as it is safely shown on one line of a terminal: what would move its cursor, colour it, end its line or turn its words is shown by its number,
 * `\u001b`. What a command prints is in part somebody else's words. Source: ECMA-48 §5 (control functions).
 */
export function terminalLine(text: string): string {
  return text.replace(UNSHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
