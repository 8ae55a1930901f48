import {
  deadlineRequest,
  envelopeSchema,
  extendRequest,
  idSchema,
  publicPageRequest,
  remindersSchema,
  type Result,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/client-of.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import { changePublicPage } from "./change-envelope.ts";
import { changeReminders } from "./reminders.ts";
import { changeDeadline, extendDeadline } from "./deadlines.ts";
import type { EnvelopeAggregate } from "./store.ts";
import { presentToOwner } from "./present-envelope.ts";

const ENVELOPE = "/api/signature/envelopes/:id/";
const params = z.strictObject({ id: idSchema });
const response = { 200: envelopeSchema };

/** What a sender settles anew of an envelope that was sent: its deadline, its automatic reminders, and what the public page shows. */
export function adjustRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    const answer = async (
      request: FastifyRequest,
      reply: FastifyReply,
      result: Result<EnvelopeAggregate>,
    ) =>
      result.ok
        ? reply.send(await presentToOwner(platform, result.value, signedInUser(request)))
        : sendProblem(reply, result.error);

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

function commandOf(request: FastifyRequest, envelopeId: string) {
  return { envelopeId, actor: { user: signedInUser(request), client: clientOf(request) } };
}
