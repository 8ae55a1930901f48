import {
  type Problem,
  type ProblemCode,
  PROBLEMS,
  presentProblem,
  type Result,
} from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CSRF_SECRET_COOKIE } from "./csrf-cookies.ts";

/** RFC 9110 §10.2.3. */
const DEFAULT_RETRY_AFTER_S: Readonly<Partial<Record<ProblemCode, number>>> = {
  service_unavailable: 5,
  timestamp_unavailable: 30,
  hsm_unavailable: 60,
  too_many_requests: 60,
};

/** Answers with a problem and logs it. A repeated idempotent answer was logged the first time. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const shown: Problem =
    ABOUT_SESSIONS.has(problem.code) && isProgram(reply.request)
      ? { ...problem, code: "bearer_not_taken" }
      : problem;
  reply.server.noteRefusal?.(reply.request, shown.code);
  return writeProblem(reply, shown);
}

const ABOUT_SESSIONS: ReadonlySet<ProblemCode> = new Set(["session_expired", "csrf_failed"]);

/**
 * True for a bearer token without our cookie, whose caller has no session to lose; a proxy may add
 * such a token to a browser's call.
 */
function isProgram({ headers, cookies }: FastifyRequest): boolean {
  return (
    /^bearer\b/i.test(headers.authorization ?? "") && cookies[CSRF_SECRET_COOKIE] === undefined
  );
}

/** `application/problem+json` (RFC 9457). */
export function writeProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const retryAfterS = problem.retryAfterS ?? DEFAULT_RETRY_AFTER_S[problem.code];
  if (retryAfterS !== undefined)
    reply.header("retry-after", String(Math.max(1, Math.ceil(retryAfterS))));
  if (/^key_(unknown|expired)$/.test(problem.code))
    reply.header("www-authenticate", 'Bearer error="invalid_token"');
  if (problem.code === "key_scope")
    reply.header(
      "www-authenticate",
      `Bearer error="insufficient_scope", scope="${problem.params?.["scope"] ?? ""}"`,
    );
  const body = { ...presentProblem(problem), request_id: reply.request.id };
  return reply
    .code(PROBLEMS[problem.code].status)
    .type("application/problem+json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(body);
}

export function sendResult<T>(
  reply: FastifyReply,
  result: Result<T, Problem>,
  options: { status?: number; present?: (value: T) => unknown } = {},
): FastifyReply {
  if (!result.ok) return sendProblem(reply, result.error);
  return reply
    .code(options.status ?? 200)
    .send(options.present ? options.present(result.value) : result.value);
}
