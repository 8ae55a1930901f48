import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { createJsonSchemaTransform } from "fastify-type-provider-zod";

/** Serves the description of every call under `/api/`, made from the schemas that validate them. Source: OpenAPI 3.1. */
export function describeApi(app: FastifyInstance, publicUrl: string): void {
  const transform = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: "any" } });
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Paraphe", version: "1", description: "Signature électronique : enveloppes, signataires, preuves." },
      servers: [{ url: publicUrl }],
    },
    transform: (document) =>
      document.url.startsWith("/api/") ? transform(document) : { schema: { ...document.schema, hide: true } as never, url: document.url },
  });
  app.register(async (scope) => {
    scope.get("/api/openapi.json", { schema: { hide: true } as never }, async () => app.swagger());
  });
}
