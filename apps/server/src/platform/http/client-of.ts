import type { FastifyRequest } from "fastify";

export type RequestClient = { readonly ip: string; readonly userAgent: string };

const LONGEST_USER_AGENT = 300;

/** Gives who asks, as the audit trail keeps it: the address (behind the proxies of `TRUST_PROXY`) and the browser's name, cut and on one line. */
export function clientOf(request: FastifyRequest): RequestClient {
  const userAgent = (request.headers["user-agent"] ?? "")
    .replace(/[\u0000-\u001f\u007f]+/g, " ")
    .trim();
  return { ip: request.ip, userAgent: userAgent.slice(0, LONGEST_USER_AGENT) };
}
