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
  failure,
  type Problem,
  type ProviderKind,
  type ProviderList,
  type ProviderRequest,
  type ProviderSettings,
  type Result,
  success,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { renewCsrfCookies } from "../../../platform/http/csrf-cookies.ts";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { clientOf } from "../../../platform/http/request-facts.ts";
import { limitCalls } from "../../../platform/http/request-guard.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  clearLoginSteps,
  loginStepOf,
  requirePermission,
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
  forgetProviders,
} from "./provider-login.ts";
import { checkPermission, noteEvent } from "../../organisations/public.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { logoutAddress, returnAddress } from "./provider-client.ts";
import {
  deleteProvider,
  findProvider,
  type Provider,
  putProvider,
  selectProviders,
} from "./provider-store.ts";

/** The return address is a page that posts here what it got. */
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

/** Source: OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8. */
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

export function providerSettingsRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const base = "/api/organisation/providers/";
    const onRequest = requirePermission(platform, "change_providers");
    const params = providerParams;
    const noteChange = (request: FastifyRequest, kind: string) =>
      platform.log.info({ userId: signedInUser(request).id, kind }, "provider changed");

    app.get(
      base,
      {
        onRequest: requirePermission(platform, "read_settings"),
        schema: { response: { 200: providerList } },
      },
      async () => listProviders(platform),
    );

    app.put(
      `${base}:kind/`,
      { onRequest, schema: { params, body: providerRequest, response: { 200: providerList } } },
      async (request, reply) => {
        const { kind } = request.params;
        const actorId = signedInUser(request).id;
        const saved = await saveProvider(platform, { kind, request: request.body, actorId });
        if (saved.ok) noteChange(request, kind);
        return sendResult(reply, saved);
      },
    );

    app.delete(
      `${base}:kind/`,
      { onRequest, schema: { params, response: { 200: providerList } } },
      async (request, reply) => {
        const { kind } = request.params;
        const actorId = signedInUser(request).id;
        const removed = await removeProvider(platform, { kind, actorId });
        if (removed.ok) noteChange(request, kind);
        return sendResult(reply, removed);
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

async function listProviders(platform: Platform): Promise<ProviderList> {
  const providers = await selectProviders(platform.db);
  const shown = (kind: ProviderKind) => {
    const provider = providers.find((one) => one.kind === kind);
    return provider === undefined ? null : present(provider);
  };
  const addresses = (kind: ProviderKind) => ({
    return: returnAddress(platform, kind),
    logout: logoutAddress(platform, kind),
  });
  return {
    oidc: shown("oidc"),
    proconnect: shown("proconnect"),
    addresses: { oidc: addresses("oidc"), proconnect: addresses("proconnect") },
  };
}

function present(provider: Provider): ProviderSettings {
  return {
    issuer: provider.issuer,
    client_id: provider.clientId,
    label: provider.label,
    domains: [...provider.domains],
    arrival_role: provider.arrivalRole,
    role_claim: provider.roleClaim,
    is_only_way: provider.isOnlyWay,
    version: provider.version,
    secret_saved_at: provider.secretSavedAt.toISOString(),
    tested_at: provider.testedAt?.toISOString() ?? null,
    trial_failure: provider.trialFailure && {
      at: provider.trialFailure.at.toISOString(),
      sentence: provider.trialFailure.sentence,
    },
  };
}

const SECRET_REQUIRED = { client_secret: ["Secret requis"] };

/**
 * Another issuer, client or secret requires a new trial.
 * Errors: `organisation_changed`; `provider_untested` for the only way to sign in before its trial;
 * `validation` without a secret.
 */
async function saveProvider(
  platform: Platform,
  {
    kind,
    request,
    actorId,
  }: {
    readonly kind: ProviderKind;
    readonly request: ProviderRequest;
    readonly actorId: string;
  },
): Promise<Result<ProviderList, Problem>> {
  const saved = await inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "change_providers");
    if (!permitted.ok) return permitted;
    const before = await findProvider(trx, kind);
    if ((before?.version ?? 0) !== request.version) return failure(problem("organisation_changed"));
    const { client_secret: given } = request;
    // A secret is never sent to another provider.
    const kept = before !== null && before.issuer === request.issuer ? before : null;
    if (given === undefined && kept === null)
      return failure(problem("validation", { errors: SECRET_REQUIRED }));
    const isSame = given === undefined && kept !== null && kept.clientId === request.client_id;
    const testedAt = isSame ? kept.testedAt : null;
    if (request.is_only_way && testedAt === null) return failure(problem("provider_untested"));
    const secret =
      given === undefined && kept !== null
        ? kept
        : {
            secretWrapped: platform.secrets.wrap(
              new TextEncoder().encode(given),
              `provider ${kind}`,
            ),
            secretSavedAt: platform.clock(),
          };
    if (!(await putProvider(trx, { kind, request, secret, testedAt })))
      return failure(problem("organisation_changed"));
    const detail = { name: request.label, host: new URL(request.issuer).host };
    await noteEvent(trx, platform, { kind: "provider_saved", actorId, detail });
    return success(null);
  });
  forgetProviders(platform);
  return saved.ok ? success(await listProviders(platform)) : saved;
}

/** Sessions stay; the provider's accounts then sign in by a new password. */
async function removeProvider(
  platform: Platform,
  { kind, actorId }: { readonly kind: ProviderKind; readonly actorId: string },
): Promise<Result<ProviderList>> {
  const removed = await inTransaction<Result<null>>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "change_providers");
    if (!permitted.ok) return permitted;
    const before = await findProvider(trx, kind);
    if (before === null) return success(null);
    await deleteProvider(trx, kind);
    const detail = { name: before.label };
    await noteEvent(trx, platform, { kind: "provider_removed", actorId, detail });
    return success(null);
  });
  forgetProviders(platform);
  return removed.ok ? success(await listProviders(platform)) : removed;
}
