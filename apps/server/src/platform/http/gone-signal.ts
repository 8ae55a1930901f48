import type { Http2ServerResponse } from "node:http2";
import type { FastifyReply } from "fastify";

/** Aborts when the sender leaves before the answer. */
export function goneSignal({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    // A cancelled HTTP/2 stream counts as finished, hence not `writableFinished`.
    if (!raw.writableEnded) gone.abort();
  };
  // An earlier departure fires no further event.
  if (isClosed(raw)) leave();
  else raw.once("close", leave);
  return gone.signal;
}

function isClosed(raw: FastifyReply["raw"] | Http2ServerResponse): boolean {
  return "stream" in raw ? raw.stream.destroyed : raw.destroyed;
}
