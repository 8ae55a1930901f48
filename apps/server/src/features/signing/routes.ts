import {
  confirmLinkRequest,
  declineRequest,
  envelopeSchema,
  extensionRequestAnswer,
  failure,
  GUEST_SESSION_S,
  guestEnvelopeSchema,
  idSchema,
  isId,
  problem,
  reassignRequest,
  type Result,
  sendBackRequest,
  sendOtpAnswer,
  sendOtpRequest,
  SIGNATURE_TOKEN_HEADER,
  signPageQuery,
  signPageSchema,
  signRequest,
  success,
  verifyOtpAnswer,
  verifyOtpRequest,
  visaRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/request-facts.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { apiKeyOf, describeGuard, hasSignatureToken } from "../../platform/http/request-guard.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import {
  type Delegate,
  declineEnvelope,
  EMBEDDED,
  type EnvelopeAggregate,
  loadEnvelope,
  presentTo,
  requestExtension,
} from "../envelopes/public.ts";
import {
  type CodeAccess,
  findNamedSignatory,
  findSignatory,
  guestCodeAccess,
  memberCodeAccess,
} from "./code-access.ts";
import { actingFor, findOver, refuseOver } from "./delegations.ts";
import { embeddingRoutes } from "./embedding-routes.ts";
import type { SigningDeps } from "./seal/create-sealing.ts";
import {
  type Guest,
  type GuestCookie,
  openExpiredAccess,
  openGuestAccess,
} from "./guest-access.ts";
import { confirmByLink, sendCode, verifyCode } from "./one-time-code.ts";
import { mailOf, readGuest, withReturn } from "./present-signing.ts";
import {
  readSignPage,
  resumeConfirmed,
  signAsGuest,
  signAsUser,
  viewAsUser,
} from "./sign-envelope.ts";
import { giveVisa, reassignStep, sendBack, type StepHolder } from "./steps.ts";

const ENVELOPE = "/api/signature/envelopes/:id";
const params = z.strictObject({ id: idSchema });
const asOne = { params, querystring: signPageQuery };
/** A mark may be an image in base64. */
const SIGN_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

const GUEST_REFUSALS = [
  "key_not_for_programs",
  "not_found",
  "envelope_cancelled",
  "envelope_expired",
  "envelope_declined",
  "step_reassigned",
  "account_required",
  // The sender corrects the document.
  "not_your_turn",
] as const;
const NAMED_REFUSALS = [
  "not_found",
  "not_a_signer",
  "address_unconfirmed",
  "delegation_over",
] as const;

/** Guests are identified by `X-Signature-Token` alone (contract §4). */
function guestRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireGuest(platform);

    app.get(
      `${ENVELOPE}/guest/`,
      { onRequest, schema: { params, response: { 200: guestEnvelopeSchema } } },
      async (request, reply) => {
        const { answer, cookie } = await readGuest(platform, {
          guest: admittedGuest(request),
          cookies: request.cookies,
        });
        if (cookie !== null) setGuestCookie(reply, cookie);
        return reply.header("cache-control", "no-store").send(answer);
      },
    );

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
      return result.ok
        ? reply.code(result.value.status).send(result.value.envelope)
        : sendProblem(reply, result.error);
    });
  };
}

/** Guests admitted before the body is read. */
const admitted = new WeakMap<FastifyRequest, Guest>();

/** 404 before the body is read (contract §4). */
function requireGuest(platform: Platform, open: typeof openGuestAccess = openGuestAccess) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const token = request.headers[SIGNATURE_TOKEN_HEADER];
      if (token === undefined && apiKeyOf(request) !== null)
        return sendProblem(reply, problem("key_not_for_programs"));
      const { id } = request.params as { id: string };
      const access = await open(
        platform.db,
        {
          envelopeId: id,
          token: typeof token === "string" ? token : null,
          cookies: request.cookies,
        },
        platform.clock(),
      );
      if (!access.ok)
        return sendProblem(reply, {
          ...access.error,
          extensions: { ...access.error.extensions, ...mailOf(platform.settings) },
        });
      admitted.set(request, access.value);
      return undefined;
    },
    { by: "link", refuses: GUEST_REFUSALS },
  );
}

function admittedGuest(request: FastifyRequest): Guest {
  const guest = admitted.get(request);
  if (guest === undefined)
    throw new Error("admittedGuest is called on a route without requireGuest");
  return guest;
}

