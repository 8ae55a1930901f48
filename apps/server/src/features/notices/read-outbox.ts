import type { Reading } from "../../platform/metrics/metrics.ts";
import type { Platform } from "../../platform/platform.ts";
import { selectOutbox } from "./waiting-store.ts";

/** Reads how many messages are due and have not left, and since when. */
export async function readOutbox({ db, clock }: Pick<Platform, "db" | "clock">): Promise<readonly Reading[]> {
  const waiting = await selectOutbox(db, clock());
  return [
    {
      name: "paraphe_messages_waiting",
      help: "Messages that are due and have not left.",
      values: waiting.map(({ channel, count }) => ({ labels: { channel }, value: count })),
    },
    {
      name: "paraphe_message_oldest_seconds",
      help: "How long the oldest of them has been due.",
      values: waiting.map(({ channel, oldestS }) => ({ labels: { channel }, value: oldestS })),
    },
  ];
}
