const DAY = new Intl.DateTimeFormat("fr-FR", { day: "numeric", month: "long", year: "numeric", timeZone: "Europe/Paris" });
const TIME = new Intl.DateTimeFormat("fr-FR", { hour: "2-digit", minute: "2-digit", timeZone: "Europe/Paris" });

/** Gives an instant as it is printed: `22 novembre 2026 à 09 h 14 (heure de Paris)`. */
export function frenchMoment(instant: string): string {
  const at = new Date(instant);
  const part = (type: "hour" | "minute") => TIME.formatToParts(at).find((entry) => entry.type === type)?.value ?? "";
  const day = DAY.format(at).replace(/^1 /, "1er ");
  return `${day} à ${part("hour")}\u00a0h\u00a0${part("minute")} (heure de Paris)`;
}
