import {
  addPasskeyRequest,
  confirmationRequest,
  emptyAnswer,
  factorList,
  idSchema,
  loginAnswer,
  passkeyLoginRequest,
  passkeyOptions,
  passkeyOptionsRequest,
  recoveryCodeRequest,
  recoveryCodesAnswer,
  totpRequest,
  totpSetup,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { renewCsrfCookies } from "../../../platform/http/csrf-cookies.ts";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { clientOf } from "../../../platform/http/request-facts.ts";
import type { Platform } from "../../../platform/platform.ts";
import { confirm, startConfirmation } from "./confirmation.ts";
import {
  activateTotp,
  addPasskey,
  listFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  startNewPasskey,
  startTotp,
} from "./second-factors.ts";
import {
  finishWithPasskey,
  finishWithRecoveryCode,
  finishWithTotp,
  startPasskey,
} from "./second-step.ts";
import {
  clearLoginSteps,
  loginStepOf,
  requireSession,
  requireUser,
  setLoginStep,
  setSessionCookies,
  signedInUser,
} from "../session-guard.ts";
import type { LoggedIn } from "../sessions.ts";

export function secondStepRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    const enter = (reply: FastifyReply, { tokens }: LoggedIn): void => {
      setSessionCookies(reply, tokens, platform.clock());
      clearLoginSteps(reply);
      renewCsrfCookies(reply, platform);
    };

    app.post(
      "/api/token/totp/",
      { schema: { body: totpRequest, response: { 200: loginAnswer } } },
      async (request, reply) => {
        const tried = {
          ...request.body,
          token: loginStepOf(request, "password"),
          asker: clientOf(request),
        };
        const result = await finishWithTotp(platform, tried);
        if (!result.ok) return sendProblem(reply, result.error);
        enter(reply, result.value);
        return reply.send({ user: result.value.user });
      },
    );

    app.post(
      "/api/token/recovery-code/",
      { schema: { body: recoveryCodeRequest, response: { 200: loginAnswer } } },
      async (request, reply) => {
        const tried = {
          ...request.body,
          token: loginStepOf(request, "password"),
          asker: clientOf(request),
        };
        const result = await finishWithRecoveryCode(platform, tried);
        if (!result.ok) return sendProblem(reply, result.error);
        enter(reply, result.value);
        return reply.send({ user: result.value.user, recovery_codes_left: result.value.left });
      },
    );

    const kindOf = ({ after_password }: { readonly after_password: boolean }) =>
      after_password ? "password" : "passkey";

    app.post(
      "/api/token/passkey/options/",
      { schema: { body: passkeyOptionsRequest, response: { 200: passkeyOptions } } },
      async (request, reply) => {
        const kind = kindOf(request.body);
        const tried = { token: loginStepOf(request, kind), asker: clientOf(request) };
        const result = await startPasskey(platform, { ...tried, ...request.body });
        if (!result.ok) return sendProblem(reply, result.error);
        if (result.value.token !== null) setLoginStep(reply, kind, result.value.token);
        return reply.send(result.value.options);
      },
    );

    app.post(
      "/api/token/passkey/",
      { schema: { body: passkeyLoginRequest, response: { 200: loginAnswer } } },
      async (request, reply) => {
        const token = loginStepOf(request, kindOf(request.body));
        const browser = loginStepOf(request, "provider");
        const tried = { ...request.body, token, browser, asker: clientOf(request) };
        const result = await finishWithPasskey(platform, tried);
        if (!result.ok) return sendProblem(reply, result.error);
        enter(reply, result.value);
        return reply.send({ user: result.value.user });
      },
    );
  };
}

const FACTORS = "/api/signature/me/factors";
const params = z.strictObject({ id: idSchema });

const CONFIRMATION = "/api/signature/me/confirmation/";

export function confirmationRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.post(
      `${CONFIRMATION}options/`,
      { onRequest, schema: { response: { 200: passkeyOptions } } },
      async (request) => startConfirmation(platform, signedInUser(request)),
    );

    app.post(
      CONFIRMATION,
      { onRequest, schema: { body: confirmationRequest, response: { 200: emptyAnswer } } },
      async (request, reply) => {
        const tried = { user: signedInUser(request), request: request.body };
        return sendResult(reply, await confirm(platform, tried), { present: () => ({}) });
      },
    );
  };
}

export function factorRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireSession(platform);
    const present = (recovery_codes: readonly string[]) => ({ recovery_codes });
    // Codes and secrets are shown once: no cache.
    app.addHook("onSend", async (_request, reply) => {
      reply.header("cache-control", "no-store");
    });

    app.get(
      `${FACTORS}/`,
      { onRequest, schema: { response: { 200: factorList } } },
      async (request, reply) => reply.send(await listFactors(platform, signedInUser(request))),
    );

    app.post(
      `${FACTORS}/totp/setup/`,
      { onRequest, schema: { response: { 200: totpSetup } } },
      async (request, reply) => sendResult(reply, await startTotp(platform, signedInUser(request))),
    );

    app.post(
      `${FACTORS}/totp/`,
      { onRequest, schema: { body: totpRequest, response: { 200: recoveryCodesAnswer } } },
      async (request, reply) => {
        const tried = { user: signedInUser(request), code: request.body.code };
        return sendResult(reply, await activateTotp(platform, tried), { present });
      },
    );

    app.delete(`${FACTORS}/totp/`, { onRequest }, async (request, reply) => {
      const removed = await removeTotp(platform, signedInUser(request));
      return removed.ok ? reply.code(204).send() : sendProblem(reply, removed.error);
    });

    app.post(
      `${FACTORS}/passkeys/options/`,
      { onRequest, schema: { response: { 200: passkeyOptions } } },
      async (request, reply) =>
        sendResult(reply, await startNewPasskey(platform, signedInUser(request))),
    );

    app.post(
      `${FACTORS}/passkeys/`,
      { onRequest, schema: { body: addPasskeyRequest, response: { 200: recoveryCodesAnswer } } },
      async (request, reply) => {
        const added = { user: signedInUser(request), ...request.body };
        return sendResult(reply, await addPasskey(platform, added), { present });
      },
    );

    app.delete(
      `${FACTORS}/passkeys/:id/`,
      { onRequest, schema: { params } },
      async (request, reply) => {
        const removal = { user: signedInUser(request), id: request.params.id };
        const removed = await removePasskey(platform, removal);
        return removed.ok ? reply.code(204).send() : sendProblem(reply, removed.error);
      },
    );

    app.post(
      `${FACTORS}/recovery-codes/`,
      { onRequest, schema: { response: { 200: recoveryCodesAnswer } } },
      async (request, reply) =>
        sendResult(reply, await renewRecoveryCodes(platform, signedInUser(request)), { present }),
    );
  };
}
