import {
  confirmLinkRequest,
  GUEST_SESSION_S,
  idSchema,
  isId,
  SIGNATURE_TOKEN_HEADER,
  sendOtpAnswer,
  sendOtpRequest,
  verifyOtpAnswer,
  verifyOtpRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/client-of.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import { loadEnvelope, tokenSha256 } from "../envelopes/public.ts";
import { type CodeDoor, guestCodeDoor, memberCodeDoor } from "./code-door.ts";
import { confirmByLink } from "./confirm-by-link.ts";
import type { SigningDeps } from "./create-signing.ts";
import { findNamedSignatory } from "./find-signatory.ts";
import { admittedGuest, requireGuest, setGuestCookie } from "./guest-routes.ts";
import { sendCode } from "./send-code.ts";
import { verifyCode } from "./verify-code.ts";

const ENVELOPE = "/api/signature/envelopes/:id";
const params = z.strictObject({ id: idSchema });

/** The code's two calls, of a guest and of a member whose address no person has confirmed; and the link that confirms it as well. */
export function codeRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = identifyNamed(deps);

    const send = { onRequest, schema: { params, body: sendOtpRequest, response: { 200: sendOtpAnswer } } };
    app.post(`${ENVELOPE}/send_otp/`, send, async (request, reply) =>
      sendResult(reply, await sendCode(platform, { door: doorOf(deps, request), channel: request.body.channel })),
    );

    const verify = { onRequest, schema: { params, body: verifyOtpRequest, response: { 200: verifyOtpAnswer } } };
    app.post(`${ENVELOPE}/verify_otp/`, verify, async (request, reply) => {
      const result = await verifyCode(platform, { door: doorOf(deps, request), code: request.body.otp, client: clientOf(request) });
      if (result.ok && result.value !== null) setGuestCookie(reply, result.value);
      return sendResult(reply, result, { present: () => ({ verified: true as const, valid_for: GUEST_SESSION_S }) });
    });

    const confirm = { onRequest: [requireUser(platform), requireNamed(deps)], schema: { params, body: confirmLinkRequest } };
    app.post(`${ENVELOPE}/confirm-address/`, confirm, async (request, reply) => {
      const { token } = request.body;
      const result = await confirmByLink(platform, { envelopeId: request.params.id, token, user: signedInUser(request) });
      return result.ok ? reply.code(204).send() : sendProblem(reply, result.error);
    });
  };
}

function doorOf(deps: SigningDeps, request: FastifyRequest): CodeDoor {
  const client = clientOf(request);
  if (!hasSignatureToken(request))
    return memberCodeDoor(deps.platform, { envelopeId: (request.params as { id: string }).id, user: signedInUser(request), client });
  return guestCodeDoor(admittedGuest(request), tokenSha256(String(request.headers[SIGNATURE_TOKEN_HEADER])), client);
}

/** A guest by the token, or a member whose account's address is a signatory's, confirmed or not; 404 before the body is read or judged. */
function identifyNamed(deps: SigningDeps) {
  const [asGuest, asUser, asNamed] = [requireGuest(deps.platform), requireUser(deps.platform), requireNamed(deps)];
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (hasSignatureToken(request)) return asGuest(request, reply);
    return (await asUser(request, reply)) ?? asNamed(request, reply);
  };
}

/** Answers for an envelope that is addressed to somebody else than this member. */
function requireNamed({ platform }: SigningDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { id } = request.params as { id: string };
    const signatory = findNamedSignatory(isId(id) ? await loadEnvelope(platform.db, id) : null, signedInUser(request));
    return signatory.ok ? undefined : sendProblem(reply, signatory.error);
  };
}
