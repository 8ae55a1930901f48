import { formatCount } from "@paraphe/kernel/french-numbers";
import {
  type CopyProgress,
  readCopyProgress,
} from "../../../server/src/features/journal/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import { faultsOf, tableOf } from "../outcome.ts";
import type { AuditOutcome } from "./audit-fault.ts";
import { checkDates, checkFiles, checkSignedFiles } from "./check-files.ts";
import { checkHeads, checkJournals } from "./check-journals.ts";
import { checkLog } from "./check-log.ts";
import { checkRows } from "./check-rows.ts";
import { checkAuthorities, checkCertificates, openStatedFault } from "./check-trust.ts";

function describeAudit(outcomes: readonly AuditOutcome[]): readonly string[] {
  const checks = outcomes.map(({ check, ...outcome }) => ({ ...outcome, name: check }));
  const faults = faultsOf(checks);
  return [
    ...tableOf("Contrôle", checks),
    ...(faults.length > 0 ? faults : ["", "Rien n’a été modifié, déplacé ni retiré."]),
  ];
}

const NAMES: Readonly<Record<CopyProgress["kind"], string>> = {
  folder: "dossier (CHECKPOINT_DIR)",
  s3: "stockage verrouillé (CHECKPOINT_S3_…)",
  mail: "email (CHECKPOINT_MAIL)",
};

/**
 * Progress of each outside place, in French. A failing place is reported without changing the exit
 * code.
 */
function describeCopies(places: readonly CopyProgress[]): readonly string[] {
  const title = "Copies des points de contrôle à l’extérieur\u00a0:";
  if (places.length === 0)
    return [
      "",
      title,
      "- aucune\u00a0: personne d’autre ne garde de quoi montrer qu’un passé a été réécrit en entier (docs/operations/settings.md).",
    ];
  return ["", title, ...places.map((place) => `- ${NAMES[place.kind]}\u00a0: ${stateOf(place)}.`)];
}

function stateOf({ kind, missing, copiedAt, failingSince, fault }: CopyProgress): string {
  const last =
    copiedAt === null ? "aucune copie encore" : `dernière copie le ${copiedAt.toISOString()}`;
  // Mail gets the newest checkpoint alone, once an hour.
  const lacks =
    missing === 0 || kind === "mail" ? "" : `\u202f; il en manque ${formatCount(missing)}`;
  return failingSince === null
    ? `${last}${lacks}`
    : `en échec depuis le ${failingSince.toISOString()} (${fault ?? ""})\u202f; ${last}${lacks}`;
}

export type AuditAnswer = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };

export const USAGE = [
  "Usage\u00a0: paraphe audit check [--copies <dossier>]",
  "",
  "Contrôle tous les journaux, le journal de transparence et les fichiers conservés. Code de sortie\u00a0: 0 rien à signaler, 1 au moins un défaut.",
  "--copies\u00a0: un dossier où des copies des points de contrôle ont été gardées (CHECKPOINT_DIR, ou ailleurs, rapportées du stockage S3 ou tirées des emails)\u202f; sans lui, celui de CHECKPOINT_DIR.",
];

/** Runs `paraphe audit` on the configured service, running or not; changes nothing. */
export async function runAudit(
  platform: Platform,
  [name = "", ...words]: readonly string[],
): Promise<AuditAnswer> {
  const copies = copiesOf(words, platform.settings.checkpointDir);
  if (name !== "check" || copies === undefined) return { code: 64, lines: USAGE };
  const statedFault = await openStatedFault(platform);
  const outcomes: AuditOutcome[] = [
    await checkAuthorities(platform),
    await checkCertificates(platform),
    await checkJournals(platform),
    await checkHeads(platform),
    await checkDates(platform),
    await checkRows(platform),
    ...(await checkLog(platform, { statedFault, copies })),
    await checkSignedFiles(platform),
    await checkFiles(platform),
  ];
  const lines = [...describeAudit(outcomes), ...describeCopies(await readCopyProgress(platform))];
  return { code: outcomes.some(({ faultCount }) => faultCount > 0) ? 1 : 0, lines };
}

function copiesOf(words: readonly string[], configured: string | null): string | null | undefined {
  if (words.length === 0) return configured;
  const [option, folder] = words;
  return words.length === 2 && option === "--copies" ? folder : undefined;
}
