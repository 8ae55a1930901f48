import { knownDomainsAnswer, suggestionsAnswer, suggestionsQuery } from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Platform } from "../../platform/platform.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import { listKnownDomains } from "./list-known-domains.ts";
import { suggestRecipients } from "./suggest-recipients.ts";

/** Who might be asked again, while a name is typed. */
export function suggestionRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    app.get(
      "/api/signature/recipients/suggestions/",
      { onRequest: requireUser(platform), schema: { querystring: suggestionsQuery, response: { 200: suggestionsAnswer } } },
      async (request, reply) => {
        const people = await suggestRecipients(platform, { ownerId: signedInUser(request).id, search: request.query.search });
        return reply.header("cache-control", "private, no-store").send({
          results: people.map((person) => ({ full_name: person.fullName, email: person.email, phone_number: person.phoneNumber })),
        });
      },
    );
    app.get(
      "/api/signature/recipients/domains/",
      { onRequest: requireUser(platform), schema: { response: { 200: knownDomainsAnswer } } },
      async (request, reply) => {
        const results = await listKnownDomains(platform, signedInUser(request).id);
        return reply.header("cache-control", "private, no-store").send({ results: [...results] });
      },
    );
  };
}
