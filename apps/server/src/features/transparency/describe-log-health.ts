import type { Platform } from "../../platform/platform.ts";
import { selectLogProgress } from "./copies-store.ts";
import { readCopyProgress } from "./copy-progress.ts";

/** Gives what the operator watches of the log, in Prometheus' text format: does it go on, and does each place outside have it. */
export async function describeLogHealth(platform: Platform): Promise<readonly string[]> {
  const { waiting, lastAt } = await selectLogProgress(platform.db);
  const places = await readCopyProgress(platform);
  const gauge = (name: string, help: string, lines: readonly string[]) => [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines];
  const ofPlaces = (name: string, help: string, value: (place: (typeof places)[number]) => number) =>
    places.length === 0
      ? []
      : gauge(
          name,
          help,
          places.map((place) => `${name}{place="${place.kind}"} ${value(place)}`),
        );
  return [
    ...gauge("paraphe_log_waiting_heads", "Heads of journals that no checkpoint covers yet.", [`paraphe_log_waiting_heads ${waiting}`]),
    ...gauge("paraphe_checkpoint_timestamp_seconds", "When the last checkpoint was made; 0 before the first.", [
      `paraphe_checkpoint_timestamp_seconds ${secondsOf(lastAt)}`,
    ]),
    ...ofPlaces("paraphe_checkpoint_copy_failing", "1 while checkpoints cannot be copied there.", ({ failingSince }) =>
      failingSince === null ? 0 : 1,
    ),
    ...ofPlaces("paraphe_checkpoint_copy_missing", "Checkpoints that are not there yet.", ({ missing }) => missing),
    ...ofPlaces("paraphe_checkpoint_copy_timestamp_seconds", "When one was last copied there; 0 before the first.", ({ copiedAt }) =>
      secondsOf(copiedAt),
    ),
  ];
}

function secondsOf(moment: Date | null): number {
  return moment === null ? 0 : Math.round(moment.getTime() / 1_000);
}
