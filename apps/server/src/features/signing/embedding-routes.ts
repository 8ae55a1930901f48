import { idSchema, problem, SIGNATURE_TOKEN_HEADER } from "@paraphe/contracts";
import { embedAnswer, embedRequest, openedEmbed } from "@paraphe/contracts/programs/embed";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult, visibilityFirst } from "../../platform/http/problem-reply.ts";
import { clientOf } from "../../platform/http/request-facts.ts";
import { describeGuard } from "../../platform/http/request-guard.ts";
import { pagePolicy } from "../../platform/http/serve-client.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireWorkToWrite, signedInUser } from "../accounts/public.ts";
import { loadEnvelope, requireOwner } from "../envelopes/public.ts";
import { createEmbedding, openEmbedding, siteOf } from "./embedding.ts";

const params = z.strictObject({ id: idSchema, recipientId: idSchema });

function keyRoute(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    visibilityFirst(scope, async (request, id) =>
      requireOwner(await loadEnvelope(platform.db, id), signedInUser(request)),
    );
    app.post(
      "/api/signature/envelopes/:id/recipients/:recipientId/embed/",
      {
        onRequest: requireWorkToWrite(platform),
        schema: { params, body: embedRequest, response: { 201: embedAnswer } },
      },
      async (request, reply) => {
        const user = signedInUser(request);
        const created = await createEmbedding(platform, {
          envelopeId: request.params.id,
          recipientId: request.params.recipientId,
          actor: { user, client: clientOf(request) },
          keyId: user.key_id,
          request: request.body,
        });
        return sendResult(reply, created, { status: 201 });
      },
    );
  };
}

const ticketOf = ({ headers }: FastifyRequest) => String(headers[SIGNATURE_TOKEN_HEADER] ?? "");

/** 404 before the body is read (contract §4). */
function requireTicket(platform: Platform) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const { id: envelopeId } = request.params as { id: string };
      const site = await siteOf(platform, { envelopeId, ticket: ticketOf(request) });
      return site !== null ? undefined : sendProblem(reply, problem("not_found"));
    },
    { by: "link", refuses: ["not_found", "embed_over", "not_your_turn"] },
  );
}

/** The key's call, the frame's page, and that page's first call. */
export function embeddingRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    await scope.register(keyRoute(platform));
    app.post(
      "/api/signature/envelopes/:id/open-embed/",
      {
        onRequest: requireTicket(platform),
        schema: { params: z.strictObject({ id: idSchema }), response: { 200: openedEmbed } },
      },
      async (request, reply) => {
        const ticket = ticketOf(request);
        const opened = await openEmbedding(platform, { envelopeId: request.params.id, ticket });
        return sendResult(reply.header("cache-control", "no-store"), opened);
      },
    );
    // For a frame of that site alone (CSP Level 3, `frame-ancestors`).
    for (const end of ["", "/*"])
      scope.get(`/sign/:id/embed/:ticket${end}`, async (request, reply) => {
        const { id, ticket } = request.params as { id: string; ticket: string };
        const site = await siteOf(platform, { envelopeId: id, ticket });
        if (site !== null) reply.header("content-security-policy", pagePolicy(site));
        return reply.callNotFound();
      });
  };
}
