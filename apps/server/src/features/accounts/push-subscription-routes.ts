import { emptyAnswer, pushKeyAnswer, pushSubscriptionRequest, pushUnsubscribeRequest } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendResult } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { deletePushEndpoint, subscribeToPush } from "../notices/public.ts";
import { requireUser, signedInUser } from "./session-guard.ts";

const SUBSCRIPTIONS = "/api/signature/me/push-subscriptions/";

/** One's own browsers that subscribed to push messages, contract §3. */
export function pushSubscriptionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    app.get(SUBSCRIPTIONS, { onRequest, schema: { response: { 200: pushKeyAnswer } } }, async (_request, reply) =>
      reply.send({ public_key: Buffer.from(await platform.push.publicKey()).toString("base64url") }),
    );

    const subscribe = { onRequest, schema: { body: pushSubscriptionRequest, response: { 201: emptyAnswer } } };
    app.post(SUBSCRIPTIONS, subscribe, async (request, reply) => {
      const user = signedInUser(request);
      const result = await subscribeToPush(platform, { userId: user.id, sessionId: user.session_id, subscription: request.body });
      return sendResult(reply, result, { status: 201, present: () => ({}) });
    });

    app.delete(SUBSCRIPTIONS, { onRequest, schema: { body: pushUnsubscribeRequest } }, async (request, reply) => {
      await deletePushEndpoint(platform.db, { userId: signedInUser(request).id, endpoint: request.body.endpoint });
      return reply.code(204).send();
    });
  };
}
