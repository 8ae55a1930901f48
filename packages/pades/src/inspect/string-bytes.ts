const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Gives the bytes of a string's syntax, in brackets or parentheses, one character a byte. Source: ISO 32000-2 §7.3.4. */
export function stringBytes(syntax: string): string {
  if (syntax.startsWith("<")) return hexBytes(syntax);
  return syntax.slice(1, -1).replace(/\\([0-7]{1,3}|\r\n|[\s\S])|\r\n?/g, (_whole, escape: string | undefined) => {
    // An end of line is a line feed, however it is written.
    if (escape === undefined) return "\n";
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 0xff);
    if (/^[\r\n]/.test(escape)) return "";
    return ESCAPES[escape] ?? escape;
  });
}

/** A digit that is left out at the end is 0. */
function hexBytes(syntax: string): string {
  const digits = syntax.replace(/[^0-9A-Fa-f]/g, "");
  return (digits.length % 2 === 0 ? digits : `${digits}0`).replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