function setGuestCookie(reply: FastifyReply, cookie: GuestCookie): void {
  const token = String(reply.request.headers[SIGNATURE_TOKEN_HEADER] ?? "");
  reply.setCookie(cookie.name, cookie.value, {
    path: "/",
    maxAge: cookie.maxAgeS,
    httpOnly: true,
    secure: true,
    // Within another site's page, for it alone (CHIPS).
    ...(token.startsWith(EMBEDDED)
      ? { sameSite: "none", partitioned: true }
      : { sameSite: "strict" }),
  });
}

/** Serves guests, members who confirm their address, and the confirming link. */
function codeRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = identifyNamed(deps);

    const send = {
      onRequest,
      schema: { params, body: sendOtpRequest, response: { 200: sendOtpAnswer } },
    };
    app.post(`${ENVELOPE}/send_otp/`, send, async (request, reply) =>
      sendResult(
        reply,
        await sendCode(platform, {
          access: codeAccessOf(deps, request),
          channel: request.body.channel,
        }),
      ),
    );

    const verify = {
      onRequest,
      schema: { params, body: verifyOtpRequest, response: { 200: verifyOtpAnswer } },
    };
    app.post(`${ENVELOPE}/verify_otp/`, verify, async (request, reply) => {
      const result = await verifyCode(platform, {
        access: codeAccessOf(deps, request),
        code: request.body.otp,
        client: clientOf(request),
      });
      if (result.ok && result.value !== null) setGuestCookie(reply, result.value);
      return sendResult(reply, result, {
        present: () => ({ verified: true as const, valid_for: GUEST_SESSION_S }),
      });
    });

    const confirm = {
      onRequest: [requireUser(platform), requireNamed(deps)],
      schema: { params, body: confirmLinkRequest },
    };
    app.post(`${ENVELOPE}/confirm-address/`, confirm, async (request, reply) => {
      const { token } = request.body;
      const result = await confirmByLink(platform, {
        envelopeId: request.params.id,
        token,
        user: signedInUser(request),
      });
      return result.ok ? reply.code(204).send() : sendProblem(reply, result.error);
    });
  };
}

function codeAccessOf(deps: SigningDeps, request: FastifyRequest): CodeAccess {
  const client = clientOf(request);
  if (!hasSignatureToken(request))
    return memberCodeAccess(deps.platform, {
      envelopeId: (request.params as { id: string }).id,
      user: signedInUser(request),
      client,
    });
  return guestCodeAccess(admittedGuest(request), client);
}

/** Admits a guest by token, or a member by address; 404 before the body. */
function identifyNamed(deps: SigningDeps) {
  const [asGuest, asUser, asNamed] = [
    requireGuest(deps.platform),
    requireUser(deps.platform),
    requireNamed(deps),
  ];
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      if (hasSignatureToken(request)) return asGuest(request, reply);
      return (await asUser(request, reply)) ?? asNamed(request, reply);
    },
    {
      by: "signer",
      refuses: [...GUEST_REFUSALS, ...NAMED_REFUSALS, "session_expired", "factor_required"],
    },
  );
}

function requireNamed({ platform }: SigningDeps) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const { id } = request.params as { id: string };
      const signatory = findNamedSignatory(
        isId(id) ? await loadEnvelope(platform.db, id) : null,
        signedInUser(request),
      );
      return signatory.ok ? undefined : sendProblem(reply, signatory.error);
    },
    { refuses: NAMED_REFUSALS },
  );
}

function signerRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const signed = { 200: envelopeSchema, 202: envelopeSchema };
    const onRequest = [requireUser(platform), requireSignatory(deps)];

    const page = {
      onRequest,
      schema: { ...asOne, response: { 200: signPageSchema } },
    };
    app.get(`${ENVELOPE}/sign-page/`, page, async (request, reply) => {
      const asked = {
        envelopeId: request.params.id,
        user: signedInUser(request),
        client: clientOf(request),
      };
      const result = await readSignPage(deps, { ...asked, recipientId: request.query.recipient });
      return sendResult(reply.header("cache-control", "no-store"), result);
    });

    app.post(`${ENVELOPE}/view/`, { onRequest, schema: asOne }, async (request, reply) => {
      const result = await viewAsUser(deps, {
        envelopeId: request.params.id,
        user: signedInUser(request),
        client: clientOf(request),
      });
      return result.ok ? reply.code(204).send() : sendProblem(reply, result.error);
    });

    app.post(
      `${ENVELOPE}/sign_authenticated/`,
      {
        onRequest,
        bodyLimit: SIGN_BODY_LIMIT_BYTES,
        schema: { ...asOne, body: signRequest, response: signed },
      },
      async (request, reply) => {
        const result = await signAsUser(deps, {
          envelopeId: request.params.id,
          user: signedInUser(request),
          client: clientOf(request),
          body: request.body,
        });
        return result.ok
          ? reply.code(result.value.status).send(result.value.envelope)
          : sendProblem(reply, result.error);
      },
    );

    const either = [identifyEither(deps)];
    app.post(
      `${ENVELOPE}/hsm_sign/`,
      {
        onRequest: either,
        bodyLimit: SIGN_BODY_LIMIT_BYTES,
        schema: { ...asOne, body: signRequest, response: signed },
      },
      async (request, reply) => {
        const { body } = request;
        const asked = { body, client: clientOf(request), by: "hsm" } as const;
        const result = hasSignatureToken(request)
          ? await signAsGuest(deps, {
              ...asked,
              guest: admittedGuest(request),
              cookies: request.cookies,
            })
          : await signAsUser(deps, {
              ...asked,
              envelopeId: request.params.id,
              user: signedInUser(request),
            });
        return result.ok
          ? reply.code(result.value.status).send(result.value.envelope)
          : sendProblem(reply, result.error);
      },
    );

    app.post(
      `${ENVELOPE}/decline/`,
      {
        onRequest: either,
        schema: { ...asOne, body: declineRequest, response: { 200: envelopeSchema } },
      },
      async (request, reply) => {
        const signatory = await confirmedSignatory(deps, request);
        if (!signatory.ok) return sendProblem(reply, signatory.error);
        const { recipientId } = signatory.value;
        const result = await declineEnvelope(platform, {
          envelopeId: request.params.id,
          ...signatory.value,
          reason: request.body.reason,
          client: clientOf(request),
        });
        if (!result.ok) return sendProblem(reply, result.error);
        return reply.send(
          await presentTo(platform, result.value, { viewer: { kind: "recipient", recipientId } }),
        );
      },
    );

    const response = { 200: envelopeSchema };
    app.post(
      `${ENVELOPE}/visa/`,
      { onRequest: either, schema: { ...asOne, body: visaRequest, response } },
      (request, reply) =>
        answerStep(deps, { request, reply, done: (holder) => giveVisa(platform, holder) }),
    );
    app.post(
      `${ENVELOPE}/send-back/`,
      { onRequest: either, schema: { ...asOne, body: sendBackRequest, response } },
      (request, reply) =>
        answerStep(deps, {
          request,
          reply,
          done: (holder) => sendBack(platform, holder, request.body),
        }),
    );
    app.post(
      `${ENVELOPE}/reassign/`,
      {
        onRequest: either,
        schema: { ...asOne, body: reassignRequest, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const holder = await stepHolder(deps, request);
        const result = holder.ok
          ? await reassignStep(platform, holder.value.step, request.body)
          : holder;
        return result.ok ? reply.code(204).send(null) : sendProblem(reply, result.error);
      },
    );

    const late = [identifyEither(deps, requireGuest(platform, openExpiredAccess))];
    app.post(
      `${ENVELOPE}/request-extension/`,
      { onRequest: late, schema: { ...asOne, response: { 200: extensionRequestAnswer } } },
      async (request, reply) => {
        const asker = hasSignatureToken(request)
          ? success({ recipientId: admittedGuest(request).recipient.id })
          : await userSignatory(deps, request);
        if (!asker.ok) return sendProblem(reply, asker.error);
        const { recipientId } = asker.value;
        return sendResult(
          reply,
          await requestExtension(platform, {
            envelopeId: request.params.id,
            recipientId,
            client: clientOf(request),
          }),
        );
      },
    );
  };
}

/** Runs before the body is read (contract §4). */
function requireSignatory(deps: SigningDeps) {
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const signatory = await userSignatory(deps, request);
      return signatory.ok ? undefined : sendProblem(reply, signatory.error);
    },
    { refuses: NAMED_REFUSALS },
  );
}

