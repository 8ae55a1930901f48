import { Transform } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { LEAST_PACE, SilentSenderError, watchPace } from "./body-pace.ts";

const MB = 1024 * 1024;

/** Bytes of bodies that this process holds in memory at once. Whoever is not signed in shares the small part: they cannot take the others' room. */
export type BodyRoom = { readonly signedInBytes: number; readonly anybodyBytes: number };

export const BODY_ROOM: BodyRoom = { signedInBytes: 320 * MB, anybodyBytes: 80 * MB };

/** The most that a JSON body of somebody who is signed in may hold; a route that takes more, or that takes an image from a guest, says so itself (`bodyLimit`). */
export const MEMBER_BODY_BYTES = 2 * MB;
/** Of somebody who is not: a name, a code, an address. */
const ANYBODY_BODY_BYTES = 32 * 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** Takes room for that many more bytes of this request; false when there is none. It is given back with the answer. */
    takeBodyRoom: ((bytes: number) => boolean) | null;
  }
}

/** Bounds every body: what one may hold, what all together may hold for as long as each is handled, and how slowly it may come. */
export function boundBodies(app: FastifyInstance, room: BodyRoom): void {
  const free = { signedInBytes: room.signedInBytes, anybodyBytes: room.anybodyBytes };
  const held = new WeakMap<FastifyRequest, Map<keyof BodyRoom, number>>();
  const giveBack = (request: FastifyRequest) => {
    for (const [share, bytes] of held.get(request) ?? []) free[share] += bytes;
    held.delete(request);
  };
  app.decorateRequest("takeBodyRoom", null);
  app.addHook("onRequest", async (request) => {
    request.takeBodyRoom = (bytes) => {
      const share = isSignedIn(request) ? "signedInBytes" : "anybodyBytes";
      if (free[share] < bytes) return false;
      free[share] -= bytes;
      const taken = held.get(request) ?? new Map<keyof BodyRoom, number>();
      held.set(request, taken.set(share, (taken.get(share) ?? 0) + bytes));
      return true;
    };
  });
  // A form is bounded as it is read (`read-multipart.ts`); without a type nothing is read.
  app.addHook("preParsing", async (request, _reply, payload) => {
    const type = request.headers["content-type"];
    if (type === undefined || /^multipart\//i.test(type) || BODILESS.has(request.method)) return payload;
    const limit = bodyLimitOf(request);
    if (Number(request.headers["content-length"] ?? 0) > limit) throw new BodyTooLargeError();
    const body = boundedBody(request, limit);
    payload.once("error", (error) => body.destroy(error));
    return payload.pipe(body);
  });
  // Not when the sender leaves: the handler holds the bytes until it ends.
  app.addHook("onSend", async (request, _reply, payload) => {
    giveBack(request);
    return payload;
  });
  app.addHook("onResponse", async (request) => giveBack(request));
}

/** Lets a sender go who is not heard to the end: once the answer had the time to leave. */
export function letGo(request: FastifyRequest): void {
  setTimeout(() => request.raw.destroy(), 500).unref();
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

const isSignedIn = (request: FastifyRequest): boolean => "user" in request && request.user !== null;

function bodyLimitOf(request: FastifyRequest): number {
  const { bodyLimit = MEMBER_BODY_BYTES } = request.routeOptions;
  return bodyLimit === MEMBER_BODY_BYTES && !isSignedIn(request) ? ANYBODY_BODY_BYTES : bodyLimit;
}

function boundedBody(request: FastifyRequest, limit: number): Transform & { receivedEncodedLength?: number } {
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
      if (request.takeBodyRoom?.(chunk.length) === false) return stop(new NoRoomError());
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
  request.raw.once("close", () => body.writableEnded || body.destroy(new SilentSenderError("The sender has left")));
  body.on("error", () => {});
  return body;
}
