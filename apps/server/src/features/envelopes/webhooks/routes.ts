import { emptyAnswer, idSchema } from "@paraphe/contracts";
import {
  webhook,
  webhookChange,
  webhookList,
  webhookReplay,
  webhookRequest,
  webhookSecret,
  webhookTries,
  webhookTriesQuery,
} from "@paraphe/contracts/webhooks";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult, visibilityFirst } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listTries,
  listWebhooks,
  removeWebhook,
  replayTry,
  rotateSecret,
  testWebhook,
} from "./webhooks.ts";

const WEBHOOKS = "/api/signature/me/webhooks/";
const ONE = `${WEBHOOKS}:id/`;
const params = z.strictObject({ id: idSchema });
const tryParams = z.strictObject({ id: idSchema, try_id: z.string().check(z.regex(/^\d{1,18}$/)) });

export function webhookRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    // A secret is shown once: no cache keeps it.
    app.addHook("onSend", async (_request, reply) => {
      reply.header("cache-control", "no-store");
    });

    visibilityFirst(scope, (request, id) =>
      findWebhook(platform, { id, user: signedInUser(request) }),
    );

    app.get(WEBHOOKS, { onRequest, schema: { response: { 200: webhookList } } }, (request) =>
      listWebhooks(platform, signedInUser(request)),
    );
    app.post(
      WEBHOOKS,
      { onRequest, schema: { body: webhookRequest, response: { 201: webhookSecret } } },
      async (request, reply) => {
        const asked = { ...request.body, user: signedInUser(request) };
        return sendResult(reply, await createWebhook(platform, asked), { status: 201 });
      },
    );
    app.patch(
      ONE,
      { onRequest, schema: { params, body: webhookChange, response: { 200: webhook } } },
      async (request, reply) => {
        const change = { ...request.body, ...request.params, user: signedInUser(request) };
        return sendResult(reply, await changeWebhook(platform, change));
      },
    );
    app.delete(ONE, { onRequest, schema: { params } }, async (request, reply) => {
      const removed = await removeWebhook(platform, {
        ...request.params,
        user: signedInUser(request),
      });
      return removed.ok ? reply.code(204).send() : sendProblem(reply, removed.error);
    });
    app.post(
      `${ONE}secret/`,
      { onRequest, schema: { params, response: { 200: webhookSecret } } },
      async (request, reply) =>
        sendResult(
          reply,
          await rotateSecret(platform, { ...request.params, user: signedInUser(request) }),
        ),
    );
    app.post(
      `${ONE}test/`,
      { onRequest, schema: { params, response: { 202: emptyAnswer } } },
      async (request, reply) => {
        const sent = await testWebhook(platform, {
          ...request.params,
          user: signedInUser(request),
        });
        return sent.ok ? reply.code(202).send({}) : sendProblem(reply, sent.error);
      },
    );
    app.get(
      `${ONE}tries/`,
      {
        onRequest,
        schema: { params, querystring: webhookTriesQuery, response: { 200: webhookTries } },
      },
      async (request, reply) => {
        const { before = null } = request.query;
        const asked = { ...request.params, before, user: signedInUser(request) };
        return sendResult(reply, await listTries(platform, asked));
      },
    );
    app.post(
      `${ONE}tries/:try_id/replay/`,
      { onRequest, schema: { params: tryParams, response: { 202: webhookReplay } } },
      async (request, reply) => {
        const { id, try_id: tryId } = request.params;
        const replayed = await replayTry(platform, { id, tryId, user: signedInUser(request) });
        return sendResult(reply, replayed, { status: 202 });
      },
    );
  };
}
