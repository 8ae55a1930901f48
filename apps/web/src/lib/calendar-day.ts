/** Tells whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().startsWith(text)
  );
}
