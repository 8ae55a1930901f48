import type { CopyProgress } from "../../../server/src/features/journal/public.ts";

const NAMES: Readonly<Record<CopyProgress["kind"], string>> = {
  folder: "dossier (CHECKPOINT_DIR)",
  s3: "stockage verrouillé (CHECKPOINT_S3_…)",
  mail: "email (CHECKPOINT_MAIL)",
};
const COUNT = new Intl.NumberFormat("fr-FR");

/** Gives how far each place outside has the checkpoints, in French, a line each. A place that fails is no fault of what was kept: it is told, and changes no exit code. */
export function describeCopies(places: readonly CopyProgress[]): readonly string[] {
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
  const last = copiedAt === null ? "aucune copie encore" : `dernière copie le ${copiedAt.toISOString()}`;
  // By mail the newest alone goes, once an hour: those between are not awaited.
  const lacks = missing === 0 || kind === "mail" ? "" : `\u202f; il en manque ${COUNT.format(missing)}`;
  return failingSince === null
    ? `${last}${lacks}`
    : `en échec depuis le ${failingSince.toISOString()} (${fault ?? ""})\u202f; ${last}${lacks}`;
}
