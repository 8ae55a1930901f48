import {
  PROOF_SCHEMA_PATH,
  type Result,
  failure,
  generatePrintRequest,
  listPrintsQuery,
  listSignaturesQuery,
  printListAnswer,
  printQuery,
  printSchema,
  problem,
  proofFileSchema,
  proofSchema,
  signatureListAnswer,
  success,
  idSchema,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { networkOf } from "../../../platform/addresses.ts";
import { serialByKey } from "../../../platform/concurrency.ts";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { clientOf, goneSignal } from "../../../platform/http/request-facts.ts";
import { limitCalls } from "../../../platform/http/request-guard.ts";
import { optionalUser, requireUser, signedInUser } from "../../accounts/public.ts";
import { selfOf } from "../../organisations/public.ts";
import { createPublicProofs } from "./kept-proofs.ts";
import { listSignatures } from "./build-proof.ts";
import { makePrintable } from "./make-printable.ts";
import {
  type WantedDocument,
  generatePrint,
  openPrint,
  openPrintedDocument,
  presentPrint,
} from "./open-print.ts";
import { createProofCache } from "./seal-proof.ts";
import type { PrintDeps } from "./read-record.ts";
import { type PrintRow, listPrintRows } from "./store.ts";
import type { SealingDeps } from "../../signing/public.ts";
import { makeEvidence } from "../evidence/make-evidence.ts";

const CACHE = "public, max-age=86400";

/** A published format never changes. Source: JSON Schema 2020-12. */
export function proofSchemaRoutes({ publicUrl }: { readonly publicUrl: string }) {
  return async (app: FastifyInstance): Promise<void> => {
    const title = "preuve.json";
    const schema = {
      ...z.toJSONSchema(proofFileSchema),
      $id: `${publicUrl}${PROOF_SCHEMA_PATH}`,
      title,
    };
    const body = JSON.stringify(schema, null, 2);
    app.get(PROOF_SCHEMA_PATH, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type("application/schema+json; charset=utf-8")
        .headers({ "cache-control": CACHE, "cross-origin-resource-policy": "cross-origin" })
        .send(body),
    );
  };
}

export function signatureRoutes(deps: PrintDeps) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const options = {
      onRequest: requireUser(deps.platform),
      schema: { querystring: listSignaturesQuery, response: { 200: signatureListAnswer } },
    };
    app.get("/api/signature/signatures/", options, async (request, reply) => {
      const result = await listSignatures(deps, {
        envelopeId: request.query.envelope,
        user: signedInUser(request),
      });
      return sendResult(reply.header("cache-control", "no-store"), result, {
        present: (results) => ({
          count: results.length,
          page: 1,
          page_size: Math.max(1, results.length),
          results,
        }),
      });
    });
  };
}

const PRINTS = "/api/signature/prints";
/** Malformed and unknown prints get the same answer. */
const params = z.strictObject({ id: z.string().check(z.maxLength(100)) });
/** Counts by address, as sources are read anew (security line 56). */
const PUBLIC_CALLS = { kind: "print", perMinute: 60 };
const SIGNED_NAME = "document_signe.pdf";

