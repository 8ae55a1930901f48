import type { FastifyInstance, FastifyRequest } from "fastify";

const MB = 1024 * 1024;

/** Bytes of forms that this process holds in memory at once. Whoever is not signed in shares the small part: they cannot take the others' room. */
export type UploadRoom = { readonly signedInBytes: number; readonly anybodyBytes: number };

export const UPLOAD_ROOM: UploadRoom = { signedInBytes: 320 * MB, anybodyBytes: 80 * MB };

declare module "fastify" {
  interface FastifyRequest {
    /** Takes room for that many more bytes of this request; false when there is none. It is given back with the answer. */
    takeUploadRoom: ((bytes: number) => boolean) | null;
  }
}

/** Bounds what the forms of all requests together may hold, for as long as each is handled. */
export function boundUploads(app: FastifyInstance, room: UploadRoom): void {
  const free = { signedInBytes: room.signedInBytes, anybodyBytes: room.anybodyBytes };
  const held = new WeakMap<FastifyRequest, Map<keyof UploadRoom, number>>();
  const giveBack = (request: FastifyRequest) => {
    for (const [share, bytes] of held.get(request) ?? []) free[share] += bytes;
    held.delete(request);
  };
  app.decorateRequest("takeUploadRoom", null);
  app.addHook("onRequest", async (request) => {
    request.takeUploadRoom = (bytes) => {
      const share = "user" in request && request.user !== null ? "signedInBytes" : "anybodyBytes";
      if (free[share] < bytes) return false;
      free[share] -= bytes;
      const taken = held.get(request) ?? new Map<keyof UploadRoom, number>();
      held.set(request, taken.set(share, (taken.get(share) ?? 0) + bytes));
      return true;
    };
  });
  // Not when the sender leaves: the handler holds the bytes until it ends.
  app.addHook("onSend", async (request, _reply, payload) => {
    giveBack(request);
    return payload;
  });
  app.addHook("onResponse", async (request) => giveBack(request));
}
