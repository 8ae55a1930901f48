import { CHECK_NAMES, type CheckState, type ProofCheck, type ProofReport } from "@paraphe/proof";
import { terminalLine } from "../terminal-line.ts";

const STATES: Readonly<Record<CheckState, string>> = { ok: "juste", failed: "FAUX", not_checked: "non vérifié" };
const VERDICTS = { valid: "VALIDE", invalid: "NON VALIDE", indeterminate: "INDÉTERMINÉ" } as const;

/** Gives a report as a table in French: what is proven, each check, what no check can say, and the verdict. What is of the files stands on the line it was put on. */
export function describeReport(report: ProofReport): readonly string[] {
  const { verdict, summary, checks, limits } = report;
  const rows: readonly (readonly [string, string, string])[] = [
    ["Contrôle", "Résultat", "Détail"],
    ...checks.map((check) => [CHECK_NAMES[check.name], STATES[check.state], detailOf(check)] as const),
  ];
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return [
    ...headOf(report),
    ...rows.map(([name, state, detail]) => `${name.padEnd(first ?? 0)}  ${state.padEnd(second ?? 0)}  ${detail}`),
    "",
    "Ce qu’aucun contrôle hors ligne ne dit\u00a0:",
    ...limits.map((limit) => `- ${limit}`),
    "",
    `${VERDICTS[verdict]} – ${summary}`,
  ].map(terminalLine);
}

/** What a proof says of itself, where a seal that nothing speaks against says it: the words of any other are nobody's. */
function headOf({ proof, checks }: ProofReport): readonly string[] {
  const isSealed = checks.some(({ name, state }) => name === "content" && state === "ok");
  const isSomebodys = SEALING.every((name) => checks.every((check) => check.name !== name || check.state !== "failed"));
  if (proof === null || !isSealed || !isSomebodys) return [];
  return [`Preuve de l’enveloppe ${proof.envelope}, qui se dit faite le ${proof.checked_at} par ${proof.service}`, ""];
}

const SEALING: readonly ProofCheck["name"][] = ["seal", "seal_key", "seal_chain"];

function detailOf({ subject, sentence }: ProofCheck): string {
  return subject === null ? sentence : `${subject}\u00a0: ${sentence}`;
}
