import type { Role } from "@paraphe/contracts";
import { formatLongDay } from "@paraphe/kernel/french-dates";
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

const DEEDS = { signer: "à signer", approver: "à approuver", visa: "à viser" } as const;

/** « à signer au plus tard le 5 décembre 2026 ». */
export function formatDueDate(role: Role, deadline: string | null): string | null {
  return role === "viewer" || deadline === null
    ? null
    : `${DEEDS[role]} au plus tard le ${formatLongDay(deadline)}`;
}
