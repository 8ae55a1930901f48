const wall = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Paris", hour: "2-digit", hourCycle: "h23", day: "2-digit" });

/**
 * Gives the last second of a calendar day in Paris as an instant: « à signer au plus tard le 5 décembre » holds until that evening, whatever the season.
 * Shape: `YYYY-MM-DD` in, ISO 8601 UTC out.
 */
export function endOfParisDay(day: string): string {
  const summer = new Date(`${day}T21:59:59Z`);
  const parts = wall.formatToParts(summer);
  const hour = parts.find((part) => part.type === "hour")?.value;
  return (hour === "23" ? summer : new Date(`${day}T22:59:59Z`)).toISOString();
}
