import { livingSessions } from "../accounts/public.ts";
import { endStream, type LiveDeps, type LiveStream } from "./live-stream.ts";

/** Gives those of the streams whose session still lives; the others are ended. */
export async function keepSignedIn(deps: LiveDeps, streams: readonly LiveStream[]): Promise<readonly LiveStream[]> {
  if (streams.length === 0) return [];
  const living = await livingSessions(
    deps.platform,
    streams.map(({ user }) => user.session_id),
  );
  for (const stream of streams) if (!living.has(stream.user.session_id)) endStream(deps, stream, "session_ended");
  return streams.filter(({ user }) => living.has(user.session_id));
}
