import { createHash } from "node:crypto";
import {
  accessRequest,
  appearanceRequest,
  identityRequest,
  mailsRequest,
  organisationAnswer,
  organisationSettings,
  problem,
  registrationRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { brandStylesheet, LOGO_PATH } from "./domain/brand.ts";
import type { OrganisationAction } from "./domain/permissions.ts";
import {
  changeAccess,
  changeAppearance,
  changeIdentity,
  changeMails,
  changeRegistration,
  knownBrand,
  type OnFactorAsked,
  readSettings,
} from "./host.ts";
import { selectHost } from "./store.ts";

const BASE = "/api/organisation";

type OrganisationGuards = {
  permit(action: OrganisationAction): onRequestAsyncHookHandler[];
  signedInUser(request: FastifyRequest): { readonly id: string };
  onFactorAsked: OnFactorAsked;
};

export function organisationRoutes(
  platform: Platform,
  { permit, signedInUser, onFactorAsked }: OrganisationGuards,
) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

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
      if (changed.ok) noteChange(platform, signedInUser(request).id, "identity");
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
      if (changed.ok) noteChange(platform, signedInUser(request).id, "registration");
      return sendResult(reply, changed);
    });

    const appearance = {
      onRequest: permit("change_appearance"),
      schema: { body: appearanceRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/appearance/`, appearance, async (request, reply) => {
      const changed = await changeAppearance(platform, {
        ...request.body,
        actorId: signedInUser(request).id,
      });
      if (changed.ok) noteChange(platform, signedInUser(request).id, "appearance");
      return sendResult(reply, changed);
    });

    const mails = {
      onRequest: permit("change_appearance"),
      schema: { body: mailsRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/mails/`, mails, async (request, reply) => {
      const changed = await changeMails(platform, {
        ...request.body,
        actorId: signedInUser(request).id,
      });
      if (changed.ok) noteChange(platform, signedInUser(request).id, "mails");
      return sendResult(reply, changed);
    });

    const access = {
      onRequest: permit("change_access"),
      schema: { body: accessRequest, response: { 200: organisationSettings } },
    };
    app.put(`${BASE}/access/`, access, async (request, reply) => {
      const changed = await changeAccess(
        platform,
        { ...request.body, actorId: signedInUser(request).id },
        onFactorAsked,
      );
      if (changed.ok) noteChange(platform, signedInUser(request).id, "access");
      return sendResult(reply, changed);
    });
    brandRoutes(app, platform);
  };
}

/** Signers see the logo without an account. */
function brandRoutes(app: FastifyInstance, platform: Platform): void {
  app.get(LOGO_PATH, { schema: { produces: ["image/png"] } }, async (request, reply) => {
    const brand = await knownBrand(platform);
    if (!brand?.logo) return sendProblem(reply, problem("not_found"));
    // Another process may know a newer version.
    const isThis = (request.query as { readonly v?: string }).v === String(brand.version);
    return reply
      .type("image/png")
      .header("cache-control", isThis ? "public, max-age=31536000, immutable" : "no-cache")
      .header("content-security-policy", "default-src 'none'; sandbox")
      .send(Buffer.from(brand.logo.png));
  });

  app.get("/organisation.css", { schema: { hide: true } }, async (request, reply) => {
    const css = brandStylesheet(await knownBrand(platform));
    const etag = `W/"${createHash("sha256").update(css).digest("base64url")}"`;
    reply.type("text/css; charset=utf-8").headers({ "cache-control": "no-cache", etag });
    return request.headers["if-none-match"] === etag ? reply.code(304).send() : reply.send(css);
  });
}

function noteChange(platform: Platform, userId: string, part: string): void {
  platform.log.info({ userId, part }, "organisation changed");
}
