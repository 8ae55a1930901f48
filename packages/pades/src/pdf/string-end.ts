/** Gives the place after a literal string that begins at `start`, nested parentheses and escapes passed over. Source: ISO 32000-2 §7.3.4.2. */
export function stringEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
