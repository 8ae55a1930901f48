const FORMAT = new Intl.DateTimeFormat("fr-FR", {
  timeZone: "Europe/Paris",
  year: "numeric",
  month: "long",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const SHORT = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", year: "numeric", month: "2-digit", day: "2-digit" });

type Part = Intl.DateTimeFormatPart["type"];

/** Gives an instant in words, of Paris: `22 novembre 2026 à 09 h 14 min 05 s`. */
export function longInstant(at: Date): string {
  const part = partsOf(at);
  const day = part("day") === "1" ? "1er" : part("day");
  return `${day}\u00a0${part("month")} ${part("year")} à ${timeOf(part)}`;
}

/** Gives an instant in short, of Paris: `22/11/2026 à 09 h 14 min 05 s`. */
export function shortInstant(at: Date): string {
  const part = partsOf(at);
  return `${SHORT.format(at)} à ${timeOf(part)}`;
}

/** Gives a day in words: `22 novembre 2026`. */
export function longDay(at: Date): string {
  const part = partsOf(at);
  return `${part("day") === "1" ? "1er" : part("day")}\u00a0${part("month")} ${part("year")}`;
}

function timeOf(part: (type: Part) => string): string {
  return `${part("hour")}\u00a0h\u00a0${part("minute")}\u00a0min\u00a0${part("second")}\u00a0s`;
}

function partsOf(at: Date): (type: Part) => string {
  const parts = FORMAT.formatToParts(at);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}
