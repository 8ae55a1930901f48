import {
  idSchema,
  mailingLineSchema,
  mailingPlanRequest,
  mailingReportQuery,
  mailingRequest,
  mailingRowRequest,
  mailingRowsAnswer,
  mailingRowSchema,
  mailingRowsQuery,
  mailingsAnswer,
  mailingSchema,
  mailingsQuery,
  MAX_MAILING_SIZE_BYTES,
  startMailingRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../../platform/http/request-facts.ts";
import { sendProblem, sendResult, visibilityFirst } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import {
  beginMailing,
  changeRow,
  forgetMailing,
  listMailings,
  listRows,
  planMailing,
  prepareMailing,
  readMailing,
  reportMailing,
  stopMailing,
} from "./mailings.ts";

const MAILINGS = "/api/signature/mailings/";
const MAILING = `${MAILINGS}:id/`;
const params = z.strictObject({ id: idSchema });
const rowParams = z.strictObject({ id: idSchema, line: mailingLineSchema });
const one = { 200: mailingSchema };
/** A file above its limit is refused by its own sentence. */
const BODY_BYTES = 2 * MAX_MAILING_SIZE_BYTES;

/** Another's mailing is unknown. */
export function mailingRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    visibilityFirst(scope, (request, id) => readMailing(platform, own(request, id)));

    const list = { querystring: mailingsQuery, response: { 200: mailingsAnswer } };
    app.get(MAILINGS, { onRequest, schema: list }, async (request, reply) =>
      reply.send(await listMailings(platform, { user: signedInUser(request), ...request.query })),
    );

    const made = { body: mailingRequest, response: { 201: mailingSchema } };
    app.post(
      MAILINGS,
      { onRequest, bodyLimit: BODY_BYTES, schema: made },
      async (request, reply) => {
        const asked = { user: signedInUser(request), request: request.body };
        return sendResult(reply, await prepareMailing(platform, asked), { status: 201 });
      },
    );

    app.get(MAILING, { onRequest, schema: { params, response: one } }, async (request, reply) =>
      sendResult(reply, await readMailing(platform, own(request, request.params.id))),
    );

    app.delete(MAILING, { onRequest, schema: { params } }, async (request, reply) => {
      const forgotten = await forgetMailing(platform, own(request, request.params.id));
      return forgotten.ok ? reply.code(204).send() : sendProblem(reply, forgotten.error);
    });

    const plan = { params, body: mailingPlanRequest, response: one };
    app.put(`${MAILING}plan/`, { onRequest, schema: plan }, async (request, reply) => {
      const asked = { ...own(request, request.params.id), request: request.body };
      return sendResult(reply, await planMailing(platform, asked));
    });

    const start = { params, body: startMailingRequest, response: { 202: mailingSchema } };
    app.post(`${MAILING}start/`, { onRequest, schema: start }, async (request, reply) => {
      const actor = { user: signedInUser(request), client: clientOf(request) };
      const asked = { id: request.params.id, actor, retry: request.body.retry };
      return sendResult(reply, await beginMailing(platform, asked), { status: 202 });
    });

    app.post(
      `${MAILING}stop/`,
      { onRequest, schema: { params, response: one } },
      async (request, reply) =>
        sendResult(reply, await stopMailing(platform, own(request, request.params.id))),
    );

    await scope.register(rowRoutes(platform));
  };
}

function rowRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);

    const rows = { params, querystring: mailingRowsQuery, response: { 200: mailingRowsAnswer } };
    app.get(`${MAILING}rows/`, { onRequest, schema: rows }, async (request, reply) => {
      const asked = { ...own(request, request.params.id), ...request.query };
      return sendResult(reply, await listRows(platform, asked));
    });

    const row = { params: rowParams, body: mailingRowRequest, response: { 200: mailingRowSchema } };
    app.patch(`${MAILING}rows/:line/`, { onRequest, schema: row }, async (request, reply) => {
      const { id, line } = request.params;
      const asked = { ...own(request, id), line, request: request.body };
      return sendResult(reply, await changeRow(platform, asked));
    });

    const report = { params, querystring: mailingReportQuery, produces: ["text/csv"] };
    app.get(`${MAILING}report/`, { onRequest, schema: report }, async (request, reply) => {
      const { only } = request.query;
      const made = await reportMailing(platform, { ...own(request, request.params.id), only });
      if (!made.ok) return sendProblem(reply, made.error);
      const name = only === undefined ? "rapport.csv" : "lignes-a-revoir.csv";
      return reply
        .header("cache-control", "private, no-store")
        .type("text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}"`)
        .send(made.value);
    });
  };
}

function own(request: FastifyRequest, id: string) {
  return { id, user: signedInUser(request) };
}
