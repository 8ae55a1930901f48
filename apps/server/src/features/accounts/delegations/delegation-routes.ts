import {
  delegationList,
  delegationRequest,
  idSchema,
  type Problem,
  type Result,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requirePermission, signedInUser } from "../session-guard.ts";
import {
  changeDelegation,
  type DelegatedSteps,
  finishDelegation,
  giveDelegation,
  listDelegations,
} from "./delegations.ts";

const BASE = "/api/organisation/delegations/";
const params = z.object({ id: idSchema });
const response = { 200: delegationList };

/** Each answer is the list as it is then. */
export function delegationRoutes(platform: Platform, steps: DelegatedSteps) {
  const deps = { ...platform, steps };
  const onRequest = requirePermission(platform, "delegate");
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const answer = async (
      request: FastifyRequest,
      reply: FastifyReply,
      change: Promise<Result<null, Problem>>,
    ) => {
      const changed = await change;
      return changed.ok
        ? reply.send(await listDelegations(deps, signedInUser(request).id))
        : sendProblem(reply, changed.error);
    };

    app.get(BASE, { onRequest, schema: { response } }, async (request) =>
      listDelegations(deps, signedInUser(request).id),
    );
    app.post(
      BASE,
      { onRequest, schema: { body: delegationRequest, response } },
      (request, reply) => {
        const actorId = signedInUser(request).id;
        return answer(request, reply, giveDelegation(deps, { ...request.body, actorId }));
      },
    );
    app.put(
      `${BASE}:id/`,
      { onRequest, schema: { params, body: delegationRequest, response } },
      (request, reply) => {
        const change = { ...request.params, ...request.body, actorId: signedInUser(request).id };
        return answer(request, reply, changeDelegation(deps, change));
      },
    );
    app.delete(`${BASE}:id/`, { onRequest, schema: { params, response } }, (request, reply) => {
      const ending = { ...request.params, actorId: signedInUser(request).id };
      return answer(request, reply, finishDelegation(platform, ending));
    });
  };
}
