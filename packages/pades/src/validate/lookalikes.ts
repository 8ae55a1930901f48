/**
 * What a reader takes for structure when it rebuilds a file: the beginning of an object, the end of a stream, a trailer, a
 * cross-reference, the end of a file. Data that is deflated, encoded or DER has none of it but by a chance of one in a million megabytes.
 */
const STRUCTURE =
  /\d[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]*obj|trailer[\0\t\n\f\r ]*<<|startxref|xref[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+\d|%%EOF|endstream/;

/**
 * Says whether the text of a dictionary, a string or a stream's data holds what a reader in search of objects takes for some: one that
 * rebuilds a file shows what stands there.
 * Shape: `text` has one character a byte. Some readers take a remark for white space, so it is looked at with and without them.
 * Source: ISO 32000-2 §7.3.8, §7.5; Mladenov et al., "1 Trillion Dollar Refund", §4.2.
 */
export function looksLikeStructure(text: string): boolean {
  return STRUCTURE.test(text) || (text.includes("%") && STRUCTURE.test(text.replace(/%[^\n\r]*/g, " ")));
}
