import program from "../../../server/package.json" with { type: "json" };
import {
  afterOf,
  assertWorksOn,
  compareMigrations,
} from "../../../server/src/platform/database/migrate-database.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import { onAnyDatabase } from "../open-database.ts";
import { done, misused, type Outcome } from "../outcome.ts";

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe upgrade --check",
  "",
  "Dit ce que cette version ferait de la base au démarrage, et si l’on pourrait ensuite revenir à la version d’avant. Rien n’est changé.",
  "",
  "Code de sortie\u00a0: 0 cette version peut démarrer, 64 mauvais usage, 78 elle ne le peut pas, ou un réglage est refusé.",
];

/**
 * Checks the new version beside the running one (ADR 0023).
 * Errors: `SettingsError` where a newer migration excludes this version.
 */
export async function runUpgrade(
  words: readonly string[],
  { environment }: { readonly environment: Environment },
): Promise<Outcome> {
  if (words.length !== 1 || words[0] !== "--check") return misused(USAGE);
  return onAnyDatabase(readSettings(environment, process.cwd()), async (opened) => {
    const ran = opened?.migrations ?? [];
    return describeUpgrade(ran, assertWorksOn(await compareMigrations(ran)));
  });
}

/** Says what this version makes of a database that ran these migrations. */
export function describeUpgrade(
  ran: readonly string[],
  { waiting, newer }: Awaited<ReturnType<typeof compareMigrations>>,
): Outcome {
  const version = `Paraphe ${program.version}`;
  if (ran.length === 0)
    return done(`${version} démarrera sur une base vide, et en fera les tables.`);
  if (newer.length > 0)
    return done(
      `${version} travaille sur cette base, qu’une version plus récente a migrée (${newer.at(-1)})\u00a0: rien ne sera migré.`,
    );
  if (waiting.length === 0)
    return done(
      `${version} travaille sur cette base telle qu’elle est\u00a0: rien à migrer, on peut revenir à la version d’avant.`,
    );
  const narrowing = waiting.find((name) => (afterOf(name) ?? "") > (ran.at(-1)?.slice(0, 4) ?? ""));
  return done(
    `${version} migrera cette base au démarrage\u00a0: ${waiting.join(", ")}.`,
    narrowing === undefined
      ? "La version d’avant sait y travailler\u00a0: les processus se remplacent un par un, et l’on peut revenir."
      : `La version d’avant ne saura plus y travailler (${narrowing})\u00a0: faites une sauvegarde, et remplacez tous les processus ensemble.`,
  );
}
