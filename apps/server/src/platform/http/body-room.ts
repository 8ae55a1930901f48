import { constants, Http2ServerRequest } from "node:http2";
import { Transform } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../addresses.ts";

/** Source: security §1, line 51. */
const SILENCE_MS = 4_500;

/** A body `slackMs` behind this pace is late. */
export type LeastPace = { readonly slackMs: number; readonly bytesPerS: number };

/** Even a poor mobile line is faster. */
export const LEAST_PACE: LeastPace = { slackMs: 10_000, bytesPerS: 16 * 1024 };

export class SilentSenderError extends Error {
  override readonly name = "SilentSenderError";
  readonly statusCode = 408;
}

type Pace = {
  heard(chunk: Uint8Array): void;
  refresh(): void;
  stop(): void;
};

/** Calls `lose` once a body stops or is slow. */
export function watchPace(least: LeastPace, lose: (error: SilentSenderError) => void): Pace {
  let slackMs = least.slackMs;
  let heardAt = performance.now();
  const end = () => lose(new SilentSenderError("The body stopped coming"));
  const timer = setTimeout(end, SILENCE_MS);
  return {
    heard(chunk) {
      timer.refresh();
      const now = performance.now();
      slackMs = Math.min(
        least.slackMs,
        slackMs - (now - heardAt) + (chunk.length * 1_000) / least.bytesPerS,
      );
      heardAt = now;
      if (slackMs < 0) end();
    },
    refresh() {
      timer.refresh();
      heardAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}

const MB = 1024 * 1024;

export type BodyRoom = {
  readonly signedInBytes: number;
  readonly anybodyBytes: number;
  /** Forms without a session (a registration's picture). */
  readonly anybodyFormBytes: number;
};

export const BODY_ROOM: BodyRoom = {
  signedInBytes: 320 * MB,
  anybodyBytes: 64 * MB,
  anybodyFormBytes: 64 * MB,
};
/** The part of a share that one account, or one network without a session, may take. */
const PART_OF_ONE = 1 / 4;

/** Signed-in JSON; routes may set `bodyLimit`. */
export const MEMBER_BODY_BYTES = 2 * MB;
const ANYBODY_BODY_BYTES = 32 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    bodyRoom: RequestRoom | null;
  }
}

type RequestRoom = {
  /** Gives false without room, or after `giveBack`. */
  take(bytes: number): boolean;
  giveBack(): void;
};

export function boundBodies(app: FastifyInstance, room: BodyRoom): void {
  const shares: Shares = {
    signedInBytes: openShare(room.signedInBytes),
    anybodyBytes: openShare(room.anybodyBytes),
    anybodyFormBytes: openShare(room.anybodyFormBytes),
  };
  app.decorateRequest("bodyRoom", null);
  app.addHook("onRequest", async (request) => {
    request.bodyRoom = openRequestRoom(shares, request);
  });
  // `read-multipart.ts` bounds forms; untyped bodies are not read.
  app.addHook("preParsing", async (request, _reply, payload) => {
    const type = request.headers["content-type"];
    if (type === undefined || isForm(request) || BODILESS.has(request.method)) return payload;
    const limit = bodyLimitOf(request);
    if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLargeError();
    const body = boundedBody(request, limit);
    payload.once("error", (error) => body.destroy(error));
    return payload.pipe(body);
  });
  // Given back at the answer, not at a departure: the handler has the bytes until its end.
  app.addHook("onSend", async (request, _reply, payload) => {
    request.bodyRoom?.giveBack();
    return payload;
  });
  app.addHook("onResponse", async (request) => {
    request.bodyRoom?.giveBack();
    // The rest of a refused body has the usual delay to arrive.
    if (isStillSending(request)) letGo(request, LEAST_PACE.slackMs);
  });
}

type Share = {
  take(holder: string, bytes: number): boolean;
  giveBack(holder: string, bytes: number): void;
};
type Shares = Readonly<Record<keyof BodyRoom, Share>>;

