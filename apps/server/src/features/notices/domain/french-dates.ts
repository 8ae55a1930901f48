import type { Instant } from "@paraphe/contracts";

const DAY = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", day: "numeric", month: "long", year: "numeric" });
const SHORT_DAY = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", day: "numeric", month: "long" });
const TIME = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** Gives `21 novembre 2026`, in Paris; the first of a month is `1er`. */
export function frenchDay(instant: Instant): string {
  return withOrdinal(DAY.format(new Date(instant)));
}

/** Gives `28 novembre`, in Paris: for a date that is near. */
export function frenchShortDay(instant: Instant): string {
  return withOrdinal(SHORT_DAY.format(new Date(instant)));
}

/** Gives `21 novembre 2026 à 15 h 16`, in Paris. */
export function frenchMoment(instant: Instant): string {
  const parts = TIME.formatToParts(new Date(instant));
  const part = (type: "hour" | "minute") => parts.find((entry) => entry.type === type)?.value ?? "";
  return `${frenchDay(instant)} à ${part("hour")}\u00a0h\u00a0${part("minute")}`;
}

function withOrdinal(day: string): string {
  return day.replace(/^1 /, "1er ");
}
