import { problem } from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { goneSignal } from "../../platform/http/gone-signal.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { createTurns } from "../../platform/throttle/create-turns.ts";
import { networkOf } from "../../platform/throttle/network-of.ts";
import type { PrintDeps } from "./print-deps.ts";

/** Of one address, behind the one that is answered: an office whose clerks all scan at once. */
const MOST_WAITING = 10;
const RETRY_S = 5;

/** Does the work of a public call in its turn, with what the caller is given of the service. */
export type InTurn = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: (asked: PrintDeps) => Promise<FastifyReply>,
) => Promise<FastifyReply>;

/**
 * Gives the turns of public calls: one proof at a time is computed for an address, so that nobody's many calls, of documents however large, hold the
 * sandbox before somebody's one. Who has gone waits no more, and nothing more is validated for them.
 */
export function createPublicTurns(deps: PrintDeps): InTurn {
  const turns = createTurns({ longest: MOST_WAITING });
  return async (request, reply, work) => {
    const gone = goneSignal(reply);
    const asked = askedUntil(deps, gone);
    if (deps.platform.settings.rateLimits === "off") return work(asked);
    const end = await turns.take(request.user?.id ?? networkOf(request.ip), gone);
    if (end === null) return sendProblem(reply, problem("too_many_requests", { retryAfterS: RETRY_S }));
    try {
      return await work(asked);
    } finally {
      end();
    }
  };
}

/** The same service, whose sandbox begins no task once this caller has gone. */
function askedUntil(deps: PrintDeps, signal: AbortSignal): PrintDeps {
  const { sandbox } = deps.platform;
  const asked = { ...sandbox, askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) => sandbox.askedBy({ ...caller, signal }) };
  return { ...deps, platform: { ...deps.platform, sandbox: asked } };
}
