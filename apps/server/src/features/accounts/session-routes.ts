import {
  emptyAnswer,
  idSchema,
  loginRequest,
  problem,
  type ServiceRules,
  sessionList,
  userAnswer,
  verifyTokenAnswer,
} from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/request-facts.ts";
import { ensureCsrfCookies, renewCsrfCookies } from "../../platform/http/csrf-cookies.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { isSmsOffered } from "../../platform/sms/create-sms-transport.ts";
import type { AccountDeps } from "./account-deps.ts";
import { logIn, logOut } from "./log-in.ts";
import { registrationOf } from "./register-account.ts";
import { refreshSession } from "./open-session.ts";
import { endOtherSessions, endSession, listSessions } from "./own-sessions.ts";
import { presentUser } from "./profile.ts";
import {
  clearSessionCookies,
  optionalUser,
  requireUser,
  sessionCookies,
  setSessionCookies,
  signedInUser,
} from "./session-guard.ts";
import { loadAccount } from "./store.ts";

type RuleSettings = Pick<Settings, "passwordMinLength" | "registration" | "mailDisabled"> &
  Parameters<typeof isSmsOffered>[0];

function presentRules(settings: RuleSettings): ServiceRules {
  const policy = registrationOf(settings);
  return {
    password_min_length: settings.passwordMinLength,
    registration: {
      kind: policy.kind,
      domains: policy.kind === "domains" ? [...policy.domains] : [],
    },
    mail: !settings.mailDisabled,
    sms: isSmsOffered(settings),
  };
}

/** Contract §3; cookies of contract §2. */
export function sessionRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    const verifyToken = {
      onRequest: optionalUser(platform),
      schema: { response: { 200: verifyTokenAnswer } },
    };
    app.get("/api/verify-token/", verifyToken, async (request, reply) => {
      // A call with a signature token needs no CSRF token.
      if (!hasSignatureToken(request)) ensureCsrfCookies(request, reply, platform);
      const account =
        request.user === null ? null : await loadAccount(platform.db, request.user.id);
      const rules = presentRules(platform.settings);
      if (account === null)
        return sendProblem(reply, problem("session_expired", { extensions: rules }));
      return reply.send({ user: await presentUser(platform.db, account), ...rules });
    });

    app.post(
      "/api/token/",
      { schema: { body: loginRequest, response: { 200: userAnswer } } },
      async (request, reply) => {
        const result = await logIn(deps, { ...request.body, asker: clientOf(request) });
        if (!result.ok) return sendProblem(reply, result.error);
        setSessionCookies(reply, result.value.tokens, platform.clock());
        renewCsrfCookies(reply, platform);
        return reply.send({ user: result.value.user });
      },
    );

    app.post(
      "/api/token/refresh/",
      { schema: { response: { 200: emptyAnswer } } },
      async (request, reply) => {
        const result = await refreshSession(platform, sessionCookies(request).refreshToken);
        if (!result.ok) {
          clearSessionCookies(reply);
          return sendProblem(reply, result.error);
        }
        setSessionCookies(reply, result.value, platform.clock());
        return reply.send({});
      },
    );

    app.post(
      "/api/logout/",
      { schema: { response: { 200: emptyAnswer } } },
      async (request, reply) => {
        const { accessToken, refreshToken } = sessionCookies(request);
        await logOut(platform, [accessToken, refreshToken]);
        clearSessionCookies(reply);
        renewCsrfCookies(reply, platform);
        return reply.send({});
      },
    );
  };
}

const SESSIONS = "/api/signature/me/sessions/";
const params = z.strictObject({ id: idSchema });

export function ownSessionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(
      SESSIONS,
      { onRequest, schema: { response: { 200: sessionList } } },
      async (request, reply) => reply.send(await listSessions(platform, signedInUser(request))),
    );

    app.delete(`${SESSIONS}:id/`, { onRequest, schema: { params } }, async (request, reply) => {
      const user = signedInUser(request);
      const ended = await endSession(platform, { user, sessionId: request.params.id });
      if (!ended.ok) return sendProblem(reply, ended.error);
      // Ending the current session is a logout.
      if (request.params.id === user.session_id) clearSessionCookies(reply);
      return reply.code(204).send();
    });

    app.delete(SESSIONS, { onRequest }, async (request, reply) => {
      await endOtherSessions(platform, signedInUser(request));
      return reply.code(204).send();
    });
  };
}
