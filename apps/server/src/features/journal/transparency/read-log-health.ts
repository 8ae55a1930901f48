import type { Reading } from "../../../platform/metrics/metrics.ts";
import type { Platform } from "../../../platform/platform.ts";
import { selectLogProgress } from "./store.ts";
import { readCopyProgress } from "./copies.ts";

/** Whether the log grows and each place outside has it. */
export async function readLogHealth(platform: Platform): Promise<readonly Reading[]> {
  const { waiting, lastAt } = await selectLogProgress(platform.db);
  const places = await readCopyProgress(platform);
  const ofPlaces = (value: (place: (typeof places)[number]) => number): Reading["values"] =>
    places.map((place) => ({ labels: { place: place.kind }, value: value(place) }));
  return [
    {
      name: "paraphe_log_waiting_heads",
      help: "Heads of journals that no checkpoint covers yet.",
      values: [{ value: waiting }],
    },
    {
      name: "paraphe_checkpoint_timestamp_seconds",
      help: "When the last checkpoint was made; 0 before the first.",
      values: [{ value: secondsOf(lastAt) }],
    },
    {
      name: "paraphe_checkpoint_copy_failing",
      help: "1 while checkpoints cannot be copied there.",
      values: ofPlaces(({ failingSince }) => (failingSince === null ? 0 : 1)),
    },
    {
      name: "paraphe_checkpoint_copy_missing",
      help: "Checkpoints that are not there yet.",
      values: ofPlaces(({ missing }) => missing),
    },
    {
      name: "paraphe_checkpoint_copy_timestamp_seconds",
      help: "When one was last copied there; 0 before the first.",
      values: ofPlaces(({ copiedAt }) => secondsOf(copiedAt)),
    },
  ];
}

function secondsOf(moment: Date | null): number {
  return moment === null ? 0 : Math.round(moment.getTime() / 1_000);
}
