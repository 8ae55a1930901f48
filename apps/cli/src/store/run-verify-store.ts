import type { Platform } from "../../../server/src/platform/platform.ts";
import { misused, type Outcome } from "../outcome.ts";
import { describeStore } from "./describe-store.ts";
import { verifyStore } from "./find-store-faults.ts";

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe verify-store [--sweep]",
  "",
  "Contrôle les huit invariants de ce qui est conservé. Rien n’est changé.",
  "--sweep\u00a0: les fichiers que rien ne nomme sont confiés au ménage de la nuit, qui les retire après un jour.",
  "",
  "Code de sortie\u00a0: 0 tout tient, 1 au moins un défaut, 64 mauvais usage, 78 réglage refusé.",
];

/** Runs `paraphe verify-store`: the invariants of ARCHITECTURE.md on the service that the settings name, running or not. */
export async function runVerifyStore(
  words: readonly string[],
  onService: (work: (platform: Platform) => Promise<Outcome>) => Promise<Outcome>,
): Promise<Outcome> {
  const [option, ...more] = words;
  if (more.length > 0 || (option !== undefined && option !== "--sweep")) return misused(USAGE);
  return onService(async (platform) => {
    const outcomes = await verifyStore(platform, { orphans: option === undefined ? "list" : "sweep" });
    return { code: outcomes.every(({ faultCount }) => faultCount === 0) ? 0 : 1, lines: describeStore(outcomes) };
  });
}