function openShare(bytesInAll: number): Share {
  let free = bytesInAll;
  const heldBy = new Map<string, number>();
  return {
    take(holder, bytes) {
      const held = (heldBy.get(holder) ?? 0) + bytes;
      if (bytes > free || held > bytesInAll * PART_OF_ONE) return false;
      free -= bytes;
      heldBy.set(holder, held);
      return true;
    },
    giveBack(holder, bytes) {
      const left = (heldBy.get(holder) ?? 0) - bytes;
      free += bytes;
      if (left > 0) heldBy.set(holder, left);
      else heldBy.delete(holder);
    },
  };
}

function openRequestRoom(shares: Shares, request: FastifyRequest): RequestRoom {
  let held: { readonly share: Share; readonly holder: string } | null = null;
  let taken = 0;
  // A refused form may still arrive: nothing would give its room back.
  let isOver = false;
  return {
    take(bytes) {
      // The session is loaded before a body is read.
      held ??= {
        share: shares[shareOf(request)],
        holder: memberOf(request) ?? networkOf(request.ip),
      };
      if (isOver || !held.share.take(held.holder, bytes)) return false;
      taken += bytes;
      return true;
    },
    giveBack() {
      isOver = true;
      held?.share.giveBack(held.holder, taken);
      taken = 0;
    },
  };
}

/** `afterMs`: time for the answer to leave. */
export function letGo(request: FastifyRequest, afterMs = 500): void {
  const { raw } = request;
  setTimeout(() => {
    if (!isStillSending(request)) return;
    // A stream outlives an HTTP/2 request, so the sender is asked to stop (RFC 9113 §8.1).
    if (raw instanceof Http2ServerRequest) raw.stream.close(constants.NGHTTP2_NO_ERROR);
    else raw.destroy();
  }, afterMs).unref();
}

function isStillSending({ raw }: FastifyRequest): boolean {
  if (!(raw instanceof Http2ServerRequest)) return !raw.complete;
  return !(raw.stream.closed || raw.stream.endAfterHeaders || raw.readableEnded);
}

class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly statusCode = 413;
}

class NoRoomError extends Error {
  override readonly name = "NoRoomError";
  readonly statusCode = 503;
}

const BODILESS = new Set(["GET", "HEAD", "OPTIONS"]);

function memberOf(request: FastifyRequest): string | null {
  return "user" in request ? ((request.user as { readonly id: string } | null)?.id ?? null) : null;
}

const isSignedIn = (request: FastifyRequest): boolean => memberOf(request) !== null;
const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\//i.test(headers["content-type"] ?? "");

function shareOf(request: FastifyRequest): keyof BodyRoom {
  if (isSignedIn(request)) return "signedInBytes";
  return isForm(request) ? "anybodyFormBytes" : "anybodyBytes";
}

function bodyLimitOf(request: FastifyRequest): number {
  const { bodyLimit = MEMBER_BODY_BYTES } = request.routeOptions;
  return bodyLimit === MEMBER_BODY_BYTES && !isSignedIn(request) ? ANYBODY_BODY_BYTES : bodyLimit;
}

function boundedBody(
  request: FastifyRequest,
  limit: number,
): Transform & { receivedEncodedLength?: number } {
  let received = 0;
  const stop = (error: Error): void => {
    body.destroy(error);
    letGo(request);
  };
  const pace = watchPace(LEAST_PACE, stop);
  const body: Transform & { receivedEncodedLength?: number } = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      received += chunk.length;
      body.receivedEncodedLength = received;
      pace.heard(chunk);
      if (received > limit) return stop(new BodyTooLargeError());
      if (request.bodyRoom?.take(chunk.length) === false) return stop(new NoRoomError());
      done(null, chunk);
    },
    flush(done) {
      pace.stop();
      done();
    },
    destroy(error, done) {
      pace.stop();
      done(error);
    },
  });
  request.raw.once(
    "close",
    () => body.writableEnded || body.destroy(new SilentSenderError("The sender has left")),
  );
  body.on("error", () => {});
  return body;
}
