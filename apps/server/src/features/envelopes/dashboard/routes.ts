import { dashboardAnswer, dashboardQuery } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, type SessionUser } from "../../accounts/public.ts";
import { readDashboard } from "./read-dashboard.ts";

export function dashboardRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const schema = { querystring: dashboardQuery, response: { 200: dashboardAnswer } };
    app.get(
      "/api/signature/dashboard/",
      { onRequest: requireUser(platform), schema },
      async (request, reply) =>
        reply.send(
          await platform.reads((db) =>
            readDashboard({ ...platform, db }, request.user as SessionUser, request.query),
          ),
        ),
    );
  };
}
