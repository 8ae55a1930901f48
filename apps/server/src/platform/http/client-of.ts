import type { FastifyRequest } from "fastify";

export type RequestClient = { readonly ip: string; readonly userAgent: string };

const LONGEST_USER_AGENT = 300;

/** Gives the audit trail's address (behind `TRUST_PROXY`) and browser name, cut to one line. */
export function clientOf(request: FastifyRequest): RequestClient {
  const userAgent = (request.headers["user-agent"] ?? "")
    .replace(/[\u0000-\u001f\u007f]+/g, " ")
    .trim();
  return { ip: request.ip, userAgent: userAgent.slice(0, LONGEST_USER_AGENT) };
}