/** Also serves each one's public proof (contract §6). */
export function printRoutes(deps: PrintDeps) {
  const { platform } = deps;
  const publicProof = createPublicProofs();
  const proofText = createProofCache();
  const turns = createPublicTurns(deps);
  const inTurn = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (asked: PrintDeps) => Promise<FastifyReply>,
  ) => {
    const done = await turns(
      { key: request.user?.id ?? networkOf(request.ip), gone: goneSignal(reply) },
      work,
    );
    return done.ok ? done.value : sendProblem(reply, done.error);
  };
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    // Crawlers neither index nor cache a leaked address.
    app.addHook(
      "onRequest",
      async (_request, reply) => void reply.header("x-robots-tag", "noindex"),
    );
    const onRequest = requireUser(platform);

    app.post(
      `${PRINTS}/generate/`,
      { onRequest, schema: { body: generatePrintRequest, response: { 201: printSchema } } },
      async (request, reply) => {
        const { envelope, qr_type } = request.body;
        const result = await generatePrint(platform, {
          envelopeId: envelope,
          qrType: qr_type,
          user: signedInUser(request),
          client: clientOf(request),
        });
        return sendResult(reply, result, {
          status: 201,
          present: (print) => presentPrint(platform, print),
        });
      },
    );

    app.get(
      `${PRINTS}/`,
      { onRequest, schema: { querystring: listPrintsQuery, response: { 200: printListAnswer } } },
      async (request, reply) => {
        const { page, page_size, envelope } = request.query;
        const { count, rows } = await platform.reads((db) =>
          listPrintRows(db, {
            user: signedInUser(request),
            envelopeId: envelope ?? null,
            page,
            pageSize: page_size,
          }),
        );
        return reply.send({
          count,
          page,
          page_size,
          results: rows.map((print) => presentPrint(platform, print)),
        });
      },
    );

    const open = [optionalUser(platform), limitCalls(platform, PUBLIC_CALLS)];
    app.get(
      `${PRINTS}/:id/verify/`,
      {
        onRequest: open,
        schema: { params, querystring: printQuery, response: { 200: proofSchema } },
      },
      async (request, reply) => {
        const print = await printOf(deps, request);
        if (!print.ok) return sendProblem(reply, print.error);
        return inTurn(request, reply, async (asked) =>
          sendResult(
            reply.header("cache-control", "no-store"),
            await fromReplica(asked, (deps) =>
              publicProof(deps, { print: print.value, sig: request.query.sig ?? null }),
            ),
          ),
        );
      },
    );

    app.get(
      `${PRINTS}/:id/proof/`,
      {
        onRequest: open,
        schema: {
          params,
          querystring: printQuery,
          produces: ["application/json"],
          response: { 200: proofFileSchema },
        },
      },
      async (request, reply) => {
        const print = await printOf(deps, request);
        if (!print.ok) return sendProblem(reply, print.error);
        return inTurn(request, reply, async (asked) => {
          const text = await fromReplica(asked, (deps) =>
            proofText(deps, { print: print.value, sig: request.query.sig ?? null }),
          );
          if (!text.ok) return sendProblem(reply, text.error);
          return reply
            .headers({
              "cache-control": "no-store",
              "content-disposition": 'attachment; filename="preuve.json"',
            })
            .type("application/json; charset=utf-8")
            .serializer(String)
            .send(text.value as never);
        });
      },
    );

    app.get(
      `${PRINTS}/:id/document/`,
      {
        onRequest: open,
        schema: { params, querystring: printQuery, produces: ["application/pdf"] },
      },
      async (request, reply) => {
        const print = await printOf(deps, request);
        if (!print.ok) return sendProblem(reply, print.error);
        const document = await openPrintedDocument(platform, wantedDocument(request, print.value));
        if (!document.ok) return sendProblem(reply, document.error);
        const { sha256 } = document.value;
        const stream = await platform.files.stream(sha256);
        const sizeBytes = await platform.files.size(sha256);
        reply.headers({
          "cache-control": "private, no-store",
          "content-disposition": `inline; filename="${SIGNED_NAME}"; filename*=UTF-8''${SIGNED_NAME}`,
          ...(sizeBytes === null ? {} : { "content-length": sizeBytes }),
          "content-security-policy": "frame-ancestors 'self'",
        });
        return reply.type("application/pdf").send(stream);
      },
    );

    app.get(
      `${PRINTS}/:id/printable/`,
      {
        onRequest: open,
        schema: { params, querystring: printQuery, produces: ["application/pdf"] },
      },
      async (request, reply) => {
        const print = await printOf(deps, request);
        if (!print.ok) return sendProblem(reply, print.error);
        return inTurn(request, reply, async (asked) => {
          const copy = await makePrintable(asked, {
            ...wantedDocument(request, print.value),
            gone: goneSignal(reply),
          });
          if (!copy.ok) return sendProblem(reply, copy.error);
          reply.headers({
            "cache-control": "private, no-store",
            "content-disposition": 'inline; filename="copie_a_imprimer.pdf"',
            "content-security-policy": "frame-ancestors 'self'",
          });
          return reply.type("application/pdf").send(Buffer.from(copy.value));
        });
      },
    );
  };
}

/** Proofs only read, so a replica serves. */
function fromReplica<T>(asked: PrintDeps, read: (deps: PrintDeps) => Promise<T>): Promise<T> {
  return asked.platform.reads((db) => read({ ...asked, platform: { ...asked.platform, db } }));
}

const selfIn = ({ user }: FastifyRequest) => (user === null ? null : selfOf(user));

async function printOf(deps: PrintDeps, request: FastifyRequest): Promise<Result<PrintRow>> {
  const { id } = request.params as { id: string };
  const { sig } = request.query as { sig?: string };
  return openPrint(deps.platform, { id, sig: sig ?? null, userId: selfIn(request) });
}

/** The owner's device sees what the owner sees. */
function wantedDocument(request: FastifyRequest, print: PrintRow): WantedDocument {
  const { document } = request.query as { document?: string };
  return { print, documentId: document ?? null, isOwner: selfIn(request) === print.ownerId };
}

/** Enough for an office that scans its printed pages together. */
const MOST_WAITING = 10;
const RETRY_S = 5;

type PublicCaller = { readonly key: string; readonly gone: AbortSignal };

type InTurn = <T>(
  caller: PublicCaller,
  work: (asked: PrintDeps) => Promise<T>,
) => Promise<Result<T>>;

/**
 * Takes turns by address, so that no caller occupies the sandbox. Work stops when the caller
 * leaves.
 */
function createPublicTurns(deps: PrintDeps): InTurn {
  const turns = serialByKey({ longest: MOST_WAITING });
  return async ({ key, gone }, work) => {
    const asked = askedUntil(deps, gone);
    if (deps.platform.settings.rateLimits === "off") return success(await work(asked));
    const end = await turns.take(key, gone);
    if (end === null) return failure(problem("too_many_requests", { retryAfterS: RETRY_S }));
    try {
      return success(await work(asked));
    } finally {
      end();
    }
  };
}

/** No task starts once the caller has left. */
function askedUntil(deps: PrintDeps, signal: AbortSignal): PrintDeps {
  const { sandbox } = deps.platform;
  const asked = {
    ...sandbox,
    askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) =>
      sandbox.askedBy({ ...caller, signal }),
  };
  return { ...deps, platform: { ...deps.platform, sandbox: asked } };
}

const evidenceParams = z.strictObject({ id: idSchema });

export function evidenceRoutes(deps: SealingDeps) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(deps.platform);
    app.get(
      "/api/signature/envelopes/:id/evidence/",
      { onRequest, schema: { params: evidenceParams, produces: ["application/pdf"] } },
      async (request, reply) => {
        const file = await makeEvidence(deps, {
          envelopeId: request.params.id,
          user: signedInUser(request),
          gone: goneSignal(reply),
        });
        if (!file.ok) return sendProblem(reply, file.error);
        const { name, bytes } = file.value;
        reply.headers({
          "cache-control": "private, no-store",
          "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${name}`,
          "content-security-policy": "frame-ancestors 'self'",
        });
        return reply.type("application/pdf").send(Buffer.from(bytes));
      },
    );
  };
}
