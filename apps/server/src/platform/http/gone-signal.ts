import type { FastifyReply } from "fastify";

/** Gives a signal that is aborted when the sender left before the answer: nobody waits for it any more. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
