import { faultsOf, tableOf } from "../report-table.ts";
import type { AuditOutcome } from "./audit-fault.ts";

/** Gives what the checks found, as a table in French, then each fault that was kept. */
export function describeAudit(outcomes: readonly AuditOutcome[]): readonly string[] {
  const checks = outcomes.map(({ check, ...outcome }) => ({ ...outcome, name: check }));
  const faults = faultsOf(checks);
  return [...tableOf("Contrôle", checks), ...(faults.length > 0 ? faults : ["", "Rien n’a été modifié, déplacé ni retiré."])];
}
