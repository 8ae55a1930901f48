import { isId, type Problem, problem, type Result } from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errorProblem } from "./error-problem.ts";
import { sendProblem } from "./problem-reply.ts";

type Find = (request: FastifyRequest, id: string) => Promise<Result<unknown>>;
type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Problem) => Promise<FastifyReply>;

/**
 * A refusal of what was sent tells a stranger that what the address names is there: whether they may see it comes first (contract §7), on every
 * route of the scope whose address holds an id. Gives what answers so, for a route that reads its body by itself.
 */
export function visibilityFirst(scope: FastifyInstance, find: Find): Refuse {
  const refuse: Refuse = async (request, reply, refusal) => {
    const { id } = request.params as { readonly id: string };
    // What was sent may be refused before the address is looked at: an id that is none is as unknown as another.
    if (!isId(id)) return sendProblem(reply, problem("not_found"));
    const seen = await find(request, id);
    return sendProblem(reply, seen.ok ? refusal : seen.error);
  };
  scope.setErrorHandler(async (error, request, reply) => {
    const { problem: refusal, unexpected } = errorProblem(error);
    const isOfOne = "id" in (request.params as object) && request.user !== null && refusal.code !== "not_found";
    if (unexpected || !isOfOne) throw error;
    return refuse(request, reply, refusal);
  });
  return refuse;
}
