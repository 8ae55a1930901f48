import { PassThrough } from "node:stream";
import { LIVE_PATH } from "@paraphe/contracts";
import type { FastifyInstance, RouteShorthandOptions } from "fastify";
import { sendProblem } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import type { Live, Outlet } from "./create-live.ts";

/** A browser further behind has stopped reading. */
const MOST_UNREAD_BYTES = 64 * 1024;

export function liveRoutes(platform: Platform, live: Live) {
  return async (scope: FastifyInstance): Promise<void> => {
    const route = {
      onRequest: requireUser(platform),
      exposeHeadRoute: false,
      compress: false,
      schema: { produces: ["text/event-stream"] },
    } as const satisfies RouteShorthandOptions;
    scope.addHook("preClose", () => live.close());

    scope.get(LIVE_PATH, route, async (request, reply) => {
      const stream = new PassThrough();
      const opened = await live.open(
        { ...signedInUser(request), ip: request.ip },
        outletOf(stream),
      );
      if (!opened.ok) return sendProblem(reply, opened.error);
      stream.once("close", opened.value);
      reply.headers({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        // nginx would buffer the events otherwise.
        "x-accel-buffering": "no",
      });
      // Keep-alive would delay the stop (none in HTTP/2, RFC 9113 §8.2.2).
      if (request.raw.httpVersionMajor === 1) reply.header("connection", "close");
      return reply.send(stream);
    });
  };
}

function outletOf(stream: PassThrough): Outlet {
  return {
    write(text) {
      if (stream.destroyed || stream.writableEnded) return false;
      stream.write(text);
      return stream.writableLength + stream.readableLength <= MOST_UNREAD_BYTES;
    },
    end: () => void stream.end(),
  };
}
