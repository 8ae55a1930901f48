import { readCopyProgress } from "../../../server/src/features/journal/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import type { AuditOutcome } from "./audit-fault.ts";
import { checkAuthorities, openStatedFault } from "./check-authorities.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkDates } from "./check-dates.ts";
import { checkFiles, checkNamedFiles } from "./check-files.ts";
import { checkHeads, checkJournals } from "./check-journals.ts";
import { checkLog } from "./check-log.ts";
import { checkSignedFiles } from "./check-signed-files.ts";
import { describeAudit } from "./describe-audit.ts";
import { describeCopies } from "./describe-copies.ts";

/** What the command says, and its exit code: 0 nothing found, 1 faults, 64 misused (sysexits.h: EX_USAGE). */
export type AuditAnswer = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };

export const USAGE = [
  "Usage\u00a0: paraphe audit check [--copies <dossier>]",
  "",
  "Contrôle tous les journaux, le journal de transparence et les fichiers conservés. Code de sortie\u00a0: 0 rien à signaler, 1 au moins un défaut.",
  "--copies\u00a0: un dossier où des copies des points de contrôle ont été gardées (CHECKPOINT_DIR, ou ailleurs, rapportées du stockage S3 ou tirées des emails)\u202f; sans lui, celui de CHECKPOINT_DIR.",
];

/** Runs one command of `paraphe audit`, on the service that the settings name, running or not. Nothing is changed. */
export async function runAudit(platform: Platform, [name = "", ...words]: readonly string[]): Promise<AuditAnswer> {
  const copies = copiesOf(words, platform.settings.checkpointDir);
  if (name !== "check" || copies === undefined) return { code: 64, lines: USAGE };
  const statedFault = await openStatedFault(platform);
  const outcomes: AuditOutcome[] = [
    await checkAuthorities(platform),
    await checkCertificates(platform),
    await checkJournals(platform),
    await checkHeads(platform),
    await checkDates(platform),
    ...(await checkLog(platform, { statedFault, copies })),
    await checkNamedFiles(platform),
    await checkSignedFiles(platform),
    await checkFiles(platform),
  ];
  const lines = [...describeAudit(outcomes), ...describeCopies(await readCopyProgress(platform))];
  return { code: outcomes.some(({ faultCount }) => faultCount > 0) ? 1 : 0, lines };
}

/** Gives the folder of copies, null for none; undefined for words that are no command. */
function copiesOf(words: readonly string[], configured: string | null): string | null | undefined {
  if (words.length === 0) return configured;
  const [option, folder] = words;
  return words.length === 2 && option === "--copies" ? folder : undefined;
}
