import { listSignaturesQuery, signatureListAnswer } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendResult } from "../../../platform/http/problem-reply.ts";
import { requireUser, signedInUser } from "../../accounts/public.ts";
import { listSignatures } from "./list-signatures.ts";
import type { PrintDeps } from "./print-deps.ts";

/** The signatures of an envelope, for whoever sees it (specification §7). */
export function signatureRoutes(deps: PrintDeps) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const options = {
      onRequest: requireUser(deps.platform),
      schema: { querystring: listSignaturesQuery, response: { 200: signatureListAnswer } },
    };
    app.get("/api/signature/signatures/", options, async (request, reply) => {
      const result = await listSignatures(deps, { envelopeId: request.query.envelope, user: signedInUser(request) });
      return sendResult(reply.header("cache-control", "no-store"), result, {
        present: (results) => ({ count: results.length, page: 1, page_size: Math.max(1, results.length), results }),
      });
    });
  };
}
