import { problem } from "@paraphe/contracts";
import { sql } from "kysely";
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.ts";
import { sendProblem } from "./problem-reply.ts";

/** `GET /api/health/`: 200 once requests can be served, 503 while the database cannot be reached (contract §1). */
export function checkHealth(app: FastifyInstance, platform: Platform): void {
  app.get("/api/health/", async (_request, reply) => {
    try {
      await sql`select 1`.execute(platform.db);
      return { status: "ok" };
    } catch (error) {
      platform.log.error({ error }, "the database cannot be reached");
      return sendProblem(reply, problem("service_unavailable"));
    }
  });
}
