import type { FastifyRequest } from "fastify";

/** Gives the path that a request asks for, decoded as the router decodes it: `/%61pi/` is `/api/`. No query. */
export function requestPath(request: FastifyRequest): string {
  const path = request.url.split("?", 1)[0] ?? "/";
  try {
    return decodeURIComponent(path);
  } catch {
    // A malformed escape: the router answers 400 by itself.
    return path;
  }
}
