import { toHex } from "@paraphe/kernel/bytes";
import {
  downloadAnswer,
  idSchema,
  problem,
  SIGNATURE_TOKEN_HEADER,
  STATUS_LABELS,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { describeGuard } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { type DocumentAccess, parseByteRange } from "./domain/document.ts";
import {
  mintDownloadToken,
  type RecognisedReader,
  recogniseReader,
  type FileSelection,
  type StoredFile,
  archiveFiles,
  createFirstPages,
  openFiles,
} from "./open-files.ts";

const ENVELOPE = "/api/signature/envelopes/:id";
const envelopeParams = z.strictObject({ id: idSchema });
const documentParams = z.strictObject({ id: idSchema, document_id: idSchema });
const fileQuery = z.strictObject({
  document: z.optional(idSchema),
  token: z.optional(z.string().check(z.maxLength(200))),
});
/** `current`: as it is, before completion too. */
const downloadQuery = z.extend(fileQuery, { current: z.optional(z.literal("true")) });
type FileQuery = z.infer<typeof fileQuery>;

type DocumentGuards = {
  readonly access: DocumentAccess;
  /** Sets `request.user`; gives the reply of a refusal, or nothing. */
  identify(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
};

export function documentRoutes(platform: Platform, { access, identify }: DocumentGuards) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const preHandler = describeGuard(identify, {
      by: "reader",
      refuses: ["not_found", "otp_required", "address_unconfirmed"],
    });
    const recognise = (
      request: FastifyRequest,
      ask: { envelopeId: string; purpose: "read" | "download"; token?: string | undefined },
    ) => recogniseReader(platform, access, fileRequest(request, ask));

    for (const [path, which] of [
      ["original-document", "original"],
      ["signed-document", "signed"],
      ["document", "current"],
    ] as const) {
      app.get(
        `${ENVELOPE}/${path}/`,
        {
          preHandler,
          schema: {
            params: envelopeParams,
            querystring: fileQuery,
            reads: ["Range"],
            produces: ["application/pdf", "application/zip"],
          },
        },
        async (request, reply) => {
          const query: FileQuery = request.query;
          const reader = await recognise(request, {
            envelopeId: request.params.id,
            purpose: which === "original" ? "read" : "download",
            token: query.token,
          });
          if (!reader.ok) return sendProblem(reply, reader.error);
          return sendFiles(platform, {
            request,
            reply,
            reader: reader.value,
            selection: { which, documentId: query.document ?? null },
          });
        },
      );
    }

    app.get(
      `${ENVELOPE}/documents/:document_id/file/`,
      {
        preHandler,
        schema: {
          params: documentParams,
          querystring: fileQuery,
          reads: ["Range"],
          produces: ["application/pdf"],
        },
      },
      async (request, reply) => {
        const reader = await recognise(request, {
          envelopeId: request.params.id,
          purpose: "read",
          token: request.query.token,
        });
        if (!reader.ok) return sendProblem(reply, reader.error);
        return sendFiles(platform, {
          request,
          reply,
          reader: reader.value,
          selection: { which: "current", documentId: request.params.document_id },
        });
      },
    );

    const firstPageOf = createFirstPages(platform);
    app.get(
      `${ENVELOPE}/documents/:document_id/first-page/`,
      {
        preHandler,
        schema: { params: documentParams, querystring: fileQuery, produces: ["image/webp"] },
      },
      async (request, reply) => {
        const { id, document_id: documentId } = request.params;
        const reader = await recognise(request, {
          envelopeId: id,
          purpose: "read",
          token: request.query.token,
        });
        if (!reader.ok) return sendProblem(reply, reader.error);
        const opened = await openFiles(platform, reader.value.facts, {
          which: "current",
          documentId,
        });
        if (!opened.ok || opened.value.kind !== "pdf")
          return sendProblem(reply, opened.ok ? problem("not_found") : opened.error);
        const picture = await firstPageOf(opened.value.file);
        return picture.ok
          ? reply.type("image/webp").send(picture.value)
          : sendProblem(reply, picture.error);
      },
    );

    app.get(
      `${ENVELOPE}/download/`,
      {
        preHandler,
        schema: {
          params: envelopeParams,
          querystring: downloadQuery,
          response: { 200: downloadAnswer },
        },
      },
      async (request, reply) => {
        const reader = await recognise(request, {
          envelopeId: request.params.id,
          purpose: "download",
        });
        if (!reader.ok) return sendProblem(reply, reader.error);
        const { status, completedAt } = reader.value.facts;
        const isProgram = request.user?.key_id !== undefined;
        // A person sees the state beside the button.
        if (isProgram && completedAt === null && request.query.current === undefined)
          return sendProblem(
            reply,
            problem("not_completed", {
              params: { state: STATUS_LABELS[status] },
              extensions: { state: status },
            }),
          );
        const opened = await openFiles(platform, reader.value.facts, {
          which: "current",
          documentId: request.query.document ?? null,
        });
        return sendResult(reply, opened, {
          present: (files) => ({
            download_url: downloadUrl(platform, reader.value, request.query.document),
            file_name: files.kind === "pdf" ? files.file.name : files.name,
          }),
        });
      },
    );
  };
}

