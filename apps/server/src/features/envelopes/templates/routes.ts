import {
  envelopeSchema,
  failure,
  idSchema,
  type Layout,
  layoutsAnswer,
  layoutSchema,
  mailingLineSchema,
  mailingPlanRequest,
  mailingPreview,
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
  problem,
  renameTemplateRequest,
  saveLayoutRequest,
  saveTemplateRequest,
  startMailingRequest,
  success,
  templatesAnswer,
  templateSchema,
  useTemplateRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf, goneSignal } from "../../../platform/http/request-facts.ts";
import { visibilityFirst, sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import { holdersOf } from "../../organisations/public.ts";
import { presentTo } from "../present-envelope.ts";
import {
  beginMailing,
  changeRow,
  forgetMailing,
  listMailings,
  listRows,
  planMailing,
  prepareMailing,
  previewRow,
  readMailing,
  reportMailing,
  stopMailing,
} from "./mailings.ts";
import {
  deleteLayouts,
  type StoredLayout,
  selectLayouts,
  selectTemplate,
  selectTemplates,
} from "./store.ts";
import {
  deleteTemplate,
  presentTemplate,
  readTemplateFile,
  renameTemplate,
  saveLayout,
  saveTemplate,
  useTemplate,
} from "./templates.ts";

const LAYOUTS = "/api/signature/layouts/";
const params = z.strictObject({ id: idSchema });

function layoutRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    visibilityFirst(scope, async (request, id) => {
      const layouts = await selectLayouts(platform.db, holdersOf(signedInUser(request)));
      return layouts.some((layout) => layout.id === id)
        ? success(null)
        : failure(problem("not_found"));
    });

    app.get(
      LAYOUTS,
      { onRequest, schema: { response: { 200: layoutsAnswer } } },
      async (request, reply) => {
        const layouts = await selectLayouts(platform.db, holdersOf(signedInUser(request)));
        return reply.send({ count: layouts.length, results: layouts.map(presentLayout) });
      },
    );

    app.post(
      LAYOUTS,
      { onRequest, schema: { body: saveLayoutRequest, response: { 201: layoutSchema } } },
      async (request, reply) =>
        sendResult(
          reply,
          await saveLayout(platform, { user: signedInUser(request), request: request.body }),
          {
            status: 201,
            present: presentLayout,
          },
        ),
    );

    app.delete(`${LAYOUTS}:id/`, { onRequest, schema: { params } }, async (request, reply) => {
      const deleted = await deleteLayouts(platform.db, own(request, request.params.id));
      return deleted === 1
        ? reply.code(204).send()
        : sendProblem(reply, failure(problem("not_found")).error);
    });
  };
}

function presentLayout({ id, name, team, fields, createdAt }: StoredLayout): Layout {
  const shown = { id, name, fields: [...fields], created_at: createdAt.toISOString() };
  return team === null ? shown : { ...shown, team };
}

const TEMPLATES = "/api/signature/templates/";
const TEMPLATE = `${TEMPLATES}:id/`;

export function templateRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const one = { 200: templateSchema };
    await scope.register(layoutRoutes(platform));
    await scope.register(mailingRoutes(platform));
    const find = async (request: FastifyRequest, id: string) => {
      const template = await selectTemplate(platform.db, own(request, id));
      return template === null ? failure(problem("not_found")) : success(template);
    };
    visibilityFirst(scope, find);

    app.get(
      TEMPLATES,
      { onRequest, schema: { response: { 200: templatesAnswer } } },
      async (request, reply) => {
        const templates = await platform.reads((db) =>
          selectTemplates(db, holdersOf(signedInUser(request))),
        );
        return reply.send({ count: templates.length, results: templates.map(presentTemplate) });
      },
    );

    app.post(
      TEMPLATES,
      { onRequest, schema: { body: saveTemplateRequest, response: { 201: templateSchema } } },
      async (request, reply) =>
        sendResult(
          reply,
          await saveTemplate(platform, { user: signedInUser(request), request: request.body }),
          {
            status: 201,
            present: presentTemplate,
          },
        ),
    );

    app.get(TEMPLATE, { onRequest, schema: { params, response: one } }, async (request, reply) =>
      sendResult(reply, await find(request, request.params.id), { present: presentTemplate }),
    );

    app.patch(
      TEMPLATE,
      { onRequest, schema: { params, body: renameTemplateRequest, response: one } },
      async (request, reply) =>
        sendResult(
          reply,
          await renameTemplate(platform, {
            ...own(request, request.params.id),
            name: request.body.name,
          }),
          {
            present: presentTemplate,
          },
        ),
    );

    app.delete(TEMPLATE, { onRequest, schema: { params } }, async (request, reply) => {
      const deleted = await deleteTemplate(platform, own(request, request.params.id));
      return deleted.ok ? reply.code(204).send() : sendProblem(reply, deleted.error);
    });

    const file = { params: fileParams, produces: ["application/pdf"] };
    app.get(
      `${TEMPLATE}documents/:position/file/`,
      { onRequest, schema: file },
      async (request, reply) => {
        const { id, position } = request.params;
        const read = await readTemplateFile(platform, {
          ...own(request, id),
          position: Number(position),
        });
        if (!read.ok) return sendProblem(reply, read.error);
        const { name, bytes } = read.value;
        return reply
          .type("application/pdf")
          .header("content-disposition", `inline; filename="${name}"`)
          .send(Buffer.from(bytes));
      },
    );

    app.post(
      `${TEMPLATE}use/`,
      {
        onRequest,
        schema: { params, body: useTemplateRequest, response: { 201: envelopeSchema } },
      },
      async (request, reply) => {
        const actor = actorOf(request, reply);
        const made = await useTemplate(platform, {
          id: request.params.id,
          actor,
          request: request.body,
        });
        if (!made.ok) return sendProblem(reply, made.error);
        return reply.code(201).send(
          await presentTo(platform, made.value, {
            viewer: { kind: "owner" },
            emailKey: actor.user.email_key,
          }),
        );
      },
    );
  };
}

