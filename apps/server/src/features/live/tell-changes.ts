import { selectWatched } from "../envelopes/public.ts";
import { envelopeEvent, eventText, type WatchedEnvelope } from "./domain/live-event.ts";
import { keepSignedIn } from "./keep-signed-in.ts";
import { type LiveDeps, type LiveStream, sendText } from "./live-stream.ts";
import { tellCounts } from "./tell-counts.ts";

/** An envelope, and after a space an account that is its recipient no more. */
const ANNOUNCEMENT = /^[0-9a-f-]{36}(?: [0-9a-f-]{36})?$/;

/**
 * Tells the streams of this process what these announcements mean to each; an ended session is told nothing.
 * Throws before anything was told, or not at all.
 */
export async function tellChanges(deps: LiveDeps, messages: readonly string[]): Promise<void> {
  // Any client of the database may say anything on the channel.
  const announced = messages.filter((message) => ANNOUNCEMENT.test(message)).map((message) => message.split(" "));
  const envelopes = await selectWatched(deps.platform.db, [...new Set(announced.flatMap(([id]) => id ?? []))]);
  const texts = new Map<LiveStream, string>();
  for (const envelope of envelopes)
    for (const [stream, text] of textsOf(deps, envelope)) texts.set(stream, (texts.get(stream) ?? "") + text);
  // Whoever is a recipient no more only sees their counts change.
  const left = announced.flatMap(([, userId]) => (userId === undefined ? [] : deps.book.ofUser(userId)));
  const kept = await keepSignedIn(deps, [...new Set([...texts.keys(), ...left])]);
  for (const stream of kept) {
    const text = texts.get(stream);
    if (text !== undefined) sendText(deps, stream, text);
  }
  for (const streams of Map.groupBy(kept, ({ user }) => user.id).values()) await tellCountsOrRefresh(deps, streams);
}

/** One account whose counts cannot be read keeps no other waiting, and what was told is not told again: its own pages ask for everything. */
async function tellCountsOrRefresh(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  try {
    await tellCounts(deps, streams);
  } catch (error) {
    deps.platform.log.warn({ error }, "the counts of an account could not be told");
    for (const stream of streams) {
      // Not what the page shows any more, once it has asked.
      stream.counts = "";
      sendText(deps, stream, eventText("refresh", {}));
    }
  }
}

function textsOf({ book }: LiveDeps, envelope: WatchedEnvelope): ReadonlyMap<LiveStream, string> {
  const concerned = new Set([...book.ofUser(envelope.ownerId), ...envelope.recipients.flatMap(({ emailKey }) => book.ofAddress(emailKey))]);
  return new Map(
    [...concerned].flatMap((stream) => {
      const event = envelopeEvent(envelope, stream.user);
      return event === null ? [] : [[stream, eventText("envelope", event)] as const];
    }),
  );
}
