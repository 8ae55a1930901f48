import { daysBetween, parisDay } from "@paraphe/kernel/paris-days";

export * from "@paraphe/kernel/french-dates";
export { daysBetween, parisDay };

/** « aujourd’hui », « demain », « dans 14 jours », « dépassée ». */
export function formatDeadlineDistance(deadline: string, now: Date): string {
  if (Date.parse(deadline) < now.getTime()) return "dépassée";
  const days = daysBetween(now, deadline);
  if (days <= 0) return "aujourd’hui";
  return days === 1 ? "demain" : `dans ${days} jours`;
}
