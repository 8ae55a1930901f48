import type { FastifyInstance } from "fastify";
import { PROBLEMS } from "@paraphe/contracts";
import {
  ANSWER_HEADERS,
  type ApiRoute,
  headersOf,
  headersOfRefusal,
  refusalsOf,
} from "../src/platform/http/api-refusals.ts";

/** Gives `204`, `409 invalid_state`, `body`: what the document says of a route. */
function answersOf(route: ApiRoute): ReadonlySet<string> {
  const { body, files, produces = [], reads = [], response = {} } = route.schema;
  const produced = produces.length > 0 ? ["200"] : [];
  const ranges = reads.includes("Range") ? ["206", "416"] : [];
  const statuses = [...Object.keys(response as object), ...produced, ...ranges];
  const successes = statuses.length > 0 ? statuses : ["204"];
  const refusals = refusalsOf(route);
  return new Set([
    ...successes.flatMap((status) => [
      status,
      ...headersOf(route, status).map((name) => `${status} ${name}`),
    ]),
    ...refusals.flatMap((code) => {
      const { status } = PROBLEMS[code];
      const alike = refusals.filter((one) => PROBLEMS[one].status === status);
      return [
        `${status} ${code}`,
        ...headersOfRefusal(status, alike).map((name) => `${status} ${name}`),
      ];
    }),
    ...(body === undefined && files === undefined ? [] : ["body"]),
  ]);
}

/** Notes the answers that the API document lacks: `POST /api/…/ 409 code`. */
export function watchAnswers(app: FastifyInstance): ReadonlySet<string> {
  const undescribed = new Set<string>();
  let known: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  app.addHook("onSend", async (request, reply, payload) => {
    known ??= new Map(
      app.apiRoutes.map((route) => [`${route.method} ${route.pattern}`, answersOf(route)]),
    );
    const route = `${request.method} ${request.routeOptions.url ?? ""}`;
    const answers = known.get(route);
    if (answers === undefined) return payload;
    const isProblem = /problem\+json/.test(String(reply.getHeader("content-type")));
    const { code = "" } =
      isProblem && typeof payload === "string" ? (JSON.parse(payload) as { code?: string }) : {};
    const answer = `${reply.statusCode} ${code}`.trim();
    if (!answers.has(answer)) undescribed.add(`${route} ${answer}`);
    for (const name of Object.keys(ANSWER_HEADERS))
      if (
        reply.hasHeader(name) &&
        (name !== "Idempotency-Replayed" || !isProblem) &&
        !answers.has(`${reply.statusCode} ${name}`)
      )
        undescribed.add(`${route} ${reply.statusCode} ${name}`);
    const { body } = request;
    const isBytes = request.isMultipart() || Buffer.isBuffer(body);
    const hasBody = isBytes || Object.keys(body ?? {}).length > 0;
    // A fuzzer sends bodies where none is read.
    const isFuzzed = /^schemathesis/i.test(request.headers["user-agent"] ?? "");
    if (hasBody && !isFuzzed && !answers.has("body") && reply.statusCode < 300)
      undescribed.add(`${route} reads a body`);
    return payload;
  });
  return undescribed;
}
