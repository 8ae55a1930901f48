import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import {
  isId,
  presentProblem,
  problem,
  type Problem,
  PROBLEMS,
  type Result,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { outageOf, sqlState } from "../error-code.ts";
import type { Platform } from "../platform.ts";
import { sendProblem } from "./problem-reply.ts";
import { validationProblem } from "./validation-problem.ts";

/** Answers on the socket what Node's parser refuses, such as two different lengths. */
export function answerUnparsed({
  newId,
}: Pick<Platform, "newId">): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // After the start of another answer it would become part of it.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy(error);
      return;
    }
    const refusal = problem(
      error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "body_too_slow" : "malformed_request",
    );
    const { status } = PROBLEMS[refusal.code];
    const body = JSON.stringify({ ...presentProblem(refusal), request_id: newId() });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/problem+json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
}

const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problem("unsupported_media_type"),
  FST_ERR_CTP_BODY_TOO_LARGE: problem("request_too_large"),
  FST_INVALID_MULTIPART_CONTENT_TYPE: problem("unsupported_media_type"),
  FST_REQ_FILE_TOO_LARGE: problem("file_too_large"),
  FST_FILES_LIMIT: problem("envelope_too_large"),
};

/** `unexpected`: a bug or an outage to log. */
export function errorProblem(error: unknown): { problem: Problem; unexpected: boolean } {
  const known = knownProblem(error);
  if (known) return { problem: known, unexpected: false };
  return { problem: problem(outageOf(error) ?? "internal"), unexpected: true };
}

function knownProblem(error: unknown): Problem | null {
  if (typeof error !== "object" || error === null) return null;
  if ("message" in error && error.message === "aborted" && sqlState(error) === "ECONNRESET")
    return problem("body_too_slow");
  // A malformed id is an unknown one: 404 (contract §2).
  if ("validationContext" in error && error.validationContext === "params")
    return problem("not_found");
  if ("validation" in error && Array.isArray(error.validation))
    return validationProblem(error.validation.map(issueOf));
  const named = FRAMEWORK_PROBLEMS[sqlState(error)];
  if (named) return named;
  const status = "statusCode" in error ? Number(error.statusCode) : 0;
  if (status === 408) return problem("body_too_slow");
  if (status === 413) return problem("request_too_large");
  if (status === 415) return problem("unsupported_media_type");
  if (status === 429) return problem("too_many_requests");
  if (status === 503) return problem("service_unavailable");
  return status >= 400 && status < 500 ? problem("malformed_request") : null;
}

/** `/recipients/0/email` back to a Zod issue. */
function issueOf(entry: {
  keyword: string;
  instancePath: string;
  message?: string;
  params?: { keys?: string[] };
}) {
  return {
    code: entry.keyword,
    path: entry.instancePath.split("/").filter(Boolean),
    message: entry.message ?? "Valeur invalide",
    keys: entry.params?.keys ?? [],
  };
}

type Find = (request: FastifyRequest, id: string) => Promise<Result<unknown>>;
type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Problem,
) => Promise<FastifyReply>;

/**
 * Answers visibility before any refusal of the content, which would reveal that the id exists
 * (contract §7), on every route with an id. Gives the function for routes that read their own body.
 */
export function visibilityFirst(scope: FastifyInstance, find: Find): Refuse {
  const refuse: Refuse = async (request, reply, refusal) => {
    const { id } = request.params as { readonly id: string };
    // The content may be refused before the id is parsed.
    if (!isId(id)) return sendProblem(reply, problem("not_found"));
    const seen = await find(request, id);
    return sendProblem(reply, seen.ok ? refusal : seen.error);
  };
  scope.setErrorHandler(async (error, request, reply) => {
    const { problem: refusal, unexpected } = errorProblem(error);
    const isOfOne =
      "id" in (request.params as object) && request.user !== null && refusal.code !== "not_found";
    if (unexpected || !isOfOne) throw error;
    return refuse(request, reply, refusal);
  });
  return refuse;
}
