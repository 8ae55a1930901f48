import type { Role } from "@paraphe/contracts";
import { formatLongDay } from "./format-dates.ts";

const DEEDS = { signer: "à signer", approver: "à approuver", visa: "à viser" } as const;

/** « à signer au plus tard le 5 décembre 2026 ». */
export function formatDueDate(role: Role, deadline: string | null): string | null {
  return role === "viewer" || deadline === null
    ? null
    : `${DEEDS[role]} au plus tard le ${formatLongDay(deadline)}`;
}
