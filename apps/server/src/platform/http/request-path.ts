import type { FastifyRequest } from "fastify";

/** Decoded as the router does (`/%61pi/` is `/api/`), without query. */
export function requestPath(request: FastifyRequest): string {
  const path = request.url.split("?", 1)[0] ?? "/";
  try {
    return decodeURIComponent(path);
  } catch {
    // A malformed escape: the router answers 400.
    return path;
  }
}
