import type { Platform } from "../../../server/src/platform/platform.ts";
import { misused, type Outcome } from "../outcome.ts";
import { describeStore } from "./describe-store.ts";
import { verifyChanged, verifyStore } from "./find-store-faults.ts";
import { lastSoundCheck, noteSoundCheck, readCheckStart, type SoundCheck } from "./sound-checks.ts";

const MOMENT = new Intl.DateTimeFormat("fr-FR", { dateStyle: "long", timeStyle: "short", timeZone: "Europe/Paris" });

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe verify-store [--sweep | --since-last]",
  "",
  "Contrôle les huit invariants de ce qui est conservé. Rien n’est changé.",
  "--since-last\u00a0: seulement les enveloppes dont le journal a avancé depuis le dernier contrôle sans défaut. Un fichier altéré depuis,",
  "  d’une enveloppe qui n’a pas changé, n’est vu que par un contrôle entier.",
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
  if (more.length > 0 || (option !== undefined && option !== "--sweep" && option !== "--since-last")) return misused(USAGE);
  return onService(async (platform) => {
    const start = await readCheckStart(platform.db, platform.clock());
    const last = option === "--since-last" ? await lastSoundCheck(platform.db) : null;
    const outcomes =
      last === null
        ? await verifyStore(platform, { orphans: option === "--sweep" ? "sweep" : "list" })
        : await verifyChanged(platform, last.leaves);
    const isSound = outcomes.every(({ faultCount }) => faultCount === 0);
    if (isSound) await noteSoundCheck(platform.db, start);
    return { code: isSound ? 0 : 1, lines: [...scopeOf(option, last), ...describeStore(outcomes)] };
  });
}

function scopeOf(option: string | undefined, last: SoundCheck | null): readonly string[] {
  if (option !== "--since-last") return [];
  return last === null
    ? ["Aucun contrôle sans défaut n’a encore eu lieu\u00a0: tout est contrôlé.", ""]
    : [`Ce qui a changé depuis le contrôle du ${MOMENT.format(last.at)}.`, ""];
}
