import {
  idSchema,
  memberList,
  memberTeamsRequest,
  newTeamRequest,
  type Problem,
  type Result,
  teamList,
  teamRequest,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { allOrNothing } from "../../platform/database/in-transaction.ts";
import { sendProblem } from "../../platform/http/problem-reply.ts";
import type { Platform } from "../../platform/platform.ts";
import { listMembers, requirePermission, signedInUser } from "../accounts/public.ts";
import {
  changeMemberTeams,
  changeTeam,
  createTeam,
  deleteTeam,
  type OrganisationAction,
} from "../organisations/public.ts";
import { listTeams, releaseTeam } from "./transfer-store.ts";

const BASE = "/api/organisation";
const params = z.object({ id: idSchema });

/** Teams are here, since their answers show envelopes and templates. */
export function teamRoutes(platform: Platform) {
  const permit = (action: OrganisationAction) => requirePermission(platform, action);
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const response = { 200: teamList };
    const list = (request: FastifyRequest) => listTeams(platform.db, signedInUser(request));
    const answer = async (
      request: FastifyRequest,
      reply: FastifyReply,
      change: (trx: Transaction) => Promise<Result<null, Problem>>,
    ) => {
      const changed = await allOrNothing(platform.db, change);
      return changed.ok ? reply.send(await list(request)) : sendProblem(reply, changed.error);
    };

    app.get(`${BASE}/teams/`, { onRequest: permit("list_teams"), schema: { response } }, list);
    app.post(
      `${BASE}/teams/`,
      { onRequest: permit("manage_teams"), schema: { body: newTeamRequest, response } },
      (request, reply) =>
        answer(request, reply, (trx) =>
          createTeam(trx, platform, { ...request.body, actor: signedInUser(request) }),
        ),
    );
    app.put(
      `${BASE}/teams/:id/`,
      // `changeTeam` also admits the team's own administrators.
      { onRequest: permit("list_teams"), schema: { params, body: teamRequest, response } },
      (request, reply) =>
        answer(request, reply, (trx) =>
          changeTeam(trx, platform, {
            ...request.body,
            id: request.params.id,
            actor: signedInUser(request),
          }),
        ),
    );
    app.delete(
      `${BASE}/teams/:id/`,
      { onRequest: permit("manage_teams"), schema: { params, response } },
      (request, reply) =>
        answer(request, reply, async (trx) => {
          await releaseTeam(trx, request.params.id);
          return deleteTeam(trx, platform, {
            id: request.params.id,
            actor: signedInUser(request),
          });
        }),
    );
    app.put(
      `${BASE}/members/:id/teams/`,
      {
        onRequest: permit("manage_teams"),
        schema: { params, body: memberTeamsRequest, response: { 200: memberList } },
      },
      async (request, reply) => {
        const actor = signedInUser(request);
        const changed = await allOrNothing(platform.db, (trx) =>
          changeMemberTeams(trx, platform, {
            memberId: request.params.id,
            teamIds: request.body.teams,
            actor,
          }),
        );
        return changed.ok
          ? reply.send(await listMembers(platform, actor.id))
          : sendProblem(reply, changed.error);
      },
    );
  };
}
