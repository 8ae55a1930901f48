import { isUtf8 } from "node:buffer";
import type { Http2ServerResponse } from "node:http2";
import type { FastifyReply, FastifyRequest } from "fastify";

export type RequestClient = { readonly ip: string; readonly userAgent: string };

const LONGEST_USER_AGENT = 300;

/** Gives the audit trail's address (behind `TRUST_PROXY`) and browser, on one line. */
export function clientOf(request: FastifyRequest): RequestClient {
  const given = request.headers["user-agent"] ?? "";
  const bytes = Buffer.from(given, "latin1");
  const userAgent = (isUtf8(bytes) ? bytes.toString() : given)
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  return { ip: request.ip, userAgent: userAgent.slice(0, LONGEST_USER_AGENT) };
}

/** Decodes as the router does (`/%61pi/` is `/api/`), without the query. */
export function requestPath(request: FastifyRequest): string {
  const path = request.url.split("?", 1)[0] ?? "/";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function goneSignal({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    // A cancelled HTTP/2 stream counts as finished.
    if (!raw.writableEnded) gone.abort();
  };
  if (isClosed(raw)) leave();
  else raw.once("close", leave);
  return gone.signal;
}

function isClosed(raw: FastifyReply["raw"] | Http2ServerResponse): boolean {
  return "stream" in raw ? raw.stream.destroyed : raw.destroyed;
}
