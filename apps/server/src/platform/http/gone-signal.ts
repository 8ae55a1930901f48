import type { Http2ServerResponse } from "node:http2";
import type { FastifyReply } from "fastify";

/** Gives a signal that is aborted when the sender left before the answer: nobody waits for it any more. */
export function goneSignal({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    // Not whether it is finished: a stream of HTTP/2 that was cancelled says that it is.
    if (!raw.writableEnded) gone.abort();
  };
  // Who left while something else was awaited is not told again.
  if (isClosed(raw)) leave();
  else raw.once("close", leave);
  return gone.signal;
}

function isClosed(raw: FastifyReply["raw"] | Http2ServerResponse): boolean {
  return "stream" in raw ? raw.stream.destroyed : raw.destroyed;
}
