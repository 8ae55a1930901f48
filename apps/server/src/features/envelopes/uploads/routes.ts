import {
  MAX_FILE_SIZE_BYTES,
  failure,
  problem,
  type Result,
  success,
  uploadAnswer,
  uploadQuery,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { clientOf, goneSignal } from "../../../platform/http/request-facts.ts";
import { errorProblem, sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import { readMultipart, readOnlyFile } from "../../../platform/http/read-multipart.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import type { UploadedFile } from "../../documents/public.ts";
import { storeUpload } from "./uploads.ts";

export function uploadRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    scope.addContentTypeParser("application/pdf", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler(async (error, _request, reply) => {
      if (errorProblem(error).problem.code !== "request_too_large") throw error;
      return sendProblem(reply, problem("file_too_large"));
    });
    app.post(
      "/api/signature/uploads/",
      {
        onRequest: requireWorkToWrite(platform),
        bodyLimit: MAX_FILE_SIZE_BYTES,
        schema: {
          querystring: uploadQuery,
          consumes: ["application/pdf", "multipart/form-data"],
          files: { file: "one" },
          response: { 201: uploadAnswer },
        },
      },
      async (request, reply) => {
        const file = await readFile(request, request.query.name);
        if (!file.ok) return sendProblem(reply, file.error);
        const actor = {
          user: signedInUser(request),
          client: clientOf(request),
          gone: goneSignal(reply),
        };
        const stored = await storeUpload(platform, { actor, file: file.value });
        return sendResult(reply, stored, { status: 201 });
      },
    );
  };
}

async function readFile(request: FastifyRequest, name: string): Promise<Result<UploadedFile>> {
  if (request.isMultipart()) {
    const form = await readMultipart(request, { files: 1, totalSizeBytes: MAX_FILE_SIZE_BYTES });
    return form.ok ? readOnlyFile(form.value) : form;
  }
  return Buffer.isBuffer(request.body)
    ? success({ name, bytes: new Uint8Array(request.body) })
    : failure(problem("unsupported_media_type"));
}
