import {
  declineRequest,
  extensionRequestAnswer,
  envelopeSchema,
  failure,
  idSchema,
  isId,
  problem,
  type Result,
  signPageQuery,
  signPageSchema,
  signRequest,
  success,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/client-of.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { hasSignatureToken } from "../../platform/http/request-guard.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import { declineEnvelope, loadEnvelope, presentTo, requestExtension } from "../envelopes/public.ts";
import type { SigningDeps } from "./create-signing.ts";
import { findSignatory } from "./find-signatory.ts";
import { openExpiredDoor } from "./guest-door.ts";
import { admittedGuest, requireGuest, SIGN_BODY_LIMIT_BYTES } from "./guest-routes.ts";
import { resumeConfirmed, signAsGuest } from "./sign-as-guest.ts";
import { readSignPage, signAsUser, viewAsUser } from "./sign-as-user.ts";

const ENVELOPE = "/api/signature/envelopes/:id";
const params = z.strictObject({ id: idSchema });

/** The calls of a signed-in signer, and those that a guest and a signed-in signer share. */
export function signerRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const signed = { 200: envelopeSchema, 202: envelopeSchema };
    const onRequest = [requireUser(platform), requireSignatory(deps)];

    const page = { onRequest, schema: { params, querystring: signPageQuery, response: { 200: signPageSchema } } };
    app.get(`${ENVELOPE}/sign-page/`, page, async (request, reply) => {
      const asked = { envelopeId: request.params.id, user: signedInUser(request), client: clientOf(request) };
      const result = await readSignPage(deps, { ...asked, recipientId: request.query.recipient });
      return sendResult(reply.header("cache-control", "no-store"), result);
    });

    app.post(`${ENVELOPE}/view/`, { onRequest, schema: { params } }, async (request, reply) => {
      const result = await viewAsUser(deps, { envelopeId: request.params.id, user: signedInUser(request), client: clientOf(request) });
      return result.ok ? reply.code(204).send() : sendProblem(reply, result.error);
    });

    app.post(
      `${ENVELOPE}/sign_authenticated/`,
      { onRequest, bodyLimit: SIGN_BODY_LIMIT_BYTES, schema: { params, body: signRequest, response: signed } },
      async (request, reply) => {
        const result = await signAsUser(deps, {
          envelopeId: request.params.id,
          user: signedInUser(request),
          client: clientOf(request),
          body: request.body,
        });
        return result.ok ? reply.code(result.value.status).send(result.value.envelope) : sendProblem(reply, result.error);
      },
    );

    const either = [identifyEither(deps)];
    app.post(
      `${ENVELOPE}/hsm_sign/`,
      { onRequest: either, bodyLimit: SIGN_BODY_LIMIT_BYTES, schema: { params, body: signRequest, response: signed } },
      async (request, reply) => {
        const { body } = request;
        const asked = { body, client: clientOf(request), by: "hsm" } as const;
        const result = hasSignatureToken(request)
          ? await signAsGuest(deps, { ...asked, guest: admittedGuest(request), cookies: request.cookies })
          : await signAsUser(deps, { ...asked, envelopeId: request.params.id, user: signedInUser(request) });
        return result.ok ? reply.code(result.value.status).send(result.value.envelope) : sendProblem(reply, result.error);
      },
    );

    app.post(
      `${ENVELOPE}/decline/`,
      { onRequest: either, schema: { params, body: declineRequest, response: { 200: envelopeSchema } } },
      async (request, reply) => {
        const signatory = await confirmedSignatory(deps, request);
        if (!signatory.ok) return sendProblem(reply, signatory.error);
        const { recipientId } = signatory.value;
        const result = await declineEnvelope(platform, {
          envelopeId: request.params.id,
          recipientId,
          reason: request.body.reason,
          client: clientOf(request),
        });
        if (!result.ok) return sendProblem(reply, result.error);
        return reply.send(await presentTo(platform, result.value, { viewer: { kind: "recipient", recipientId } }));
      },
    );

    const late = [identifyEither(deps, requireGuest(platform, openExpiredDoor))];
    app.post(
      `${ENVELOPE}/request-extension/`,
      { onRequest: late, schema: { params, response: { 200: extensionRequestAnswer } } },
      async (request, reply) => {
        const asker = hasSignatureToken(request)
          ? success({ recipientId: admittedGuest(request).recipient.id })
          : await userSignatory(deps, request);
        if (!asker.ok) return sendProblem(reply, asker.error);
        const { recipientId } = asker.value;
        return sendResult(
          reply,
          await requestExtension(platform, { envelopeId: request.params.id, recipientId, client: clientOf(request) }),
        );
      },
    );
  };
}

/** Answers for an envelope that this user may not sign before the body is read or judged (contract §4). */
function requireSignatory(deps: SigningDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const signatory = await userSignatory(deps, request);
    return signatory.ok ? undefined : sendProblem(reply, signatory.error);
  };
}

/** A guest by the token, or a signed-in signer: whoever the request says it is, and nobody else. */
function identifyEither(deps: SigningDeps, asGuest = requireGuest(deps.platform)) {
  const asUser = requireUser(deps.platform);
  const asSignatory = requireSignatory(deps);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (hasSignatureToken(request)) return asGuest(request, reply);
    return (await asUser(request, reply)) ?? asSignatory(request, reply);
  };
}

async function confirmedSignatory(deps: SigningDeps, request: FastifyRequest): Promise<Result<{ readonly recipientId: string }>> {
  if (!hasSignatureToken(request)) return userSignatory(deps, request);
  const guest = admittedGuest(request);
  const confirmed = await resumeConfirmed(deps, { guest, cookies: request.cookies });
  return confirmed.ok ? success({ recipientId: guest.recipient.id }) : confirmed;
}

/** A page that is read again says whom it was shown for; what is not an id there is the schema's to refuse. */
async function userSignatory(deps: SigningDeps, request: FastifyRequest): Promise<Result<{ readonly recipientId: string }>> {
  const { id } = request.params as { id: string };
  const { recipient } = request.query as { recipient?: string };
  if (!isId(id)) return failure(problem("not_found"));
  const shown = recipient !== undefined && isId(recipient) ? recipient : undefined;
  const signatory = findSignatory(await loadEnvelope(deps.platform.db, id), signedInUser(request), shown);
  return signatory.ok ? success({ recipientId: signatory.value.id }) : signatory;
}
