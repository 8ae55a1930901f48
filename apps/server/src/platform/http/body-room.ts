import { constants, Http2ServerRequest } from "node:http2";
import { Transform } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "../addresses.ts";

/** A sender silent for this long is not heard to the end (security §1, line 51). */
const SILENCE_MS = 4_500;

/** A body comes this fast all along: `slackMs` behind, it is late. What came faster earlier buys no more than that. */
export type LeastPace = { readonly slackMs: number; readonly bytesPerS: number };

/** A poor mobile line is faster. */
export const LEAST_PACE: LeastPace = { slackMs: 10_000, bytesPerS: 16 * 1024 };

/** The sender fell silent, or only trickles. */
export class SilentSenderError extends Error {
  override readonly name = "SilentSenderError";
  readonly statusCode = 408;
}

type Pace = {
  heard(chunk: Uint8Array): void;
  /** We were busy, not the sender silent. */
  refresh(): void;
  stop(): void;
};

/** Watches how a body comes; calls `lose` once it has stopped coming, or comes too slowly. */
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

/** Bytes of bodies that this process holds in memory at once, in shares apart: nobody takes the others' room. */
export type BodyRoom = {
  readonly signedInBytes: number;
  /** What is no form, of whoever is not signed in: a login, a code, a guest's signature. */
  readonly anybodyBytes: number;
  /** Their forms: a registration with its picture. */
  readonly anybodyFormBytes: number;
};

export const BODY_ROOM: BodyRoom = {
  signedInBytes: 320 * MB,
  anybodyBytes: 64 * MB,
  anybodyFormBytes: 64 * MB,
};
/** The part of a share that one account may hold, or one network of those who are not signed in. */
const PART_OF_ONE = 1 / 4;

/** The most that a JSON body of somebody who is signed in may hold; a route that takes more, or that takes an image from a guest, says so itself (`bodyLimit`). */
export const MEMBER_BODY_BYTES = 2 * MB;
/** Of somebody who is not: a name, a code, an address. */
const ANYBODY_BODY_BYTES = 32 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    bodyRoom: RequestRoom | null;
  }
}

type RequestRoom = {
  /** Takes room for that many more bytes of this request; false when there is none, and once it was given back. */
  take(bytes: number): boolean;
  giveBack(): void;
};

/** Bounds every body: what one may hold, what all together may hold for as long as each is handled, and how slowly it may come. */
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
  // A form is bounded as it is read (`read-multipart.ts`); without a type nothing is read.
  app.addHook("preParsing", async (request, _reply, payload) => {
    const type = request.headers["content-type"];
    if (type === undefined || isForm(request) || BODILESS.has(request.method)) return payload;
    const limit = bodyLimitOf(request);
    if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLargeError();
    const body = boundedBody(request, limit);
    payload.once("error", (error) => body.destroy(error));
    return payload.pipe(body);
  });
  // Not when the sender leaves: the handler holds the bytes until it ends.
  app.addHook("onSend", async (request, _reply, payload) => {
    request.bodyRoom?.giveBack();
    return payload;
  });
  app.addHook("onResponse", async (request) => {
    request.bodyRoom?.giveBack();
    // A call that was refused by its head: the rest of its body has as long to come as one that is read may fall behind.
    if (isStillSending(request)) letGo(request, LEAST_PACE.slackMs);
  });
}

/** Counts what is held of one share; false when there is no room, for anybody or for this account or network. */
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
  // A form may still come while its refusal leaves: nobody would give back what it took then.
  let isOver = false;
  return {
    take(bytes) {
      // Who asks is known by now: a session is looked for before a body is read.
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

/** Lets a sender go who is not heard to the end. `afterMs`: the time that the answer has to leave. */
export function letGo(request: FastifyRequest, afterMs = 500): void {
  const { raw } = request;
  setTimeout(() => {
    if (!isStillSending(request)) return;
    // Over HTTP/2 the stream outlives its request: it is what the sender is told to stop (RFC 9113 §8.1).
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

/** Gives the account of whoever is signed in. */
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
  // Whoever leaves in the middle of a body sends no end of it.
  request.raw.once(
    "close",
    () => body.writableEnded || body.destroy(new SilentSenderError("The sender has left")),
  );
  body.on("error", () => {});
  return body;
}
