import {
  type FileRequest,
  MAX_ENVELOPE_SIZE_BYTES,
  type Result,
  changedEnvelopeRequest,
  correctRecipientRequest,
  correctionAnswer,
  correctionQuery,
  countsAnswer,
  deadlineRequest,
  envelopeListAnswer,
  envelopeSchema,
  eventsAnswer,
  eventsQuery,
  extendRequest,
  failure,
  formAnswer,
  idSchema,
  isId,
  listEnvelopesQuery,
  newEnvelopeForm,
  newEnvelopeRequest,
  problem,
  publicPageRequest,
  remindAnswer,
  remindersSchema,
  resendRequest,
  sendEnvelopeRequest,
  success,
  updateEnvelopeRequest,
  dashboardAnswer,
  dashboardQuery,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf, goneSignal } from "../../platform/http/request-facts.ts";
import {
  visibilityFirst,
  sendProblem,
  sendResult,
  parseInput,
} from "../../platform/http/problem-reply.ts";
import { readMultipart } from "../../platform/http/read-multipart.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type SessionUser,
  requireWorkToWrite,
  signedInUser,
  requireScope,
  requireUser,
} from "../accounts/public.ts";
import { changePublicPage, requireOwner } from "./change-envelope.ts";
import { cancelEnvelope, restoreEnvelope } from "./close-envelope.ts";
import { correctRecipient } from "./correct-recipient.ts";
import { createEnvelope, duplicateEnvelope } from "./create-envelope.ts";
import { changeDeadline, extendDeadline } from "./deadlines.ts";
import { checkListedTeam } from "./domain/draft-checks.ts";
import type { Actor } from "./domain/viewer.ts";
import { countEnvelopes, listEnvelopes } from "./list-envelopes.ts";
import { isReturned } from "./domain/envelope.ts";
import { presentTo, presentToOwner } from "./present-envelope.ts";
import { purgeEnvelope } from "./purge-envelope.ts";
import { compareDocument, findForms, listEnvelopeEvents, readEnvelope } from "./read-envelope.ts";
import { changeReminders, remindRecipients, resendInvitation } from "./reminders.ts";
import { prepareSending, sendEnvelope } from "./send-envelope.ts";
import { type EnvelopeAggregate, loadEnvelope, readWholeJson, wholeAsJson } from "./store.ts";
import { updateEnvelope } from "./update-envelope.ts";
import type { UploadedFile } from "../documents/public.ts";
import { openFiles } from "./uploads/uploads.ts";
import { readDashboard } from "./dashboard/read-dashboard.ts";

const ENVELOPES = "/api/signature/envelopes/";
const ENVELOPE = `${ENVELOPES}:id/`;
const params = z.strictObject({ id: idSchema });
const documentParams = z.strictObject({ id: idSchema, document_id: idSchema });
const response = { 200: envelopeSchema };
/** Room for all files in base64, and the rest. */
const JSON_FILES_BYTES = Math.ceil((MAX_ENVELOPE_SIZE_BYTES * 4) / 3) + 2 * 1024 * 1024;
type Own = { readonly result: Result<EnvelopeAggregate>; readonly status?: 200 | 201 };

/** `decline/` is in signing, which serves guests. */
const idOf = ({ params: asked }: FastifyRequest): string => (asked as { id: string }).id;

