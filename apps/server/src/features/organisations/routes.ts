import {
  identityRequest,
  organisationAnswer,
  organisationSettings,
  problem,
  registrationRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { requireUser, signedInUser } from "../accounts/public.ts";
import { isPermitted, type OrganisationAction } from "./domain/permissions.ts";
import { changeIdentity, changeRegistration, readSettings } from "./host.ts";
import { selectHost, selectRole } from "./store.ts";

const BASE = "/api/organisation";

export function organisationRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const permit = (action: OrganisationAction) => [
      requireUser(platform),
      requirePermission(platform, action),
    ];

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
      const changed = await changeIdentity(platform, request.body);
      if (changed.ok) noteChange(platform, request, "identity");
      return sendResult(reply, changed);
    });

    const registration = {
      onRequest: permit("change_registration"),
      schema: { body: registrationRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/registration/`, registration, async (request, reply) => {
      const changed = await changeRegistration(platform, request.body);
      if (changed.ok) noteChange(platform, request, "registration");
      return sendResult(reply, changed);
    });
  };
}

/** After `requireUser`. Errors: `administrators_only`. */
function requirePermission(platform: Platform, action: OrganisationAction) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    isPermitted(await selectRole(platform.db, signedInUser(request).id), action)
      ? undefined
      : sendProblem(reply, problem("administrators_only"));
}

function noteChange(platform: Platform, request: FastifyRequest, part: string): void {
  platform.log.info({ userId: signedInUser(request).id, part }, "organisation changed");
}
