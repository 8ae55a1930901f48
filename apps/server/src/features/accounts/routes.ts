import {
  type Problem,
  type RegisterRequest,
  type Result,
  type ServiceRules,
  changePasswordRequest,
  detailAnswer,
  emailRequest,
  emptyAnswer,
  failure,
  idSchema,
  loginRequest,
  logoutAnswer,
  problem,
  registerAccount as registerAccountRequest,
  registerAnswer,
  registerRequest,
  sessionList,
  success,
  userAnswer,
  verifyTokenAnswer,
  firstStartAnswer,
  firstStartCheck,
  firstStartRequest,
  apiKey,
  createdKey,
  keyChange,
  keyList,
  keyRequest,
  delegationList,
  delegationRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { ensureCsrfCookies, renewCsrfCookies } from "../../platform/http/csrf-cookies.ts";
import {
  sendProblem,
  sendResult,
  parseInput,
  visibilityFirst,
} from "../../platform/http/problem-reply.ts";
import { clientOf } from "../../platform/http/request-facts.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import { mailboxPath } from "../../platform/mailbox/mailbox-transports.ts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered } from "../../platform/sms/create-sms-transport.ts";
import { knownPasswordMinimum, knownRegistration } from "../organisations/public.ts";
import type { AccountDeps } from "./account-deps.ts";
import { resetPassword } from "./change-password.ts";
import { confirmationRoutes, factorRoutes, secondStepRoutes } from "./factors/factor-routes.ts";
import { memberRoutes } from "./members/member-routes.ts";
import { offeredProviders, providerLogout } from "./providers/provider-login.ts";
import {
  providerLoginRoutes,
  providerLogoutRoutes,
  providerSettingsRoutes,
} from "./providers/provider-routes.ts";
import { limitRequests } from "./limit-requests.ts";
import { logIn, logOut } from "./log-in.ts";
import { requestLink } from "./mailed-links.ts";
import {
  addressRoutes,
  phoneRoutes,
  profileRoutes,
  pushSubscriptionRoutes,
  readAccountForm,
} from "./profile-routes.ts";
import { presentUser } from "./profile.ts";
import {
  activateAccount,
  checkAccount,
  isActivated,
  mayAnybodyRegister,
  registerAccount,
} from "./register-account.ts";
import {
  clearSessionCookies,
  factorDayOf,
  identifyUser,
  loginStepOf,
  optionalUser,
  requireUser,
  sessionCookies,
  setLoginStep,
  setSessionCookies,
  signedInUser,
  requirePermission,
} from "./session-guard.ts";
import { endOtherSessions, endSession, listSessions, refreshSession } from "./sessions.ts";
import { loadAccount } from "./store.ts";
import { checkFirstStart, claimFirstStart } from "./first-start.ts";
import { changeKey, createKey, findOwnKey, listKeys, revokeKey } from "./keys/keys.ts";
import {
  changeDelegation,
  type DelegatedSteps,
  finishDelegation,
  giveDelegation,
  listDelegations,
} from "./delegations/delegations.ts";

export function accountRoutes(deps: AccountDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(sessionRoutes(deps));
    await app.register(secondStepRoutes(deps.platform));
    await app.register(factorRoutes(deps.platform));
    await app.register(keyRoutes(deps.platform));
    await app.register(confirmationRoutes(deps.platform));
    await app.register(providerLoginRoutes(deps.platform));
    await app.register(providerLogoutRoutes(deps.platform));
    await app.register(providerSettingsRoutes(deps.platform));
    await app.register(registrationRoutes(deps));
    await app.register(firstStartRoutes(deps));
    await app.register(memberRoutes(deps.platform));
    await app.register(profileRoutes(deps));
    await app.register(addressRoutes(deps));
    await app.register(phoneRoutes(deps.platform));
    await app.register(ownSessionRoutes(deps.platform));
    await app.register(pushSubscriptionRoutes(deps.platform));
    app.addHook("onClose", deps.hasher.close);
  };
}

async function presentRules(platform: Platform): Promise<ServiceRules> {
  const { settings } = platform;
  const policy = await knownRegistration(platform);
  const providers = await offeredProviders(platform);
  return {
    password_min_length: await knownPasswordMinimum(platform),
    registration: {
      kind: policy.kind,
      domains: policy.kind === "domains" ? [...policy.domains] : [],
    },
    mail: !settings.mailDisabled,
    sms: isSmsOffered(settings),
    ...(providers.length > 0 && { providers }),
  };
}

function sessionRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    const verifyToken = {
      onRequest: identifyUser(platform),
      schema: { response: { 200: verifyTokenAnswer } },
    };
    app.get("/api/verify-token/", verifyToken, async (request, reply) => {
      if (!hasSignatureToken(request)) ensureCsrfCookies(request, reply, platform);
      const account =
        request.user === null ? null : await loadAccount(platform.db, request.user.id);
      const rules = await presentRules(platform);
      if (account === null)
        return sendProblem(reply, problem("session_expired", { extensions: rules }));
      const user = { ...(await presentUser(platform.db, account)), ...factorDayOf(request) };
      return reply.send({ user, ...rules });
    });

    app.post(
      "/api/token/",
      { schema: { body: loginRequest, response: { 200: userAnswer } } },
      async (request, reply) => {
        const browser = loginStepOf(request, "provider");
        const result = await logIn(deps, { ...request.body, browser, asker: clientOf(request) });
        if (!result.ok) return sendProblem(reply, result.error);
        if ("asked" in result.value) {
          setLoginStep(reply, "password", result.value.token);
          const extensions = result.value.asked;
          return sendProblem(reply, problem("second_factor_required", { extensions }));
        }
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
      { schema: { response: { 200: logoutAnswer } } },
      async (request, reply) => {
        const { accessToken, refreshToken } = sessionCookies(request);
        const tokens = [accessToken, refreshToken];
        const location = await providerLogout(platform, tokens);
        await logOut(platform, tokens);
        clearSessionCookies(reply);
        renewCsrfCookies(reply, platform);
        return reply.send(location === null ? {} : { location });
      },
    );
  };
}

const SESSIONS = "/api/signature/me/sessions/";
const params = z.strictObject({ id: idSchema });

function ownSessionRoutes(platform: Platform) {
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
      // Ending the own session is a logout.
      if (request.params.id === user.session_id) clearSessionCookies(reply);
      return reply.code(204).send();
    });

    app.delete(SESSIONS, { onRequest }, async (request, reply) => {
      await endOtherSessions(platform, signedInUser(request));
      return reply.code(204).send();
    });
  };
}

const BASE = "/api/signature";
const REGISTERED =
  "Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour activer votre compte.";
const ACTIVATED = "Votre compte est créé. Vous pouvez maintenant vous connecter.";
const RESENT =
  "Si un compte attend d’être activé à cette adresse, un nouvel email de confirmation a été envoyé.";
const RESET_SENT = "Si un compte existe pour cet email, un lien de réinitialisation a été envoyé.";
const RESET_DONE = "Mot de passe réinitialisé avec succès. Vous pouvez maintenant vous connecter.";
const REGISTRATIONS_PER_HOUR = 100;
const CHECKS_PER_HOUR = 300;
/** A mistyped link leads to a page. */
const activationParams = z.strictObject({ uid: z.string(), token: z.string() });

function registrationRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    // The handler validates; this schema documents the API. Limits precede the body: a picture
    // takes memory.
    const openDoor =
      (kind: string, perHour: number) => async (request: FastifyRequest, reply: FastifyReply) => {
        const limited = await limitRequests(platform, { kind, ip: request.ip, perHour });
        if (!limited.ok) return sendProblem(reply, limited.error);
        return (await mayAnybodyRegister(platform))
          ? undefined
          : sendProblem(reply, problem("registration_closed"));
      };
    const onRequest = openDoor("register", REGISTRATIONS_PER_HOUR);
    const register = {
      onRequest,
      attachValidation: true,
      schema: {
        consumes: ["application/json", "multipart/form-data"],
        body: registerRequest,
        files: { avatar: "optional" as const },
        response: { 201: registerAnswer },
      },
    };
    app.post(`${BASE}/register/`, register, async (request, reply) => {
      const form = await readRegistration(request);
      if (!form.ok) return sendProblem(reply, withFieldsOnTop(form.error));
      const result = await registerAccount(deps, {
        ...form.value.values,
        avatarFile: form.value.avatarFile,
        asker: clientOf(request),
      });
      if (!result.ok) return sendProblem(reply, withFieldsOnTop(result.error));
      if (result.value.isActivated)
        return reply.code(201).send({ detail: ACTIVATED, activated: true });
      const mailbox = mailboxPath(platform.settings);
      return reply.code(201).send({ detail: REGISTERED, ...(mailbox !== null && { mailbox }) });
    });

    const check = {
      onRequest: openDoor("register-check", CHECKS_PER_HOUR),
      schema: { body: registerAccountRequest, response: { 204: z.undefined() } },
    };
    app.post(`${BASE}/register/check/`, check, async (request, reply) => {
      const result = await checkAccount(deps, request.body);
      return result.ok ? reply.code(204).send() : sendProblem(reply, result.error);
    });

    app.get(
      `${BASE}/activate/:uid/:token/`,
      { schema: { params: activationParams, response: { 302: z.undefined() } } },
      async (request, reply) => {
        // HEAD changes nothing (RFC 9110 §9.2.1); GET may repeat.
        const activated =
          request.method === "HEAD"
            ? await isActivated(platform, request.params)
            : await activateAccount(platform, request.params);
        if (!activated) request.server.noteRefusal?.(request, "link_expired");
        return reply
          .header("cache-control", "no-store")
          .redirect(`/login?activated=${activated ? 1 : 0}`, 302);
      },
    );

    for (const [path, purpose, detail] of [
      ["register/resend", "activation", RESENT],
      ["password-reset", "reset", RESET_SENT],
    ] as const) {
      app.post(
        `${BASE}/${path}/`,
        { schema: { body: emailRequest, response: { 200: detailAnswer } } },
        async (request, reply) => {
          const result = await requestLink(platform, {
            purpose,
            email: request.body.email,
            asker: clientOf(request),
          });
          return sendResult(reply, result, { present: () => ({ detail }) });
        },
      );
    }

    app.post(
      `${BASE}/change-password/`,
      { schema: { body: changePasswordRequest, response: { 200: detailAnswer } } },
      async (request, reply) => {
        return sendResult(reply, await resetPassword(deps, request.body), {
          present: () => ({ detail: RESET_DONE }),
        });
      },
    );
  };
}