export function envelopeRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    // Checks ownership before the body: others get `not_allowed`, not `validation`.
    const refuse = visibilityFirst(scope, async (request, id) =>
      requireOwner(await loadEnvelope(platform.db, id), actorOf(request).user),
    );
    const sendOwn = async (
      request: FastifyRequest,
      reply: FastifyReply,
      { result, status = 200 }: Own,
    ) => {
      if (!result.ok) return sendProblem(reply, result.error);
      const { user } = actorOf(request);
      const looking = { viewer: { kind: "owner" }, emailKey: user.email_key } as const;
      const answer = isReturned(result.value.envelope)
        ? presentToOwner(platform, result.value, user)
        : presentTo(platform, result.value, looking);
      return reply.code(status).send(await answer);
    };

    app.get(
      ENVELOPES,
      {
        onRequest,
        schema: { querystring: listEnvelopesQuery, response: { 200: envelopeListAnswer } },
      },
      async (request, reply) => {
        const listed = checkListedTeam(signedInUser(request), request.query.team);
        if (!listed.ok) return sendProblem(reply, listed.error);
        return reply.send(
          await platform.reads((db) =>
            listEnvelopes({ ...platform, db }, actorOf(request), request.query),
          ),
        );
      },
    );

    app.get(
      `${ENVELOPES}counts/`,
      { onRequest, schema: { response: { 200: countsAnswer } } },
      async (request, reply) =>
        reply.send(await platform.reads((db) => countEnvelopes({ db }, actorOf(request)))),
    );

    app.post(
      ENVELOPES,
      {
        onRequest,
        bodyLimit: JSON_FILES_BYTES,
        attachValidation: true,
        schema: {
          consumes: ["application/json", "multipart/form-data"],
          body: newEnvelopeRequest,
          files: { files: "many" },
          response: { 201: envelopeSchema },
        },
      },
      async (request, reply) => {
        const form = request.isMultipart()
          ? await readForm(request, newEnvelopeForm)
          : await withFiles(platform, request, parseInput(newEnvelopeRequest, request.body));
        if (!form.ok) return sendProblem(reply, form.error);
        const { send: sends = false, ...body } = form.value.body;
        const scope = sends ? requireScope(request, "envelopes:send") : success(null);
        if (!scope.ok) return sendProblem(reply, scope.error);
        const actor = waitingActor(request, reply);
        const created = await createEnvelope(platform, {
          actor,
          request: body,
          files: form.value.files,
          ...(sends ? { sends: (draft) => prepareSending(platform, { actor, draft }) } : {}),
        });
        return sendOwn(request, reply, { result: created, status: 201 });
      },
    );

    app.get(ENVELOPE, { onRequest, schema: { params, response } }, async (request, reply) =>
      sendResult(reply, await readEnvelope(platform, commandOf(request, request.params.id))),
    );

    app.get(
      `${ENVELOPE}form/`,
      { onRequest, schema: { params, response: { 200: formAnswer } } },
      async (request, reply) => {
        const command = { envelopeId: request.params.id, actor: waitingActor(request, reply) };
        return sendResult(reply, await findForms(platform, command));
      },
    );

    app.get(
      `${ENVELOPE}documents/:document_id/correction/`,
      {
        onRequest,
        schema: {
          params: documentParams,
          querystring: correctionQuery,
          response: { 200: correctionAnswer },
        },
      },
      async (request, reply) => {
        const command = { envelopeId: request.params.id, actor: waitingActor(request, reply) };
        const compared = {
          ...command,
          documentId: request.params.document_id,
          from: request.query.from,
        };
        return sendResult(
          reply.header("cache-control", "private, no-store"),
          await compareDocument(platform, compared),
        );
      },
    );

    const change = {
      onRequest,
      bodyLimit: JSON_FILES_BYTES,
      attachValidation: true,
      schema: {
        params,
        consumes: ["application/json", "multipart/form-data"],
        reads: ["If-Match" as const],
        body: changedEnvelopeRequest,
        files: { files: "optional" as const },
        response,
      },
    };
    app.patch(ENVELOPE, change, async (request, reply) => {
      if (!isId(request.params.id)) return sendProblem(reply, problem("not_found"));
      const version = readVersion(request.headers["if-match"]);
      if (!version.ok) return refuse(request, reply, version.error);
      const form = request.isMultipart()
        ? await readForm(request, updateEnvelopeRequest)
        : await withFiles(platform, request, parseInput(changedEnvelopeRequest, request.body));
      if (!form.ok) return refuse(request, reply, form.error);
      const command = { envelopeId: request.params.id, actor: waitingActor(request, reply) };
      const { body, files } = form.value;
      const result = await updateEnvelope(platform, {
        ...command,
        version: version.value,
        request: body,
        files,
      });
      return sendOwn(request, reply, { result });
    });

    app.post(
      `${ENVELOPE}send/`,
      {
        onRequest: requireWorkToWrite(platform, (request) => wholeAsJson(idOf(request))),
        schema: { params, reads: ["If-Match"], body: sendEnvelopeRequest, response },
      },
      async (request, reply) => {
        const version = readVersion(request.headers["if-match"]);
        if (!version.ok) return refuse(request, reply, version.error);
        const command = {
          envelopeId: request.params.id,
          actor: waitingActor(request, reply),
          version: version.value,
          message: request.body.message,
          draft: readWholeJson(request.alongside),
        };
        return sendOwn(request, reply, { result: await sendEnvelope(platform, command) });
      },
    );

    app.post(
      `${ENVELOPE}duplicate/`,
      { onRequest, schema: { params, response: { 201: envelopeSchema } } },
      async (request, reply) => {
        const copy = await duplicateEnvelope(platform, {
          envelopeId: request.params.id,
          actor: waitingActor(request, reply),
        });
        return sendOwn(request, reply, { result: copy, status: 201 });
      },
    );

    app.post(
      `${ENVELOPE}cancel/`,
      { onRequest, schema: { params, reads: ["If-Match"], response } },
      async (request, reply) => {
        const version = readVersion(request.headers["if-match"]);
        if (!version.ok) return refuse(request, reply, version.error);
        const command = { ...commandOf(request, request.params.id), version: version.value };
        return sendOwn(request, reply, { result: await cancelEnvelope(platform, command) });
      },
    );

    app.post(
      `${ENVELOPE}restore/`,
      { onRequest, schema: { params, response } },
      async (request, reply) =>
        sendOwn(request, reply, {
          result: await restoreEnvelope(platform, commandOf(request, request.params.id)),
        }),
    );

    app.delete(`${ENVELOPE}purge/`, { onRequest, schema: { params } }, async (request, reply) => {
      const purged = await purgeEnvelope(platform, commandOf(request, request.params.id));
      return purged.ok ? reply.code(204).send() : sendProblem(reply, purged.error);
    });

    app.post(
      `${ENVELOPE}remind/`,
      { onRequest, schema: { params, response: { 200: remindAnswer } } },
      async (request, reply) =>
        sendResult(reply, await remindRecipients(platform, commandOf(request, request.params.id)), {
          present: (emails) => ({ reminded: emails }),
        }),
    );

    await scope.register(adjustRoutes(platform));
    await scope.register(recipientRoutes(platform));

    app.get(
      `${ENVELOPE}events/`,
      { onRequest, schema: { params, querystring: eventsQuery, response: { 200: eventsAnswer } } },
      async (request, reply) =>
        sendResult(
          reply,
          await listEnvelopeEvents(platform, {
            ...commandOf(request, request.params.id),
            page: request.query,
          }),
        ),
    );
  };
}

