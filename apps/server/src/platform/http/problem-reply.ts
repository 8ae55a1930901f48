import { type Problem, type ProblemCode, PROBLEMS, presentProblem, type Result } from "@paraphe/contracts";
import type { FastifyReply } from "fastify";

/** Codes that ask for a moment: RFC 9110 §10.2.3 wants them to say how long. */
const DEFAULT_RETRY_AFTER_S: Readonly<Partial<Record<ProblemCode, number>>> = {
  service_unavailable: 5,
  timestamp_unavailable: 30,
  hsm_unavailable: 60,
  too_many_requests: 60,
};

/** Answers with a problem, as `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const retryAfterS = problem.retryAfterS ?? DEFAULT_RETRY_AFTER_S[problem.code];
  if (retryAfterS !== undefined) reply.header("retry-after", String(Math.max(1, Math.ceil(retryAfterS))));
  const body = { ...presentProblem(problem), request_id: reply.request.id };
  return reply.code(PROBLEMS[problem.code].status).type("application/problem+json; charset=utf-8").serializer(JSON.stringify).send(body);
}

/** Answers with a use case's outcome: its value, presented, or its problem. */
export function sendResult<T>(
  reply: FastifyReply,
  result: Result<T, Problem>,
  options: { status?: number; present?: (value: T) => unknown } = {},
): FastifyReply {
  if (!result.ok) return sendProblem(reply, result.error);
  return reply.code(options.status ?? 200).send(options.present ? options.present(result.value) : result.value);
}
