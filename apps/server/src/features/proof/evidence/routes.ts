import { idSchema } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { goneSignal } from "../../../platform/http/request-facts.ts";
import { sendProblem } from "../../../platform/http/problem-reply.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import type { SealingDeps } from "../../signing/public.ts";
import { makeEvidence } from "./make-evidence.ts";

const params = z.strictObject({ id: idSchema });

export function evidenceRoutes(deps: SealingDeps) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(deps.platform);
    app.get(
      "/api/signature/envelopes/:id/evidence/",
      { onRequest, schema: { params, produces: ["application/pdf"] } },
      async (request, reply) => {
        const file = await makeEvidence(deps, {
          envelopeId: request.params.id,
          user: signedInUser(request),
          gone: goneSignal(reply),
        });
        if (!file.ok) return sendProblem(reply, file.error);
        const { name, bytes } = file.value;
        reply.headers({
          "cache-control": "private, no-store",
          "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${name}`,
          "content-security-policy": "frame-ancestors 'self'",
        });
        return reply.type("application/pdf").send(Buffer.from(bytes));
      },
    );
  };
}
