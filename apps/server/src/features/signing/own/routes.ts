import {
  correctionAnswer,
  correctionQuery,
  envelopeSchema,
  MAX_FILE_SIZE_BYTES,
  problem,
  type Result,
  selfSignControl,
  selfSignControlForm,
  selfSignForm,
  type SelfSignRequest,
  selfSignRequest,
  success,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf, goneSignal } from "../../../platform/http/request-facts.ts";
import { AnsweredAlready } from "../../../platform/http/idempotency.ts";
import { sendProblem, sendResult, parseInput } from "../../../platform/http/problem-reply.ts";
import { readMultipart, readOnlyFile } from "../../../platform/http/read-multipart.ts";
import { confirmSigner, requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import { downloadName } from "../../documents/public.ts";
import {
  type Actor,
  type EnvelopeAggregate,
  loadEnvelope,
  presentTo,
} from "../../envelopes/public.ts";
import type { SigningDeps } from "../seal/create-sealing.ts";
import { compareOwnCopy, controlDocument, readOwnFields, selfSign } from "./self-sign.ts";

const SELF_SIGN = "/api/signature/self-sign/";
const ONE_FILE = { files: 1, totalSizeBytes: MAX_FILE_SIZE_BYTES };
/** The field may be a picture in base64. */
const ONE_FILE_AND_MARK = { ...ONE_FILE, fieldSizeBytes: 3_100_000 };

export function selfSignRoutes(deps: SigningDeps) {
  const { platform } = deps;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireWorkToWrite(platform);
    // Handlers parse; schemas only document.
    const consumes = ["multipart/form-data"];

    app.post(
      SELF_SIGN,
      {
        onRequest,
        attachValidation: true,
        schema: {
          consumes,
          reads: ["Accept"],
          produces: ["application/json", "application/pdf"],
          body: selfSignForm,
          response: { 201: envelopeSchema },
        },
      },
      async (request, reply) => {
        const form = await readForm(request).catch((error: unknown) =>
          earlierEnvelope(request, error),
        );
        if (typeof form === "string") return sendPdf(reply, await loadEnvelope(platform.db, form));
        if (!form.ok) return sendProblem(reply, form.error);
        const signer = await confirmSigner(platform, signedInUser(request));
        if (!signer.ok) return sendProblem(reply, signer.error);
        const actor = { ...actorOf(request, reply), user: signer.value };
        const signed = await selfSign(deps, { actor, ...form.value });
        if (!signed.ok) return sendProblem(reply, signed.error);
        const aggregate = signed.value;
        const envelope = await presentTo(platform, aggregate, {
          viewer: { kind: "owner" },
          emailKey: actor.user.email_key,
        });
        if (!wantsPdf(request))
          return reply.header("x-envelope-id", envelope.id).code(201).send(envelope);
        // The answer to repeat is the envelope, not its file.
        await request.idempotency?.settle({ status: 201, body: JSON.stringify(envelope) });
        return sendPdf(reply, aggregate);
      },
    );

    app.post(
      `${SELF_SIGN}control/`,
      {
        onRequest,
        attachValidation: true,
        schema: { consumes, body: selfSignControlForm, response: { 200: selfSignControl } },
      },
      async (request, reply) => {
        const form = await readMultipart(request, ONE_FILE);
        const file = form.ok ? readOnlyFile(form.value) : form;
        if (!file.ok) return sendProblem(reply, file.error);
        return sendResult(
          reply,
          await controlDocument(platform, { actor: actorOf(request, reply), file: file.value }),
        );
      },
    );

    app.post(
      `${SELF_SIGN}correction/`,
      {
        onRequest,
        attachValidation: true,
        schema: {
          consumes,
          body: selfSignControlForm,
          querystring: correctionQuery,
          response: { 200: correctionAnswer },
        },
      },
      async (request, reply) => {
        const form = await readMultipart(request, ONE_FILE);
        const file = form.ok ? readOnlyFile(form.value) : form;
        if (!file.ok) return sendProblem(reply, file.error);
        const query = parseInput(correctionQuery, request.query);
        if (!query.ok) return sendProblem(reply, query.error);
        return sendResult(
          reply,
          await compareOwnCopy(platform, {
            actor: actorOf(request, reply),
            file: file.value,
            ...query.value,
          }),
        );
      },
    );

    async function sendPdf(
      reply: FastifyReply,
      aggregate: EnvelopeAggregate | null,
    ): Promise<FastifyReply> {
      const [document] = aggregate?.documents ?? [];
      if (aggregate === null || document === undefined)
        return sendProblem(reply, problem("not_found"));
      const name = downloadName({ title: aggregate.envelope.title, signed: true, ending: "pdf" });
      return reply
        .code(200)
        .type("application/pdf")
        .header("x-envelope-id", aggregate.envelope.id)
        .header("content-disposition", `attachment; filename="${name}"`)
        .header("cache-control", "private, no-store")
        .send(Buffer.from(await platform.files.get(document.current.sha256)));
    }
  };
}

function earlierEnvelope(request: FastifyRequest, error: unknown): string {
  const { answer } = error instanceof AnsweredAlready ? error : { answer: null };
  if (answer?.status !== 201 || !wantsPdf(request)) throw error;
  request.idempotency = null;
  return z.parse(envelopeSchema, JSON.parse(answer.body)).id;
}

function actorOf(request: FastifyRequest, reply: FastifyReply): Actor {
  return { user: signedInUser(request), client: clientOf(request), gone: goneSignal(reply) };
}

type OwnForm = {
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  readonly request: SelfSignRequest;
};

async function readForm(request: FastifyRequest): Promise<Result<OwnForm>> {
  const form = await readMultipart(request, ONE_FILE_AND_MARK);
  if (!form.ok) return form;
  const fields = readOwnFields(form.value);
  if (!fields.ok) return fields;
  const body = parseInput(selfSignRequest, fields.value);
  if (!body.ok) return body;
  const file = readOnlyFile(form.value);
  return file.ok ? success({ file: file.value, request: body.value }) : file;
}

/** Only a request that names the type gets a PDF. */
function wantsPdf(request: FastifyRequest): boolean {
  return (request.headers.accept ?? "")
    .split(",")
    .some((type) => type.trim().split(";")[0]?.toLowerCase() === "application/pdf");
}
