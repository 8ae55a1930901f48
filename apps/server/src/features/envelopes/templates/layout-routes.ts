import { failure, idSchema, type Layout, layoutSchema, layoutsAnswer, problem, saveLayoutRequest, success } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { visibilityFirst } from "../../../platform/http/error-problem.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import { deleteLayouts, type KeptLayout, selectLayouts } from "./layout-store.ts";
import { saveLayout } from "./save-layout.ts";

const LAYOUTS = "/api/signature/layouts/";
const params = z.strictObject({ id: idSchema });

/** One's own layouts. Somebody else's is an unknown one. */
export function layoutRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    visibilityFirst(scope, async (request, id) => {
      const layouts = await selectLayouts(platform.db, signedInUser(request).id);
      return layouts.some((layout) => layout.id === id) ? success(null) : failure(problem("not_found"));
    });

    app.get(LAYOUTS, { onRequest, schema: { response: { 200: layoutsAnswer } } }, async (request, reply) => {
      const layouts = await selectLayouts(platform.db, signedInUser(request).id);
      return reply.send({ count: layouts.length, results: layouts.map(presentLayout) });
    });

    app.post(LAYOUTS, { onRequest, schema: { body: saveLayoutRequest, response: { 201: layoutSchema } } }, async (request, reply) =>
      sendResult(reply, await saveLayout(platform, { ownerId: signedInUser(request).id, request: request.body }), {
        status: 201,
        present: presentLayout,
      }),
    );

    app.delete(`${LAYOUTS}:id/`, { onRequest, schema: { params } }, async (request, reply) => {
      const deleted = await deleteLayouts(platform.db, { ownerId: signedInUser(request).id, id: request.params.id });
      return deleted === 1 ? reply.code(204).send() : sendProblem(reply, failure(problem("not_found")).error);
    });
  };
}

function presentLayout({ id, name, fields, createdAt }: KeptLayout): Layout {
  return { id, name, fields: [...fields], created_at: createdAt.toISOString() };
}