function answerOwner(platform: Platform) {
  return async (request: FastifyRequest, reply: FastifyReply, result: Result<EnvelopeAggregate>) =>
    result.ok
      ? reply.send(await presentToOwner(platform, result.value, signedInUser(request)))
      : sendProblem(reply, result.error);
}

function actorOf(request: FastifyRequest): Actor {
  return { user: request.user as SessionUser, client: clientOf(request) };
}

/** Queued work is dropped once the person has left. */
function waitingActor(request: FastifyRequest, reply: FastifyReply): Actor {
  return { ...actorOf(request), gone: goneSignal(reply) };
}

function commandOf(request: FastifyRequest, envelopeId: string) {
  return { envelopeId, actor: actorOf(request) };
}

type Form<T> = { readonly body: T; readonly files: readonly UploadedFile[] };

async function readForm<S extends z.ZodMiniType>(
  request: FastifyRequest,
  schema: S,
): Promise<Result<Form<z.output<S>>>> {
  const form = await readMultipart(request);
  if (!form.ok) return form;
  const stray = form.value.files.find((file) => file.field !== "files");
  if (stray)
    return failure(problem("validation", { errors: { [stray.field]: ["Champ inconnu"] } }));
  if (form.value.fields["files"] !== undefined)
    return failure(
      problem("validation", { errors: { files: ["Un fichier porte un nom (filename)"] } }),
    );
  const fields = readEnvelopeForm(form.value.fields);
  if (!fields.ok) return fields;
  const body = parseInput(schema, fields.value);
  return body.ok ? success({ body: body.value, files: form.value.files }) : body;
}

