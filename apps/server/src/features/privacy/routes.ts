import {
  eraseAccountRequest,
  EXPORTS_PER_HOUR,
  holdings,
  idSchema,
  problem,
  removalRequest,
} from "@paraphe/contracts";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { clientOf } from "../../platform/http/request-facts.ts";
import { sendProblem, sendResult } from "../../platform/http/problem-reply.ts";
import { limitRate, throttleKey } from "../../platform/throttle/throttle.ts";
import {
  clearSessionCookies,
  requirePermission,
  requireUser,
  signedInUser,
} from "../accounts/public.ts";
import { erasePerson } from "./erase-person.ts";
import { readHoldings, removeFromOrganisation } from "./leave-organisation.ts";
import { exportPerson, type PersonalDataDeps } from "./export-person.ts";

const ME = "/api/signature/me/";
const MEMBER = "/api/organisation/members/:id/";
const params = z.object({ id: idSchema });
const HOUR_S = 3_600;

export function personalDataRoutes(deps: PersonalDataDeps) {
  const { platform } = deps.accounts;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const onRequest = requireUser(platform);

    const zip = { onRequest, schema: { produces: ["application/zip"] } };
    app.get(`${ME}export/`, { ...zip, exposeHeadRoute: false }, async (request, reply) => {
      // Our own page or a typed address may ask; reads pass no CSRF check.
      if (request.headers["sec-fetch-site"] === "cross-site")
        return sendProblem(reply, problem("foreign_origin"));
      const user = signedInUser(request);
      const key = throttleKey("export", user.id);
      const limited = await limitRate(platform, { key, limit: EXPORTS_PER_HOUR, windowS: HOUR_S });
      if (!limited.ok) return sendProblem(reply, limited.error);
      const output = await exportPerson(deps, user);
      if (output === null) return sendProblem(reply, problem("session_expired"));
      platform.log.info({ userId: user.id }, "personal data exported");
      const name = `paraphe-mes-donnees-${platform.clock().toISOString().slice(0, 10)}.zip`;
      return reply
        .type("application/zip")
        .headers({
          "cache-control": "private, no-store",
          "content-disposition": `attachment; filename="${name}"`,
        })
        .send(output);
    });

    const leaver = { onRequest: requirePermission(platform, "remove_member") };
    app.get(
      `${MEMBER}holdings/`,
      { ...leaver, schema: { params, response: { 200: holdings } } },
      async (request, reply) => sendResult(reply, await readHoldings(platform, request.params.id)),
    );
    const removal = { ...leaver, schema: { params, body: removalRequest } };
    app.post(`${MEMBER}removal/`, removal, async (request, reply) => {
      const removed = await removeFromOrganisation(platform, {
        userId: request.params.id,
        heir: request.body,
        actorId: signedInUser(request).id,
      });
      return removed.ok ? reply.code(204).send() : sendProblem(reply, removed.error);
    });

    app.delete(ME, { onRequest, schema: { body: eraseAccountRequest } }, async (request, reply) => {
      const { password, cancel_open: cancelOpen } = request.body;
      const erased = await erasePerson(deps.accounts, {
        user: signedInUser(request),
        client: clientOf(request),
        password,
        cancelOpen,
      });
      if (erased.ok || erased.error.code === "session_expired") clearSessionCookies(reply);
      return erased.ok ? reply.code(204).send() : sendProblem(reply, erased.error);
    });
  };
}
