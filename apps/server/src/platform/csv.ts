/** Spreadsheets read these as a formula. */
const FORMULA = /^[=+\-@\t\r]/u;
const MUST_QUOTE = ['"', ";", "\r", "\n"];

/** Suits French spreadsheets: semicolons, UTF-8 with BOM, CRLF (RFC 4180), no formulas. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return `\ufeff${csvLines(rows)}`;
}

export function csvLines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(";")}\r\n`).join("");
}

function cell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return MUST_QUOTE.some((character) => plain.includes(character))
    ? `"${plain.replaceAll('"', '""')}"`
    : plain;
}
