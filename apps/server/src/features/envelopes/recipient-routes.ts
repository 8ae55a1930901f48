import {
  correctRecipientRequest,
  envelopeSchema,
  idSchema,
  knownDomainsAnswer,
  resendRequest,
  type Result,
  suggestionsAnswer,
  suggestionsQuery,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/client-of.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireUser, type SessionUser, signedInUser } from "../accounts/public.ts";
import { correctRecipient } from "./correct-recipient.ts";
import type { EnvelopeAggregate } from "./store.ts";
import { presentToOwner } from "./present-envelope.ts";
import { resendInvitation } from "./reminders.ts";
import { listKnownDomains, suggestRecipients } from "./suggest-recipients.ts";

const RECIPIENT = "/api/signature/envelopes/:id/recipients/:recipientId/";
const params = z.strictObject({ id: idSchema, recipientId: idSchema });
const response = { 200: envelopeSchema };

/** What a sender does about one recipient of an open envelope. */
export function recipientRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    const answer = async (
      request: FastifyRequest,
      reply: FastifyReply,
      result: Result<EnvelopeAggregate>,
    ) =>
      result.ok
        ? reply.send(await presentToOwner(platform, result.value, userOf(request)))
        : sendProblem(reply, result.error);

    app.patch(
      RECIPIENT,
      { onRequest, schema: { params, body: correctRecipientRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await correctRecipient(platform, {
            ...commandOf(request, request.params),
            request: request.body,
          }),
        ),
    );

    app.post(
      `${RECIPIENT}resend/`,
      { onRequest, schema: { params, body: resendRequest, response } },
      async (request, reply) =>
        answer(
          request,
          reply,
          await resendInvitation(platform, {
            ...commandOf(request, request.params),
            channel: request.body.channel,
          }),
        ),
    );
  };
}

function userOf(request: FastifyRequest): SessionUser {
  return request.user as SessionUser;
}

function commandOf(request: FastifyRequest, { id, recipientId }: z.output<typeof params>) {
  return {
    envelopeId: id,
    recipientId,
    actor: { user: userOf(request), client: clientOf(request) },
  };
}

/** Who might be asked again, while a name is typed. */
export function suggestionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    app.get(
      "/api/signature/recipients/suggestions/",
      {
        onRequest: requireUser(platform),
        schema: { querystring: suggestionsQuery, response: { 200: suggestionsAnswer } },
      },
      async (request, reply) => {
        const people = await suggestRecipients(platform, {
          ownerId: signedInUser(request).id,
          search: request.query.search,
        });
        return reply.header("cache-control", "private, no-store").send({
          results: people.map((person) => ({
            full_name: person.fullName,
            email: person.email,
            phone_number: person.phoneNumber,
          })),
        });
      },
    );
    app.get(
      "/api/signature/recipients/domains/",
      { onRequest: requireUser(platform), schema: { response: { 200: knownDomainsAnswer } } },
      async (request, reply) => {
        const results = await listKnownDomains(platform, signedInUser(request).id);
        return reply.header("cache-control", "private, no-store").send({ results: [...results] });
      },
    );
  };
}