/** The header's token comes first (contract §2); browsers send `?token=`. */
function fileRequest(
  request: FastifyRequest,
  ask: { envelopeId: string; purpose: "read" | "download"; token?: string | undefined },
) {
  const header = request.headers[SIGNATURE_TOKEN_HEADER];
  const token = (typeof header === "string" ? header : null) ?? ask.token ?? null;
  return {
    envelopeId: ask.envelopeId,
    purpose: ask.purpose,
    token,
    user: token === null ? (request.user ?? null) : null,
    cookies: request.cookies,
  };
}

function downloadUrl(
  platform: Platform,
  { facts, grant }: RecognisedReader,
  documentId: string | undefined,
): string {
  const token = mintDownloadToken(platform, { envelopeId: facts.id, reader: grant.reader });
  return `/api/signature/envelopes/${facts.id}/document/?token=${token}${documentId === undefined ? "" : `&document=${documentId}`}`;
}

type Sending = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly reader: RecognisedReader;
  readonly selection: FileSelection;
};

async function sendFiles(
  platform: Platform,
  { request, reply, reader, selection }: Sending,
): Promise<FastifyReply> {
  const opened = await openFiles(platform, reader.facts, selection);
  if (!opened.ok) return sendProblem(reply, opened.error);
  reply.header("cache-control", "private, no-store");
  if (opened.value.kind === "pdf")
    return sendPdf(platform, { request, reply, file: opened.value.file });
  const { name, files } = opened.value;
  for (const file of files)
    if ((await platform.files.size(file.sha256)) !== file.sizeBytes)
      return sendProblem(reply, problem("stored_file_lost"));
  return reply
    .type("application/zip")
    .header("content-disposition", disposition("attachment", name))
    .send(archiveFiles(platform, files, { at: reader.facts.datedAt }));
}

async function sendPdf(
  platform: Platform,
  { request, reply, file }: { request: FastifyRequest; reply: FastifyReply; file: StoredFile },
): Promise<FastifyReply> {
  const etag = `"${toHex(file.sha256)}"`;
  const ifRange = request.headers["if-range"];
  const range =
    ifRange === undefined || ifRange === etag
      ? parseByteRange(request.headers.range, file.sizeBytes)
      : null;
  reply.headers({
    "accept-ranges": "bytes",
    etag,
    "content-disposition": disposition("inline", file.name),
    "content-security-policy": "frame-ancestors 'self'",
  });
  if (range === "unsatisfiable")
    return reply.code(416).header("content-range", `bytes */${file.sizeBytes}`).send();
  const stream = await platform.files.stream(file.sha256, range ?? undefined);
  reply.type("application/pdf");
  if (range === null) return reply.header("content-length", file.sizeBytes).send(stream);
  reply
    .code(206)
    .header("content-range", `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
    .header("content-length", range.end - range.start + 1);
  return reply.send(stream);
}

/** Source: RFC 6266 §4. */
function disposition(type: "inline" | "attachment", name: string): string {
  return `${type}; filename="${name}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
