import { createHash } from "node:crypto";
import { toBase64Url } from "@paraphe/kernel/bytes";
import {
  failure,
  idSchema,
  isId,
  problem,
  type Result,
  SIGNATURE_TOKEN_HEADER,
  success,
} from "@paraphe/contracts";
import {
  EMBED_MINUTES,
  type EmbedAnswer,
  type EmbedRequest,
  embedAnswer,
  embedRequest,
  type OpenedEmbed,
  openedEmbed,
} from "@paraphe/contracts/programs/embed";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { Reader } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { insertionOf, writeTogether } from "../../platform/database/write-together.ts";
import { clientOf } from "../../platform/http/request-facts.ts";
import { describeGuard } from "../../platform/http/request-guard.ts";
import { sendProblem, sendResult, visibilityFirst } from "../../platform/http/problem-reply.ts";
import { pagePolicy } from "../../platform/http/serve-client.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireWorkToWrite, selectOrigins, signedInUser } from "../accounts/public.ts";
import {
  type Actor,
  auditActor,
  changeEnvelope,
  drawTokens,
  EMBEDDED,
  insertTokens,
  loadEnvelope,
  openRecipient,
  requireOwner,
  selectConsenting,
} from "../envelopes/public.ts";

const TICKET_BYTES = 32;
const NOT_A_SITE = "Ce site ne figure pas parmi ceux de la clé";

type Embedding = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly actor: Actor;
  /** Undefined for a person: no site shows their page. */
  readonly keyId: string | undefined;
  readonly request: EmbedRequest;
};

/**
 * Gives an address that one of the key's sites shows in a frame, once, within ten minutes.
 * Errors: `validation` for a site that the key lacks; those of `changeEnvelope` and `openRecipient`.
 */
async function createEmbedding(
  platform: Platform,
  { envelopeId, recipientId, actor, keyId, request }: Embedding,
): Promise<Result<EmbedAnswer>> {
  const { origin, return_url = null } = request;
  const ticket = toBase64Url(platform.random(TICKET_BYTES));
  const now = platform.clock();
  const expiresAt = new Date(now.getTime() + EMBED_MINUTES * 60_000);
  const command = { envelopeId, actor };
  const changed = await changeEnvelope(
    platform,
    { command, action: "remind" },
    async (trx, aggregate) => {
      const consenting = await selectConsenting(trx, envelopeId);
      const open = openRecipient(aggregate, { recipientId, now, consenting });
      if (!open.ok) return open;
      const sites = keyId === undefined ? [] : await selectOrigins(trx, keyId);
      if (!sites.includes(origin))
        return failure(problem("validation", { errors: { origin: [NOT_A_SITE] } }));
      const row = {
        ticket_sha256: sha256(ticket),
        recipient_id: recipientId,
        origin,
        return_url,
        expires_at: expiresAt,
      };
      return success({
        writes: [insertionOf({ into: "embeddings" }, [row])],
        events: [
          {
            envelopeId,
            action: "recipient_embedded" as const,
            actor: auditActor(actor),
            detail: { recipient: recipientId, origin },
          },
        ],
      });
    },
  );
  if (!changed.ok) return changed;
  const url = `${platform.settings.publicUrl}/sign/${envelopeId}/embed/${ticket}`;
  return success({ url, expires_at: expiresAt.toISOString() });
}

type Opening = { readonly envelopeId: string; readonly ticket: string };

/** Spends the address for a link's token. Errors: `embed_over`. */
async function openEmbedding(
  platform: Platform,
  { envelopeId, ticket }: Opening,
): Promise<Result<OpenedEmbed>> {
  const now = platform.clock();
  return inTransaction<Result<OpenedEmbed>>(platform.db, async (trx) => {
    const { rows } = await sql<{ recipient: string; origin: string; return_url: string | null }>`
      update embeddings m set opened_at = ${now}::timestamptz from recipients r
      where m.ticket_sha256 = ${sha256(ticket)} and m.opened_at is null and m.expires_at > ${now}::timestamptz
        and r.id = m.recipient_id and r.envelope_id = ${envelopeId}::uuid
      returning r.id as recipient, m.origin, m.return_url
    `.execute(trx);
    const [opened] = rows;
    if (opened === undefined) return failure(problem("embed_over"));
    const tokens = drawTokens(platform, [opened.recipient], EMBEDDED);
    await writeTogether(trx, [insertTokens(tokens, now)]);
    const { origin, return_url } = opened;
    return success({ token: tokens[0]?.token ?? "", origin, return_url });
  });
}

/** Also of a spent address; null for an unknown one. */
async function selectOrigin(
  reader: Reader,
  { envelopeId, ticket }: Opening,
): Promise<string | null> {
  const { rows } = await sql<{ origin: string }>`
    select m.origin from embeddings m join recipients r on r.id = m.recipient_id
    where m.ticket_sha256 = ${sha256(ticket)} and r.envelope_id = ${envelopeId}::uuid
  `.execute(reader);
  return rows[0]?.origin ?? null;
}

const sha256 = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());

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
function requireTicket({ db }: Platform) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const { id: envelopeId } = request.params as { id: string };
      const isKnown =
        isId(envelopeId) &&
        (await selectOrigin(db, { envelopeId, ticket: ticketOf(request) })) !== null;
      return isKnown ? undefined : sendProblem(reply, problem("not_found"));
    },
    { by: "link", refuses: ["not_found", "embed_over"] },
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
    scope.get("/sign/:id/embed/:ticket", async (request, reply) => {
      const { id, ticket } = request.params as { id: string; ticket: string };
      const origin = isId(id) ? await selectOrigin(platform.db, { envelopeId: id, ticket }) : null;
      if (origin !== null) reply.header("content-security-policy", pagePolicy(origin));
      return reply.callNotFound();
    });
  };
}
