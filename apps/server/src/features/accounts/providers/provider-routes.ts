import {
  emptyAnswer,
  problem,
  providerKind,
  providerLinkAnswer,
  providerList,
  providerLoginAnswer,
  providerLoginRequest,
  providerParams,
  providerRequest,
  providerReturnAnswer,
  providerReturnRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { renewCsrfCookies } from "../../../platform/http/csrf-cookies.ts";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { clientOf } from "../../../platform/http/request-facts.ts";
import { limitCalls } from "../../../platform/http/request-guard.ts";
import type { Platform } from "../../../platform/platform.ts";
import { isPermitted, type OrganisationAction, selectRole } from "../../organisations/public.ts";
import {
  clearLoginSteps,
  loginStepOf,
  requireUser,
  setLoginStep,
  setSessionCookies,
  signedInUser,
} from "../session-guard.ts";
import {
  endProviderSessions,
  finishProviderLogin,
  linkIdentity,
  startProviderLogin,
} from "./provider-login.ts";
import { listProviders, removeProvider, saveProvider } from "./provider-settings.ts";

/** Sign-in at a provider. The return address is a page, which sends here what it got. */
export function providerLoginRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    app.post(
      "/api/token/provider/",
      { schema: { body: providerLoginRequest, response: { 200: providerLoginAnswer } } },
      async (request, reply) => {
        const { provider: kind, fresh: isFresh } = request.body;
        return startAt(platform, request, reply, { kind, isFresh, isTrial: false });
      },
    );

    app.post(
      "/api/token/provider/return/",
      { schema: { body: providerReturnRequest, response: { 200: providerReturnAnswer } } },
      async (request, reply) => {
        const finished = await finishProviderLogin(platform, {
          returned: request.body,
          browser: loginStepOf(request, "provider"),
          asker: clientOf(request),
        });
        if (!finished.ok) return sendProblem(reply, finished.error);
        if ("trial" in finished.value) return reply.send({ trial: finished.value.trial });
        setSessionCookies(reply, finished.value.tokens, platform.clock());
        clearLoginSteps(reply);
        renewCsrfCookies(reply, platform);
        return reply.send({ user: finished.value.user });
      },
    );

    app.post(
      "/api/signature/me/provider-link/",
      { onRequest: requireUser(platform), schema: { response: { 200: providerLinkAnswer } } },
      async (request, reply) => {
        const browser = loginStepOf(request, "provider");
        const linked = await linkIdentity(platform, { user: signedInUser(request), browser });
        return reply.send({ linked });
      },
    );
  };
}

async function startAt(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  start: Omit<Parameters<typeof startProviderLogin>[1], "browser" | "asker">,
): Promise<FastifyReply> {
  const browser = loginStepOf(request, "provider");
  const asker = clientOf(request);
  const started = await startProviderLogin(platform, { ...start, browser, asker });
  if (!started.ok) return sendProblem(reply, started.error);
  setLoginStep(reply, "provider", started.value.browser);
  return reply.send({ location: started.value.location });
}

const logoutForm = z.looseObject({ logout_token: z.string().check(z.maxLength(16_384)) });
const LOGOUTS_PER_MINUTE = 300;

/**
 * A provider reports that its session ended.
 * Source: OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8.
 */
export function providerLogoutRoutes(platform: Platform) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      (_request, text, done) => {
        done(null, Object.fromEntries(new URLSearchParams(String(text))));
      },
    );
    const onRequest = limitCalls(platform, {
      kind: "provider-logout",
      perMinute: LOGOUTS_PER_MINUTE,
    });
    for (const kind of providerKind.options)
      app.post(`/auth/${kind}/deconnexion`, { onRequest }, async (request, reply) => {
        reply.header("cache-control", "no-store");
        const form = logoutForm.safeParse(request.body);
        if (!form.success) return sendProblem(reply, problem("malformed_request"));
        const token = form.data.logout_token;
        return sendResult(reply, await endProviderSessions(platform, { kind, token }), {
          present: () => ({}),
        });
      });
  };
}

/** What an administrator sets up. */
export function providerSettingsRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const base = "/api/organisation/providers/";
    const permit = (action: OrganisationAction) => [
      requireUser(platform),
      async (request: FastifyRequest, reply: FastifyReply) =>
        isPermitted(await selectRole(platform.db, signedInUser(request).id), action)
          ? undefined
          : sendProblem(reply, problem("administrators_only")),
    ];
    const onRequest = permit("change_providers");
    const params = providerParams;
    const noteChange = (request: FastifyRequest, kind: string) =>
      platform.log.info({ userId: signedInUser(request).id, kind }, "provider changed");

    app.get(
      base,
      { onRequest: permit("read_settings"), schema: { response: { 200: providerList } } },
      async () => listProviders(platform),
    );

    app.put(
      `${base}:kind/`,
      { onRequest, schema: { params, body: providerRequest, response: { 200: providerList } } },
      async (request, reply) => {
        const { kind } = request.params;
        const saved = await saveProvider(platform, { kind, request: request.body });
        if (saved.ok) noteChange(request, kind);
        return sendResult(reply, saved);
      },
    );

    app.delete(
      `${base}:kind/`,
      { onRequest, schema: { params, response: { 200: providerList } } },
      async (request) => {
        const { kind } = request.params;
        noteChange(request, kind);
        return removeProvider(platform, kind);
      },
    );

    app.post(
      `${base}:kind/trial/`,
      { onRequest, schema: { params, body: emptyAnswer, response: { 200: providerLoginAnswer } } },
      async (request, reply) => {
        const { kind } = request.params;
        return startAt(platform, request, reply, { kind, isFresh: true, isTrial: true });
      },
    );
  };
}
