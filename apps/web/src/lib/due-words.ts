import type { Role } from "@paraphe/contracts";
import { formatLongDay } from "./format-dates.ts";

const DEEDS = { signer: "à signer", approver: "à approuver" } as const;

/** Until when somebody is waited for, its day included: « à signer au plus tard le 5 décembre 2026 »; null for whom nothing is asked, or without end. */
export function dueWords(role: Role, deadline: string | null): string | null {
  return role === "viewer" || deadline === null
    ? null
    : `${DEEDS[role]} au plus tard le ${formatLongDay(deadline)}`;
}
