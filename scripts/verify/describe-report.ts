import { CHECK_NAMES, type CheckState, type ProofCheck, type ProofReport } from "@paraphe/proof";

const STATES: Readonly<Record<CheckState, string>> = { ok: "juste", failed: "FAUX", not_checked: "non vérifié" };
const VERDICTS = { valid: "VALIDE", invalid: "NON VALIDE", indeterminate: "INDÉTERMINÉ" } as const;

/** Gives a report as a table in French: what is proven, each check, what no check can say, and the verdict. */
export function describeReport({ verdict, summary, checks, limits, proof }: ProofReport): readonly string[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ["Contrôle", "Résultat", "Détail"],
    ...checks.map((check) => [CHECK_NAMES[check.name], STATES[check.state], detailOf(check)] as const),
  ];
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return [
    ...(proof === null ? [] : [`Preuve de l’enveloppe ${proof.envelope}, faite le ${proof.checked_at} par ${proof.service}`, ""]),
    ...rows.map(([name, state, detail]) => `${name.padEnd(first ?? 0)}  ${state.padEnd(second ?? 0)}  ${detail}`),
    "",
    "Ce qu’aucun contrôle hors ligne ne dit\u00a0:",
    ...limits.map((limit) => `- ${limit}`),
    "",
    `${VERDICTS[verdict]} – ${summary}`,
  ];
}

function detailOf({ subject, sentence }: ProofCheck): string {
  return subject === null ? sentence : `${subject}\u00a0: ${sentence}`;
}
