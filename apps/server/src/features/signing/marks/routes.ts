import {
  changeSignatureRequest,
  failure,
  idSchema,
  MAX_SAVED_SIGNATURES,
  MAX_SIGNATURE_IMAGE_BYTES,
  problem,
  type Result,
  savedSignaturesAnswer,
  savedSignatureSchema,
  type SaveSignatureRequest,
  saveSignatureRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import {
  visibilityFirst,
  sendProblem,
  sendResult,
  parseInput,
} from "../../../platform/http/problem-reply.ts";
import { readMultipart } from "../../../platform/http/read-multipart.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import {
  changeSignature,
  findSavedSignature,
  listSignatures,
  pictureOf,
  presentSignature,
  readSignatureForm,
  removeSignature,
  SAVED_SIGNATURES,
  saveSignature,
} from "./saved-signatures.ts";

const SAVED_SIGNATURE = `${SAVED_SIGNATURES}:id/`;
const params = z.strictObject({ id: idSchema });
/** The body has strokes, or a picture in base64. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** An SVG opened as a page runs no script. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function savedSignatureRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);
    visibilityFirst(scope, (request, id) => findSavedSignature(platform, own(request, id)));
    const present = { present: presentSignature };

    app.get(
      SAVED_SIGNATURES,
      { onRequest, schema: { response: { 200: savedSignaturesAnswer } } },
      async (request, reply) => {
        const results = (await listSignatures(platform, signedInUser(request).id)).map(
          presentSignature,
        );
        return reply
          .header("cache-control", "no-store")
          .send({ count: results.length, page: 1, page_size: MAX_SAVED_SIGNATURES, results });
      },
    );

    const save = {
      onRequest,
      bodyLimit: BODY_LIMIT_BYTES,
      attachValidation: true,
      schema: {
        consumes: ["application/json", "multipart/form-data"],
        body: saveSignatureRequest,
        response: { 201: savedSignatureSchema },
      },
    };
    app.post(SAVED_SIGNATURES, save, async (request, reply) => {
      const body = await readBody(request);
      if (!body.ok) return sendProblem(reply, body.error);
      const saved = await saveSignature(platform, {
        userId: signedInUser(request).id,
        request: body.value,
      });
      return sendResult(reply, saved, { status: 201, ...present });
    });

    app.patch(
      SAVED_SIGNATURE,
      {
        onRequest,
        schema: { params, body: changeSignatureRequest, response: { 200: savedSignatureSchema } },
      },
      async (request, reply) =>
        sendResult(
          reply,
          await changeSignature(platform, own(request, request.params.id), request.body),
          present,
        ),
    );

    app.delete(SAVED_SIGNATURE, { onRequest, schema: { params } }, async (request, reply) => {
      const removed = await removeSignature(platform, own(request, request.params.id));
      return removed.ok ? reply.code(204).send() : sendProblem(reply, removed.error);
    });

    app.get(
      `${SAVED_SIGNATURE}image/`,
      { onRequest, schema: { params, produces: ["image/svg+xml", "image/png"] } },
      async (request, reply) => {
        const found = await findSavedSignature(platform, own(request, request.params.id));
        if (!found.ok) return sendProblem(reply, found.error);
        const { type, bytes } = pictureOf(found.value.mark);
        return reply
          .type(type)
          .header("cache-control", "private, max-age=3600")
          .header("content-security-policy", PICTURE_POLICY)
          .send(Buffer.from(bytes));
      },
    );
  };
}

function own(request: FastifyRequest, id: string) {
  return { id, userId: signedInUser(request).id };
}

async function readBody(request: FastifyRequest): Promise<Result<SaveSignatureRequest>> {
  if (!request.isMultipart()) return parseInput(saveSignatureRequest, request.body);
  const form = await readMultipart(request, {
    files: 1,
    fileSizeBytes: MAX_SIGNATURE_IMAGE_BYTES,
    totalSizeBytes: MAX_SIGNATURE_IMAGE_BYTES,
  });
  if (!form.ok)
    return form.error.code === "file_too_large"
      ? failure({ ...form.error, ...problem("image_file_too_large") })
      : form;
  const body = readSignatureForm(form.value);
  return body.ok ? parseInput(saveSignatureRequest, body.value) : body;
}
