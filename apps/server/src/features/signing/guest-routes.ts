import { envelopeSchema, guestEnvelopeSchema, idSchema, SIGNATURE_TOKEN_HEADER, signRequest } from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/client-of.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SigningDeps } from "./create-signing.ts";
import { type Guest, openGuestDoor } from "./guest-door.ts";
import type { GuestCookie } from "./guest-session.ts";
import { mailOf, readGuest } from "./read-guest.ts";
import { signAsGuest } from "./sign-as-guest.ts";

const ENVELOPE = "/api/signature/envelopes/:id";
const params = z.strictObject({ id: idSchema });
/** A mark drawn as an image travels in the body, in base64. */
export const SIGN_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** The calls of a guest (contract §4): identified by `X-Signature-Token` alone, whatever session the browser has. */
export function guestRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireGuest(platform);

    app.get(`${ENVELOPE}/guest/`, { onRequest, schema: { params, response: { 200: guestEnvelopeSchema } } }, async (request, reply) => {
      const { answer, cookie } = await readGuest(platform, {
        guest: admittedGuest(request),
        token: String(request.headers[SIGNATURE_TOKEN_HEADER]),
        cookies: request.cookies,
      });
      if (cookie !== null) setGuestCookie(reply, cookie);
      return reply.header("cache-control", "no-store").send(answer);
    });

    const sign = {
      onRequest,
      bodyLimit: SIGN_BODY_LIMIT_BYTES,
      schema: { params, body: signRequest, response: { 200: envelopeSchema, 202: envelopeSchema } },
    };
    app.post(`${ENVELOPE}/sign/`, sign, async (request, reply) => {
      const result = await signAsGuest(deps, {
        guest: admittedGuest(request),
        cookies: request.cookies,
        body: request.body,
        client: clientOf(request),
      });
      return result.ok ? reply.code(result.value.status).send(result.value.envelope) : sendProblem(reply, result.error);
    });
  };
}

/** Whose link it is, found before the body was read. */
const admitted = new WeakMap<FastifyRequest, Guest>();

/** Answers for a bad link before the body is read or judged (contract §4: 404 before anything else is looked at). */
export function requireGuest(platform: Platform, openDoor: typeof openGuestDoor = openGuestDoor) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const token = request.headers[SIGNATURE_TOKEN_HEADER];
    const { id } = request.params as { id: string };
    const door = await openDoor(platform.db, { envelopeId: id, token: typeof token === "string" ? token : null }, platform.clock());
    if (!door.ok) return sendProblem(reply, { ...door.error, extensions: { ...door.error.extensions, ...mailOf(platform.settings) } });
    admitted.set(request, door.value);
    return undefined;
  };
}

/** Gives the guest of a request behind `requireGuest`. */
export function admittedGuest(request: FastifyRequest): Guest {
  const guest = admitted.get(request);
  if (guest === undefined) throw new Error("admittedGuest is called on a route without requireGuest");
  return guest;
}

export function setGuestCookie(reply: FastifyReply, cookie: GuestCookie): void {
  reply.setCookie(cookie.name, cookie.value, {
    path: "/",
    maxAge: cookie.maxAgeS,
    httpOnly: true,
    secure: true,
    sameSite: "strict",
  });
}
