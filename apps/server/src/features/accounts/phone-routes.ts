import { phoneCodeAnswer, phoneVerifyRequest, userAnswer } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendResult } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { sendPhoneCode } from "./send-phone-code.ts";
import { requireUser, signedInUser } from "./session-guard.ts";
import { verifyPhone } from "./verify-phone.ts";

const PHONE = "/api/signature/me/phone";

/** Proving that a profile's number is one's own. */
export function phoneRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.post(`${PHONE}/send-code/`, { onRequest, schema: { response: { 200: phoneCodeAnswer } } }, async (request, reply) =>
      sendResult(reply, await sendPhoneCode(platform, signedInUser(request).id)),
    );

    const verify = { onRequest, schema: { body: phoneVerifyRequest, response: { 200: userAnswer } } };
    app.post(`${PHONE}/verify/`, verify, async (request, reply) => {
      const result = await verifyPhone(platform, { userId: signedInUser(request).id, code: request.body.code });
      return sendResult(reply, result, { present: (user) => ({ user }) });
    });
  };
}
