import {
  batchJobSchema,
  batchListAnswer,
  batchListQuery,
  batchPositionSchema,
  batchRetryRequest,
  batchSignAnswer,
  batchSignRequest,
  correctionAnswer,
  correctionQuery,
  idSchema,
  MAX_BATCH_FILES,
  MAX_BATCH_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  type Result,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { LEAST_PACE } from "../../../platform/http/body-room.ts";
import { clientOf, goneSignal } from "../../../platform/http/request-facts.ts";
import { visibilityFirst, sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { type MultipartLimits, streamMultipart } from "../../../platform/http/read-multipart.ts";
import {
  checkRoom,
  confirmSigner,
  requireWorkToWrite,
  signedInUser,
} from "../../accounts/public.ts";
import { cancelBatch, retryBatch } from "./change-batch.ts";
import type { BatchDeps } from "./create-batches.ts";
import { archiveBatch, compareItem, listBatches, presentBatch, readBatch } from "./read-batches.ts";
import { storeFile, removeUnusedFiles, readBatchForm, recordBatch } from "./record-batch.ts";

const SIGNATURE = "/api/signature";
const JOBS = `${SIGNATURE}/batch-jobs/`;
const JOB = `${JOBS}:id/`;
const params = z.strictObject({ id: idSchema });
const itemParams = z.strictObject({ id: idSchema, position: batchPositionSchema });

/**
 * A request brings a drawn signature, or a place per file. Source: security line 50; contract §5.
 */
const LIMITS: MultipartLimits = {
  files: MAX_BATCH_FILES,
  fileSizeBytes: MAX_FILE_SIZE_BYTES,
  totalSizeBytes: MAX_BATCH_SIZE_BYTES,
  fields: 20,
  fieldSizeBytes: 4 * 1024 * 1024,
  trickle: LEAST_PACE,
};

export function batchRoutes(deps: BatchDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    visibilityFirst(scope, (request, id) => readBatch(platform.db, own(request, id)));
    const one = { 200: batchJobSchema };

    app.post(
      `${SIGNATURE}/batch-sign/`,
      {
        onRequest,
        attachValidation: true,
        schema: {
          consumes: ["multipart/form-data"],
          body: batchSignRequest,
          files: { files: "many" },
          response: { 202: batchSignAnswer },
        },
      },
      async (request, reply) =>
        sendResult(reply, await receiveBatch(deps, request), {
          status: 202,
          present: (id) => ({ id }),
        }),
    );

    app.get(
      JOBS,
      { onRequest, schema: { querystring: batchListQuery, response: { 200: batchListAnswer } } },
      async (request, reply) =>
        reply.send(
          await listBatches(platform.db, { ownerId: signedInUser(request).id, ...request.query }),
        ),
    );

    app.get(JOB, { onRequest, schema: { params, response: one } }, async (request, reply) =>
      sendResult(reply, await readBatch(platform.db, own(request, request.params.id)), {
        present: presentBatch,
      }),
    );

    app.delete(JOB, { onRequest, schema: { params, response: one } }, async (request, reply) =>
      sendResult(reply, await cancelBatch(deps, own(request, request.params.id)), {
        present: presentBatch,
      }),
    );

    app.get(
      `${JOB}items/:position/correction/`,
      {
        onRequest,
        schema: {
          params: itemParams,
          querystring: correctionQuery,
          response: { 200: correctionAnswer },
        },
      },
      async (request, reply) => {
        const { id, position } = request.params;
        const actor = {
          user: signedInUser(request),
          client: clientOf(request),
          gone: goneSignal(reply),
        };
        const compared = await compareItem(platform, {
          ...own(request, id),
          position,
          actor,
          from: request.query.from,
        });
        return sendResult(reply.header("cache-control", "private, no-store"), compared);
      },
    );

    app.post(
      `${JOB}retry/`,
      { onRequest, schema: { params, body: batchRetryRequest, response: { 202: batchJobSchema } } },
      async (request, reply) =>
        sendResult(
          reply,
          await retryBatch(platform, {
            ...own(request, request.params.id),
            items: request.body.items ?? null,
            acceptsCopies: request.body.accept_copies,
          }),
          { status: 202, present: presentBatch },
        ),
    );

    app.get(
      `${JOB}download/`,
      { onRequest, schema: { params, produces: ["application/zip"] } },
      async (request, reply) => sendArchive(deps, { reply, of: own(request, request.params.id) }),
    );
  };
}

function own(request: FastifyRequest, id: string) {
  return { id, ownerId: signedInUser(request).id };
}

/** A refused request leaves no file (security line 50). */
async function receiveBatch(deps: BatchDeps, request: FastifyRequest): Promise<Result<string>> {
  const { platform } = deps;
  const kept: Uint8Array[] = [];
  const received = async (): Promise<Result<string>> => {
    const ownerId = signedInUser(request).id;
    let bytes = 0;
    const keep = async (file: { readonly bytes: Uint8Array }): Promise<Result<Uint8Array>> => {
      bytes += file.bytes.length;
      const fits = await checkRoom(platform, { ownerId, bytes });
      return fits.ok ? storeFile(platform, { bytes: file.bytes, kept }) : fits;
    };
    const form = await streamMultipart(request, { limits: LIMITS, keep });
    if (!form.ok) return form;
    const read = readBatchForm(form.value.fields);
    if (!read.ok) return read;
    const signer = await confirmSigner(platform, signedInUser(request));
    if (!signer.ok) return signer;
    const actor = { user: signer.value, client: clientOf(request) };
    return recordBatch(deps, { actor, request: read.value, files: form.value.files });
  };
  let recorded = false;
  try {
    const result = await received();
    recorded = result.ok;
    return result;
  } finally {
    if (!recorded) await removeUnusedFiles(platform, kept);
  }
}

type Download = {
  readonly reply: FastifyReply;
  readonly of: { readonly id: string; readonly ownerId: string };
};

async function sendArchive(deps: BatchDeps, { reply, of }: Download): Promise<FastifyReply> {
  const archive = await archiveBatch(deps, of);
  if (!archive.ok) return sendProblem(reply, archive.error);
  const { name, stream } = archive.value;
  return reply
    .header("cache-control", "private, no-store")
    .type("application/zip")
    .header(
      "content-disposition",
      `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    )
    .send(stream);
}
