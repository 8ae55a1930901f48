import { countEnvelopes } from "../envelopes/public.ts";
import { eventText } from "./domain/live-event.ts";
import { type LiveDeps, type LiveStream, sendText } from "./live-stream.ts";

/** Sends a person's counts to those of their streams that have not been told the same. */
export async function tellCounts(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  const [first] = streams;
  if (first === undefined) return;
  const text = eventText("counts", await countEnvelopes(deps.platform, { user: first.user }));
  for (const stream of streams) {
    if (stream.counts === text) continue;
    stream.counts = text;
    sendText(deps, stream, text);
  }
}