const fileParams = z.strictObject({
  id: idSchema,
  position: z.string().check(z.regex(/^\d{1,2}$/, "Nombre entier")),
});

function own(request: FastifyRequest, id: string) {
  return { id, holders: holdersOf(signedInUser(request)) };
}

function actorOf(request: FastifyRequest, reply: FastifyReply) {
  return { user: signedInUser(request), client: clientOf(request), gone: goneSignal(reply) };
}

const MAILINGS = "/api/signature/mailings/";
const MAILING = `${MAILINGS}:id/`;
const rowParams = z.strictObject({ id: idSchema, line: mailingLineSchema });
/** A file above its limit is refused by its own sentence. */
const BODY_BYTES = 2 * MAX_MAILING_SIZE_BYTES;

function mailingRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    visibilityFirst(scope, (request, id) => readMailing(platform, ownMailing(request, id)));

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

    app.get(
      MAILING,
      { onRequest, schema: { params, response: { 200: mailingSchema } } },
      async (request, reply) =>
        sendResult(reply, await readMailing(platform, ownMailing(request, request.params.id))),
    );

    app.delete(MAILING, { onRequest, schema: { params } }, async (request, reply) => {
      const forgotten = await forgetMailing(platform, ownMailing(request, request.params.id));
      return forgotten.ok ? reply.code(204).send() : sendProblem(reply, forgotten.error);
    });

    const plan = { params, body: mailingPlanRequest, response: { 200: mailingSchema } };
    app.put(`${MAILING}plan/`, { onRequest, schema: plan }, async (request, reply) => {
      const asked = { ...ownMailing(request, request.params.id), request: request.body };
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
      { onRequest, schema: { params, response: { 200: mailingSchema } } },
      async (request, reply) =>
        sendResult(reply, await stopMailing(platform, ownMailing(request, request.params.id))),
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
      const asked = { ...ownMailing(request, request.params.id), ...request.query };
      return sendResult(reply, await listRows(platform, asked));
    });

    const one = { params: rowParams, response: { 200: mailingPreview } };
    app.get(`${MAILING}rows/:line/preview/`, { onRequest, schema: one }, async (request, reply) => {
      const { id, line } = request.params;
      return sendResult(reply, await previewRow(platform, { ...ownMailing(request, id), line }));
    });

    const row = { params: rowParams, body: mailingRowRequest, response: { 200: mailingRowSchema } };
    app.patch(`${MAILING}rows/:line/`, { onRequest, schema: row }, async (request, reply) => {
      const { id, line } = request.params;
      const asked = { ...ownMailing(request, id), line, request: request.body };
      return sendResult(reply, await changeRow(platform, asked));
    });

    const report = { params, querystring: mailingReportQuery, produces: ["text/csv"] };
    app.get(`${MAILING}report/`, { onRequest, schema: report }, async (request, reply) => {
      const { only } = request.query;
      const made = await reportMailing(platform, {
        ...ownMailing(request, request.params.id),
        only,
      });
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

function ownMailing(request: FastifyRequest, id: string) {
  return { id, user: signedInUser(request) };
}
