import { addressChangeRequest, addressConfirmRequest, detailAnswer, userAnswer } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendResult } from "../../platform/http/problem-reply.ts";
import type { AccountDeps } from "./account-deps.ts";
import { confirmAddress } from "./confirm-address.ts";
import { requestAddressChange } from "./request-address-change.ts";
import { clearSessionCookies } from "./session-cookies-guard.ts";
import { requireUser, signedInUser } from "./session-guard.ts";

const EMAIL = "/api/signature/me/email";
const ASKED = "Si cette adresse peut être la vôtre, un lien de confirmation y a été envoyé. Il est valable 24\u00a0heures.";

/** Changing the address of one's account. */
export function addressRoutes(deps: AccountDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    const ask = { onRequest, schema: { body: addressChangeRequest, response: { 202: detailAnswer } } };
    app.post(`${EMAIL}/`, ask, async (request, reply) => {
      const result = await requestAddressChange(deps, { user: signedInUser(request), ...request.body });
      if (!result.ok && (result.error.code === "session_expired" || result.error.code === "wrong_passwords")) clearSessionCookies(reply);
      return sendResult(reply, result, { status: 202, present: () => ({ detail: ASKED }) });
    });

    const confirm = { onRequest, schema: { body: addressConfirmRequest, response: { 200: userAnswer } } };
    app.post(`${EMAIL}/confirm/`, confirm, async (request, reply) => {
      const result = await confirmAddress(platform, { userId: signedInUser(request).id, token: request.body.token });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });
  };
}
