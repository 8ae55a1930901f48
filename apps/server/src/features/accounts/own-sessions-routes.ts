import { idSchema, sessionList } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { endOtherSessions, endSession } from "./end-sessions.ts";
import { listSessions } from "./list-sessions.ts";
import { clearSessionCookies } from "./session-cookies-guard.ts";
import { requireUser, signedInUser } from "./session-guard.ts";

const SESSIONS = "/api/signature/me/sessions/";
const params = z.strictObject({ id: idSchema });

/** Where one is signed in, and ending it: one session, or all but this one. */
export function ownSessionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(SESSIONS, { onRequest, schema: { response: { 200: sessionList } } }, async (request, reply) =>
      reply.send(await listSessions(platform, signedInUser(request))),
    );

    app.delete(`${SESSIONS}:id/`, { onRequest, schema: { params } }, async (request, reply) => {
      const user = signedInUser(request);
      const ended = await endSession(platform, { user, sessionId: request.params.id });
      if (!ended.ok) return sendProblem(reply, ended.error);
      // Ending the session that asks is a logout.
      if (request.params.id === user.session_id) clearSessionCookies(reply);
      return reply.code(204).send();
    });

    app.delete(SESSIONS, { onRequest }, async (request, reply) => {
      await endOtherSessions(platform, signedInUser(request));
      return reply.code(204).send();
    });
  };
}
