import { createdKey, idSchema, keyList, keyRequest } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, signedInUser } from "../session-guard.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";

const KEYS = "/api/signature/me/keys/";

/** No key may call these. */
export function keyRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    // Shown once: no cache.
    app.addHook("onSend", async (_request, reply) => {
      reply.header("cache-control", "no-store");
    });

    app.get(KEYS, { onRequest, schema: { response: { 200: keyList } } }, async (request) => ({
      keys: [...(await listKeys(platform, signedInUser(request)))],
    }));

    app.post(
      KEYS,
      { onRequest, schema: { body: keyRequest, response: { 201: createdKey } } },
      async (request, reply) => {
        const asked = { ...request.body, user: signedInUser(request) };
        return sendResult(reply, await createKey(platform, asked), { status: 201 });
      },
    );

    app.delete(
      `${KEYS}:id/`,
      { onRequest, schema: { params: z.strictObject({ id: idSchema }) } },
      async (request, reply) => {
        const revocation = { user: signedInUser(request), id: request.params.id };
        const revoked = await revokeKey(platform, revocation);
        return revoked.ok ? reply.code(204).send() : sendProblem(reply, revoked.error);
      },
    );
  };
}
