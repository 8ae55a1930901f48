import { PROOF_SCHEMA_PATH, proofFileSchema } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";

const CACHE = "public, max-age=86400";

/** The JSON Schema of `preuve.json`, for anybody: each file names its address. A format never changes under its name. Source: JSON Schema 2020-12. */
export function proofSchemaRoutes({ publicUrl }: { readonly publicUrl: string }) {
  return async (app: FastifyInstance): Promise<void> => {
    const title = "preuve.json";
    const schema = { ...z.toJSONSchema(proofFileSchema), $id: `${publicUrl}${PROOF_SCHEMA_PATH}`, title };
    const body = JSON.stringify(schema, null, 2);
    app.get(PROOF_SCHEMA_PATH, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type("application/schema+json; charset=utf-8")
        .headers({ "cache-control": CACHE, "cross-origin-resource-policy": "cross-origin" })
        .send(body),
    );
  };
}