/** The caller has one identity: the guest's token, else the session. */
function identifyEither(deps: SigningDeps, asGuest = requireGuest(deps.platform)) {
  const asUser = requireUser(deps.platform);
  const asSignatory = requireSignatory(deps);
  return describeGuard(
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      if (hasSignatureToken(request)) return asGuest(request, reply);
      return (await asUser(request, reply)) ?? asSignatory(request, reply);
    },
    {
      by: "signer",
      refuses: [...GUEST_REFUSALS, ...NAMED_REFUSALS, "session_expired", "factor_required"],
    },
  );
}

type StepRequest = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly done: (holder: StepHolder) => Promise<Result<EnvelopeAggregate>>;
};

async function answerStep(deps: SigningDeps, { request, reply, done }: StepRequest) {
  const holder = await stepHolder(deps, request);
  if (!holder.ok) return sendProblem(reply, holder.error);
  const { recipientId, step } = holder.value;
  const result = await done(step);
  if (!result.ok) return sendProblem(reply, result.error);
  const viewer = { kind: "recipient", recipientId } as const;
  return reply.send(await presentTo(deps.platform, result.value, { viewer }));
}

/** Gives a guest, whose code the act checks, or the member's recipient. */
async function stepHolder(
  deps: SigningDeps,
  request: FastifyRequest,
): Promise<Result<{ readonly recipientId: string; readonly step: StepHolder }>> {
  const client = clientOf(request);
  const { id: envelopeId } = request.params as { id: string };
  if (hasSignatureToken(request)) {
    const guest = admittedGuest(request);
    const step = { envelopeId, client, guest, cookies: request.cookies };
    return success({ recipientId: guest.recipient.id, step });
  }
  const signatory = await userSignatory(deps, request);
  if (!signatory.ok) return signatory;
  const { recipientId } = signatory.value;
  return success({
    recipientId,
    step: { envelopeId, client, user: signedInUser(request), recipientId },
  });
}

async function confirmedSignatory(
  deps: SigningDeps,
  request: FastifyRequest,
): Promise<Result<Acting>> {
  if (!hasSignatureToken(request)) return userSignatory(deps, request);
  const guest = admittedGuest(request);
  const confirmed = await resumeConfirmed(deps, { guest, cookies: request.cookies });
  return confirmed.ok ? success({ recipientId: guest.recipient.id }) : confirmed;
}

type Acting = { readonly recipientId: string; readonly delegate?: Delegate | undefined };

/** A reloaded page names its recipient; the schema refuses a malformed id. */
async function userSignatory(deps: SigningDeps, request: FastifyRequest): Promise<Result<Acting>> {
  const { id } = request.params as { id: string };
  const { recipient } = request.query as { recipient?: string };
  if (!isId(id)) return failure(problem("not_found"));
  const shown = recipient !== undefined && isId(recipient) ? recipient : undefined;
  const user = signedInUser(request);
  const aggregate = await loadEnvelope(deps.platform.db, id);
  const signatory = findSignatory(aggregate, user, shown);
  if (signatory.ok)
    return success({
      recipientId: signatory.value.id,
      delegate: aggregate ? actingFor(user, { aggregate, recipient: signatory.value }) : undefined,
    });
  if (aggregate && signatory.error.code === "not_your_turn")
    return failure(await withReturn(deps.platform, { aggregate, user }, signatory.error));
  const over = aggregate && findOver(aggregate, user, shown);
  if (!over || signatory.error.code !== "delegation_over") return signatory;
  const to = request.method === "GET" ? "read" : "act";
  const { envelope } = aggregate;
  return failure(await refuseOver(deps.platform, { ...over, envelope, user, to }));
}

/** A code that is mailed within this time is foreground work. */
const FETCHED_WITHIN_MS = 60;

/** The signing calls of contract §4. */
export function signingRoutes(deps: SigningDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    // Signing is foreground work: deferrable mails and registrations yield.
    app.addHook("preHandler", async (_request, reply) => {
      const end = deps.platform.precedence.begin();
      reply.raw.once("close", () => setTimeout(end, FETCHED_WITHIN_MS).unref());
    });
    await app.register(guestRoutes(deps));
    await app.register(codeRoutes(deps));
    await app.register(signerRoutes(deps));
    await app.register(embeddingRoutes(deps.platform));
  };
}
