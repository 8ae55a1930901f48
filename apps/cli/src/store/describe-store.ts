import { COUNT, faultsOf, tableOf } from "../report-table.ts";
import type { StoreOutcome } from "./store-outcome.ts";

/** Gives what was found as a table in French, then each fault that is named; the last line says whether every invariant holds. */
export function describeStore(outcomes: readonly StoreOutcome[]): readonly string[] {
  const checks = outcomes.map(({ invariant, name, ...outcome }) => ({ ...outcome, name: `${invariant}. ${name}` }));
  const count = outcomes.reduce((sum, { faultCount }) => sum + faultCount, 0);
  const end = count === 0 ? "Tous les invariants tiennent." : `${COUNT.format(count)} défaut${count > 1 ? "s" : ""}.`;
  return [...tableOf("Invariant", checks), ...faultsOf(checks), "", end];
}