/** Errors: those of `openFiles`. */
async function withFiles<T extends { readonly files?: readonly FileRequest[] | undefined }>(
  platform: Platform,
  request: FastifyRequest,
  parsed: Result<T>,
): Promise<Result<Form<Omit<T, "files">>>> {
  if (!parsed.ok) return parsed;
  const { files: named = [], ...body } = parsed.value;
  const files = await openFiles(platform, {
    actor: actorOf(request),
    files: named,
    hasRoom: (bytes) => request.bodyRoom?.take(bytes) !== false,
  });
  return files.ok ? success({ body, files: files.value }) : files;
}

/** Tolerates a weak tag, or none; null: absent or `*`. Source: RFC 9110 §13.1.1. */
function readVersion(header: string | undefined): Result<number | null> {
  if (header === undefined || header.trim() === "*") return success(null);
  const [, tag, bare] = /^\s*(?:(?:W\/)?"(\d{1,15})"|(\d{1,15}))\s*$/.exec(header) ?? [];
  const version = tag ?? bare;
  if (version !== undefined) return success(Number(version));
  const wanted = 'La «\u00a0version\u00a0» lue, entre guillemets ("3"), ou *';
  return failure(problem("validation", { errors: { "If-Match": [wanted] } }));
}

function adjustRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const answer = answerOwner(platform);

    app.post(
      `${ENVELOPE}extend/`,
      { onRequest, schema: { params, body: extendRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await extendDeadline(platform, {
            ...commandOf(request, request.params.id),
            deadlineAt: dateOf(request.body.deadline_at ?? null),
          }),
        ),
    );

    app.put(
      `${ENVELOPE}deadline/`,
      { onRequest, schema: { params, body: deadlineRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await changeDeadline(platform, {
            ...commandOf(request, request.params.id),
            deadlineAt: dateOf(request.body.deadline_at),
          }),
        ),
    );

    app.put(
      `${ENVELOPE}reminders/`,
      { onRequest, schema: { params, body: remindersSchema, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await changeReminders(platform, {
            ...commandOf(request, request.params.id),
            everyDays: request.body.every_days,
          }),
        ),
    );

    app.put(
      `${ENVELOPE}public-page/`,
      { onRequest, schema: { params, body: publicPageRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await changePublicPage(platform, {
            ...commandOf(request, request.params.id),
            proofOnly: request.body.proof_only,
          }),
        ),
    );
  };
}

function dateOf(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}

const RECIPIENT = `${ENVELOPE}recipients/:recipientId/`;
const recipientParams = z.strictObject({ id: idSchema, recipientId: idSchema });

function recipientRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    const answer = answerOwner(platform);

    app.patch(
      RECIPIENT,
      { onRequest, schema: { params: recipientParams, body: correctRecipientRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await correctRecipient(platform, {
            ...commandOf(request, request.params.id),
            recipientId: request.params.recipientId,
            request: request.body,
          }),
        ),
    );

    app.post(
      `${RECIPIENT}resend/`,
      { onRequest, schema: { params: recipientParams, body: resendRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await resendInvitation(platform, {
            ...commandOf(request, request.params.id),
            recipientId: request.params.recipientId,
            channel: request.body.channel,
          }),
        ),
    );
  };
}

const JSON_FIELDS = new Set([
  "recipients",
  "fields",
  "remove_documents",
  "order",
  "accept_normalised",
  "use_forms",
  "document_names",
  "reminders",
  "proof_only",
  "send",
]);

/** Forms have no `null`: an empty text clears these. */
const CLEARABLE = new Set(["message", "deadline_at", "document_kind"]);

/** Errors: `validation` unless JSON. */
function readEnvelopeForm(
  fields: Readonly<Record<string, string>>,
): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    if (!JSON_FIELDS.has(name)) {
      body[name] = CLEARABLE.has(name) && text.trim() === "" ? null : text;
      continue;
    }
    const value = parseJson(text);
    if (value === undefined)
      return failure(problem("validation", { errors: { [name]: ["Du JSON est attendu"] } }));
    body[name] = value;
  }
  return success(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === "__proto__") throw new SyntaxError("A key that would reach a prototype");
      return value;
    });
  } catch {
    return undefined;
  }
}

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
