import type { FastifyInstance } from "fastify";
import { apiRoutesOf, answersOf } from "../src/platform/http/api-document.ts";

/** Notes the answers that the API document lacks: `POST /api/…/ 409 code`. */
export function watchAnswers(app: FastifyInstance): ReadonlySet<string> {
  const undescribed = new Set<string>();
  let known: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  app.addHook("onSend", async (request, reply, payload) => {
    known ??= new Map(
      apiRoutesOf(app).map((route) => [
        `${route.method} ${route.pattern}`,
        new Set([...answersOf(route), ...(route.schema.body ? ["body"] : [])]),
      ]),
    );
    const route = `${request.method} ${request.routeOptions.url ?? ""}`;
    const answers = known.get(route);
    if (answers === undefined) return payload;
    const isProblem = /problem\+json/.test(String(reply.getHeader("content-type")));
    const { code = "" } =
      isProblem && typeof payload === "string" ? (JSON.parse(payload) as { code?: string }) : {};
    const answer = `${reply.statusCode} ${code}`.trim();
    if (!answers.has(answer)) undescribed.add(`${route} ${answer}`);
    const hasBody = request.isMultipart() || Object.keys(request.body ?? {}).length > 0;
    if (hasBody && !answers.has("body") && reply.statusCode < 300)
      undescribed.add(`${route} reads a body`);
    return payload;
  });
  return undescribed;
}
