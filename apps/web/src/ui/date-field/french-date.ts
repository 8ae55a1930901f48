/** Reads « jj/mm/aaaa » (also with dots, hyphens or spaces) as an ISO date; undefined when it is not a day of the calendar. */
export function parseFrenchDate(text: string): string | undefined {
  const match = /^(\d{1,2})[/.\-\s](\d{1,2})[/.\-\s](\d{4})$/u.exec(text.trim()) ?? /^(\d{2})(\d{2})(\d{4})$/u.exec(text.trim());
  if (!match) return undefined;
  const [day, month, year] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists && year >= 1000 ? date.toISOString().slice(0, 10) : undefined;
}

/** Reads a date whose year has its two last figures alone, of this century: « 1/1/27 ». */
export function parseShortFrenchDate(text: string): string | undefined {
  const match = /^(\d{1,2}[/.\-\s]\d{1,2}[/.\-\s])(\d{2})$/u.exec(text.trim()) ?? /^(\d{4})(\d{2})$/u.exec(text.trim());
  return match ? parseFrenchDate(`${match[1]}20${match[2]}`) : undefined;
}

/** Writes an ISO date as « jj/mm/aaaa »; any other text is given back as it is. */
export function writeFrenchDate(value: string): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(value);
  return match ? `${match[3]}/${match[2]}/${match[1]}` : value;
}
