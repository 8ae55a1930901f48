import type { FastifyInstance, FastifyRequest } from "fastify";
import { type OpenSpan, openSpan } from "../traces/spans.ts";

/** Makes a span of each call, under its route's pattern: an address may hold a token. Source: OpenTelemetry's conventions for HTTP. */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { method, headers } = request;
    const traceparent = typeof headers.traceparent === "string" ? headers.traceparent : undefined;
    const span = openSpan({ name: method, kind: "server", attributes: { "http.request.method": method } }, traceparent);
    if (span === null) return done();
    spans.set(request, span);
    span.within(done);
  });
  // A body is read by events of its connection, which is in no request's place.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "";
    spans.get(request)?.end({
      name: `${request.method} ${route}`.trim(),
      attributes: { "http.route": route, "http.response.status_code": reply.statusCode },
      hasFailed: reply.statusCode >= 500,
    });
  });
}
