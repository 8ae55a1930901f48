import { PROBLEMS, presentProblem, problem } from "@paraphe/contracts";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Platform } from "../platform.ts";

/** Answers what Node's parser refuses, such as two different lengths: there is no request, only its socket. */
export function answerUnparsed({ newId }: Pick<Platform, "newId">): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // A refusal written after the start of another answer would become part of it.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy(error);
      return;
    }
    const refusal = problem(error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "body_too_slow" : "malformed_request");
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
