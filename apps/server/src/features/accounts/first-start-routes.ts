import {
  emptyAnswer,
  firstStartAnswer,
  firstStartCheck,
  firstStartRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { renewCsrfCookies } from "../../platform/http/csrf-cookies.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { clientOf } from "../../platform/http/request-facts.ts";
import type { AccountDeps } from "./account-deps.ts";
import { checkFirstStart, claimFirstStart } from "./first-start.ts";
import { limitRequests } from "./limit-requests.ts";
import { optionalUser, setSessionCookies } from "./session-guard.ts";

const BASE = "/api/signature/first-start";
const TRIES_PER_HOUR = 100;

/** The address printed at the first start. */
export function firstStartRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const limited = async (request: FastifyRequest, reply: FastifyReply) => {
      const tries = { kind: "first-start", ip: request.ip, perHour: TRIES_PER_HOUR };
      const allowed = await limitRequests(platform, tries);
      return allowed.ok ? undefined : sendProblem(reply, allowed.error);
    };

    const check = {
      onRequest: limited,
      schema: { body: firstStartCheck, response: { 200: emptyAnswer } },
    };
    app.post(`${BASE}/check/`, check, async (request, reply) => {
      const usable = await checkFirstStart(platform.db, platform, request.body.token);
      return sendResult(reply, usable, { present: () => ({}) });
    });

    const claim = {
      onRequest: [limited, optionalUser(platform)],
      schema: { body: firstStartRequest, response: { 201: firstStartAnswer } },
    };
    app.post(`${BASE}/`, claim, async (request, reply) => {
      const { token, account = null } = request.body;
      const userId = request.user?.id ?? null;
      const asker = clientOf(request);
      const claimed = await claimFirstStart(deps, { token, account, userId, asker });
      if (!claimed.ok) return sendProblem(reply, claimed.error);
      const { user, tokens } = claimed.value;
      if (tokens !== null) {
        setSessionCookies(reply, tokens, platform.clock());
        renewCsrfCookies(reply, platform);
      }
      return reply.code(201).send({ user });
    });
  };
}
