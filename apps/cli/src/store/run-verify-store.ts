import { formatInstant } from "@paraphe/kernel/french-dates";
import { plural } from "@paraphe/kernel/french-numbers";
import { sql } from "kysely";
import type { Reader } from "../../../server/src/platform/database/database.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import { type Outcome, faultsOf, misused, tableOf } from "../outcome.ts";
import { verifyChanged, verifyStore } from "./verify-store.ts";
import type { StoreOutcome } from "./store-outcome.ts";

export function describeStore(outcomes: readonly StoreOutcome[]): readonly string[] {
  const checks = outcomes.map(({ invariant, name, ...outcome }) => ({
    ...outcome,
    name: `${invariant}. ${name}`,
  }));
  const count = outcomes.reduce((sum, { faultCount }) => sum + faultCount, 0);
  const end = count === 0 ? "Tous les invariants tiennent." : `${plural(count, "défaut")}.`;
  return [...tableOf("Invariant", checks), ...faultsOf(checks), "", end];
}

/** A check without fault. `leaves`: of the log at its start. */
type SoundCheck = { readonly at: Date; readonly leaves: number };

async function readCheckStart(reader: Reader, at: Date): Promise<SoundCheck> {
  const { rows } = await sql<{
    leaves: number;
  }>`select coalesce(max(leaf_index) + 1, 0) as leaves from transparency_leaves`.execute(reader);
  return { at, leaves: rows[0]?.leaves ?? 0 };
}

async function lastSoundCheck(reader: Reader): Promise<SoundCheck | null> {
  const { rows } =
    await sql<SoundCheck>`select at, leaves from store_checks order by number desc limit 1`.execute(
      reader,
    );
  return rows[0] ?? null;
}

async function noteSoundCheck(reader: Reader, { at, leaves }: SoundCheck): Promise<void> {
  await sql`insert into store_checks (at, leaves) values (${at}, ${leaves})`.execute(reader);
}

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

export async function runVerifyStore(
  words: readonly string[],
  onService: (work: (platform: Platform) => Promise<Outcome>) => Promise<Outcome>,
): Promise<Outcome> {
  const [option, ...more] = words;
  if (
    more.length > 0 ||
    (option !== undefined && option !== "--sweep" && option !== "--since-last")
  )
    return misused(USAGE);
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
    : [`Ce qui a changé depuis le contrôle du ${formatInstant(last.at)}.`, ""];
}
