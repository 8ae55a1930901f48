import {
  identityRequest,
  organisationAnswer,
  organisationSettings,
  registrationRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendResult } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { requirePermission, signedInUser } from "../accounts/public.ts";
import type { OrganisationAction } from "./domain/permissions.ts";
import { changeIdentity, changeRegistration, readSettings } from "./host.ts";
import { selectHost } from "./store.ts";

const BASE = "/api/organisation";

export function organisationRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const permit = (action: OrganisationAction) => requirePermission(platform, action);

    app.get(`${BASE}/`, { schema: { response: { 200: organisationAnswer } } }, async () => ({
      identity: (await selectHost(platform.db))?.identity ?? null,
    }));

    app.get(
      `${BASE}/settings/`,
      { onRequest: permit("read_settings"), schema: { response: { 200: organisationSettings } } },
      async () => readSettings(platform),
    );

    const identity = {
      onRequest: permit("change_identity"),
      schema: { body: identityRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/identity/`, identity, async (request, reply) => {
      const changed = await changeIdentity(platform, {
        ...request.body,
        actorId: signedInUser(request).id,
      });
      if (changed.ok) noteChange(platform, request, "identity");
      return sendResult(reply, changed);
    });

    const registration = {
      onRequest: permit("change_registration"),
      schema: { body: registrationRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/registration/`, registration, async (request, reply) => {
      const changed = await changeRegistration(platform, {
        ...request.body,
        actorId: signedInUser(request).id,
      });
      if (changed.ok) noteChange(platform, request, "registration");
      return sendResult(reply, changed);
    });
  };
}

function noteChange(platform: Platform, request: FastifyRequest, part: string): void {
  platform.log.info({ userId: signedInUser(request).id, part }, "organisation changed");
}
