import { emptyAnswer, loginRequest, problem, userAnswer, verifyTokenAnswer } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { clientOf } from "../../platform/http/client-of.ts";
import { keepCsrfCookies, renewCsrfCookies } from "../../platform/http/csrf-cookies.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { AccountDeps } from "./account-deps.ts";
import { logIn } from "./log-in.ts";
import { logOut } from "./log-out.ts";
import { presentRules } from "./present-rules.ts";
import { presentUser } from "./present-user.ts";
import { refreshSession } from "./refresh-session.ts";
import { clearSessionCookies, sessionCookies, setSessionCookies } from "./session-cookies-guard.ts";
import { optionalUser } from "./session-guard.ts";
import { loadAccount } from "./store.ts";

/** Session calls of contract §3; cookies as contract §2 has them. */
export function sessionRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    const verifyToken = { onRequest: optionalUser(platform), schema: { response: { 200: verifyTokenAnswer } } };
    app.get("/api/verify-token/", verifyToken, async (request, reply) => {
      // Whoever brings a signature token needs no CSRF token, and leaves the page's own alone.
      if (!hasSignatureToken(request)) keepCsrfCookies(request, reply, platform);
      const account = request.user === null ? null : await loadAccount(platform.db, request.user.id);
      const rules = presentRules(platform.settings);
      if (account === null) return sendProblem(reply, problem("session_expired", { extensions: rules }));
      return reply.send({ user: await presentUser(platform.db, account), ...rules });
    });

    app.post("/api/token/", { schema: { body: loginRequest, response: { 200: userAnswer } } }, async (request, reply) => {
      const result = await logIn(deps, { ...request.body, asker: clientOf(request) });
      if (!result.ok) return sendProblem(reply, result.error);
      setSessionCookies(reply, result.value.tokens, platform.clock());
      renewCsrfCookies(reply, platform);
      return reply.send({ user: result.value.user });
    });

    app.post("/api/token/refresh/", { schema: { response: { 200: emptyAnswer } } }, async (request, reply) => {
      const result = await refreshSession(platform, sessionCookies(request).refreshToken);
      if (!result.ok) {
        clearSessionCookies(reply);
        return sendProblem(reply, result.error);
      }
      setSessionCookies(reply, result.value, platform.clock());
      return reply.send({});
    });

    app.post("/api/logout/", { schema: { response: { 200: emptyAnswer } } }, async (request, reply) => {
      const { accessToken, refreshToken } = sessionCookies(request);
      await logOut(platform, [accessToken, refreshToken]);
      clearSessionCookies(reply);
      renewCsrfCookies(reply, platform);
      return reply.send({});
    });
  };
}