async function readRegistration(
  request: FastifyRequest,
): Promise<Result<{ values: RegisterRequest; avatarFile: Uint8Array | null }>> {
  const form = await readAccountForm(request);
  if (!form.ok) return form;
  // Specification §5: empty means none.
  const filled = Object.fromEntries(
    Object.entries(form.value.values).filter(([, value]) => value !== "" && value !== null),
  );
  const values = parseInput(registerRequest, filled);
  return values.ok
    ? success({ values: values.value, avatarFile: form.value.avatarFile })
    : failure(values.error);
}

/** Specification §8: fields' errors stand at the top level too. */
function withFieldsOnTop(refusal: Problem): Problem {
  return refusal.errors === undefined ? refusal : { ...refusal, extensions: { ...refusal.errors } };
}

const FIRST_START = "/api/signature/first-start";
const TRIES_PER_HOUR = 100;

function firstStartRoutes(deps: AccountDeps) {
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
    app.post(`${FIRST_START}/check/`, check, async (request, reply) => {
      const usable = await checkFirstStart(platform.db, platform, request.body.token);
      return sendResult(reply, usable, { present: () => ({}) });
    });

    const claim = {
      onRequest: [limited, optionalUser(platform)],
      schema: { body: firstStartRequest, response: { 201: firstStartAnswer } },
    };
    app.post(`${FIRST_START}/`, claim, async (request, reply) => {
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

const KEYS = "/api/signature/me/keys/";

function keyRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    app.addHook("onSend", async (_request, reply) => {
      reply.header("cache-control", "no-store");
    });

    app.get(KEYS, { onRequest, schema: { response: { 200: keyList } } }, (request) =>
      listKeys(platform, signedInUser(request)),
    );

    app.post(
      KEYS,
      { onRequest, schema: { body: keyRequest, response: { 201: createdKey } } },
      async (request, reply) => {
        const asked = { ...request.body, user: signedInUser(request) };
        return sendResult(reply, await createKey(platform, asked), { status: 201 });
      },
    );

    const params = z.strictObject({ id: idSchema });
    visibilityFirst(scope, (request, id) =>
      findOwnKey(platform, { user: signedInUser(request), id }),
    );
    app.patch(
      `${KEYS}:id/`,
      { onRequest, schema: { params, body: keyChange, response: { 200: apiKey } } },
      async (request, reply) => {
        const change = { ...request.body, ...request.params, user: signedInUser(request) };
        return sendResult(reply, await changeKey(platform, change));
      },
    );
    app.delete(`${KEYS}:id/`, { onRequest, schema: { params } }, async (request, reply) => {
      const revocation = { user: signedInUser(request), id: request.params.id };
      const revoked = await revokeKey(platform, revocation);
      return revoked.ok ? reply.code(204).send() : sendProblem(reply, revoked.error);
    });
  };
}

const DELEGATIONS = "/api/organisation/delegations/";
const delegationParams = z.object({ id: idSchema });
const response = { 200: delegationList };

/** Each answer is the whole list after the change. */
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

    app.get(DELEGATIONS, { onRequest, schema: { response } }, async (request) =>
      listDelegations(deps, signedInUser(request).id),
    );
    app.post(
      DELEGATIONS,
      { onRequest, schema: { body: delegationRequest, response } },
      (request, reply) => {
        const actorId = signedInUser(request).id;
        return answer(request, reply, giveDelegation(deps, { ...request.body, actorId }));
      },
    );
    app.put(
      `${DELEGATIONS}:id/`,
      { onRequest, schema: { params: delegationParams, body: delegationRequest, response } },
      (request, reply) => {
        const change = { ...request.params, ...request.body, actorId: signedInUser(request).id };
        return answer(request, reply, changeDelegation(deps, change));
      },
    );
    app.delete(
      `${DELEGATIONS}:id/`,
      { onRequest, schema: { params: delegationParams, response } },
      (request, reply) => {
        const ending = { ...request.params, actorId: signedInUser(request).id };
        return answer(request, reply, finishDelegation(platform, ending));
      },
    );
  };
}
