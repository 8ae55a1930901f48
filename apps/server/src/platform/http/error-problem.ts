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

/** Answers what Node's parser refuses, such as two different lengths: there is no request, only its socket. */
export function answerUnparsed({
  newId,
}: Pick<Platform, "newId">): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // A refusal written after the start of another answer would become part of it.
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

/** What Fastify and its plugins throw at a bad request. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problem("unsupported_media_type"),
  FST_ERR_CTP_BODY_TOO_LARGE: problem("request_too_large"),
  FST_INVALID_MULTIPART_CONTENT_TYPE: problem("unsupported_media_type"),
  FST_REQ_FILE_TOO_LARGE: problem("file_too_large"),
  FST_FILES_LIMIT: problem("envelope_too_large"),
};

/** Gives the problem that stands for a thrown error; `unexpected` is true when it is a bug or an outage to be logged. */
export function errorProblem(error: unknown): { problem: Problem; unexpected: boolean } {
  const known = knownProblem(error);
  if (known) return { problem: known, unexpected: false };
  return { problem: problem(outageOf(error) ?? "internal"), unexpected: true };
}

function knownProblem(error: unknown): Problem | null {
  if (typeof error !== "object" || error === null) return null;
  // Node's word for a sender who left in the middle of a body.
  if ("message" in error && error.message === "aborted" && sqlState(error) === "ECONNRESET")
    return problem("body_too_slow");
  // An address whose id is none names nothing: 404, as an id that is unknown or not yours (contract §2).
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

/** Fastify's view of a Zod issue, back to the issue: `/recipients/0/email`. */
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
 * A refusal of what was sent tells a stranger that what the address names is there: whether they may see it comes first (contract §7), on every
 * route of the scope whose address holds an id. Gives what answers so, for a route that reads its body by itself.
 */
export function visibilityFirst(scope: FastifyInstance, find: Find): Refuse {
  const refuse: Refuse = async (request, reply, refusal) => {
    const { id } = request.params as { readonly id: string };
    // What was sent may be refused before the address is looked at: an id that is none is as unknown as another.
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
