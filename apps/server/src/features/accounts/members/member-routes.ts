import { Readable } from "node:stream";
import {
  emptyAnswer,
  idSchema,
  invitationAnswer,
  invitationList,
  invitationToken,
  inviteRequest,
  journalExportQuery,
  journalQuery,
  memberList,
  organisationJournal,
  problem,
  roleRequest,
  type JournalEntry,
  type OrganisationJournal,
} from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem, sendResult } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  type OrganisationAction,
  eventSentence,
  noteEvent,
  selectEvents,
} from "../../organisations/public.ts";
import { limitRequests } from "../limit-requests.ts";
import { optionalUser, requirePermission, signedInUser } from "../session-guard.ts";
import {
  acceptInvitation,
  inviteMembers,
  listInvitations,
  readInvitation,
  renewMemberInvitation,
  withdrawMemberInvitation,
} from "./invitations.ts";
import { changeMemberRole, endMemberSessions, listMembers, resetMemberFactors } from "./members.ts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { csvLines, csvText } from "../../../platform/csv.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { selectNames } from "./member-store.ts";

const BASE = "/api/organisation";
const TRIES_PER_HOUR = 100;
const params = z.object({ id: idSchema });
const empty = { present: () => ({}) };

export function memberRoutes(platform: Platform) {
  const permit = (action: OrganisationAction) => requirePermission(platform, action);
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();

    app.get(
      `${BASE}/members/`,
      { onRequest: permit("list_members"), schema: { response: { 200: memberList } } },
      async (request) => listMembers(platform, signedInUser(request).id),
    );
    const role = {
      onRequest: permit("change_role"),
      schema: { params, body: roleRequest, response: { 200: memberList } },
    };
    app.put(`${BASE}/members/:id/role/`, role, async (request, reply) => {
      const actorId = signedInUser(request).id;
      const change = { ...request.body, actorId, userId: request.params.id };
      const changed = await changeMemberRole(platform, change);
      return changed.ok
        ? reply.send(await listMembers(platform, actorId))
        : sendProblem(reply, changed.error);
    });
    const sessions = {
      onRequest: permit("end_sessions"),
      schema: { params, response: { 200: emptyAnswer } },
    };
    app.delete(`${BASE}/members/:id/sessions/`, sessions, async (request, reply) => {
      const on = { actorId: signedInUser(request).id, userId: request.params.id };
      return sendResult(reply, await endMemberSessions(platform, on), empty);
    });
    const factors = {
      onRequest: permit("reset_factors"),
      schema: { params, response: { 200: emptyAnswer } },
    };
    app.delete(`${BASE}/members/:id/factors/`, factors, async (request, reply) => {
      const on = { actorId: signedInUser(request).id, userId: request.params.id };
      return sendResult(reply, await resetMemberFactors(platform, on), empty);
    });
    await scope.register(invitationRoutes(platform));
    await scope.register(journalRoutes(platform));
  };
}

function invitationRoutes(platform: Platform) {
  const onRequest = requirePermission(platform, "invite_members");
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const list = () => listInvitations(platform);
    const response = { 200: invitationList };

    app.get(`${BASE}/invitations/`, { onRequest, schema: { response } }, list);
    app.post(
      `${BASE}/invitations/`,
      { onRequest, schema: { body: inviteRequest, response } },
      async (request, reply) => {
        const actorId = signedInUser(request).id;
        const invited = await inviteMembers(platform, { ...request.body, actorId });
        return invited.ok ? reply.send(await list()) : sendProblem(reply, invited.error);
      },
    );
    app.post(
      `${BASE}/invitations/:id/renew/`,
      { onRequest, schema: { params, response } },
      async (request, reply) => {
        const { id } = request.params;
        const change = { id, actorId: signedInUser(request).id };
        const renewed = await renewMemberInvitation(platform, change);
        return renewed.ok ? reply.send(await list()) : sendProblem(reply, renewed.error);
      },
    );
    app.delete(
      `${BASE}/invitations/:id/`,
      { onRequest, schema: { params, response } },
      async (request, reply) => {
        const { id } = request.params;
        const change = { id, actorId: signedInUser(request).id };
        const withdrawn = await withdrawMemberInvitation(platform, change);
        return withdrawn.ok ? reply.send(await list()) : sendProblem(reply, withdrawn.error);
      },
    );
    linkRoutes(platform, scope);
  };
}

/** The caller of a mailed link may be a visitor. */
function linkRoutes(platform: Platform, scope: FastifyInstance): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const limited = async (request: FastifyRequest, reply: FastifyReply) => {
    const tries = { kind: "invitation", ip: request.ip, perHour: TRIES_PER_HOUR };
    const allowed = await limitRequests(platform, tries);
    return allowed.ok ? undefined : sendProblem(reply, allowed.error);
  };
  app.post(
    `${BASE}/invitations/check/`,
    {
      onRequest: limited,
      schema: { body: invitationToken, response: { 200: invitationAnswer } },
    },
    async (request, reply) => sendResult(reply, await readInvitation(platform, request.body.token)),
  );
  const accept = {
    onRequest: [limited, optionalUser(platform)],
    schema: { body: invitationToken, response: { 200: emptyAnswer } },
  };
  app.post(`${BASE}/invitations/accept/`, accept, async (request, reply) => {
    const userId = request.user?.id ?? null;
    const accepted = await acceptInvitation(platform, { token: request.body.token, userId });
    return sendResult(reply, accepted, empty);
  });
}

const TYPES = { csv: "text/csv; charset=utf-8", json: "application/json; charset=utf-8" } as const;

function journalRoutes(platform: Platform) {
  const onRequest = requirePermission(platform, "read_journal");
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    app.get(
      `${BASE}/journal/`,
      { onRequest, schema: { querystring: journalQuery, response: { 200: organisationJournal } } },
      async (request) =>
        readOrganisationJournal(platform, { before: request.query.before ?? null }),
    );
    // The export writes to the journal: only our own page or a typed address may ask.
    app.get(
      `${BASE}/journal/export/`,
      {
        onRequest,
        exposeHeadRoute: false,
        schema: { querystring: journalExportQuery, produces: Object.values(TYPES) },
      },
      async (request, reply) => {
        if (request.headers["sec-fetch-site"] === "cross-site")
          return sendProblem(reply, problem("foreign_origin"));
        const { format } = request.query;
        const actorId = signedInUser(request).id;
        const output = await exportOrganisationJournal(platform, { format, actorId });
        const name = `journal-organisation-${platform.clock().toISOString().slice(0, 10)}.${format}`;
        return reply
          .type(TYPES[format])
          .headers({
            "cache-control": "private, no-store",
            "content-disposition": `attachment; filename="${name}"`,
          })
          .send(Readable.from(output));
      },
    );
  };
}

const PAGE = 50;
const CONSOLE = "Console du serveur";

async function readOrganisationJournal(
  { db }: Pick<Platform, "db">,
  page: { readonly before: string | null; readonly limit?: number },
): Promise<OrganisationJournal> {
  const limit = page.limit ?? PAGE;
  const rows = await selectEvents(db, { before: page.before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const names = await selectNames(
    db,
    shown.flatMap(({ actorId, subjectId }) => [actorId ?? [], subjectId ?? []].flat()),
  );
  const nameOf = (id: string | null) => (id === null ? undefined : names.get(id));
  const entries = shown.map(({ id, at, kind, actorId, subjectId, detail }) => ({
    id,
    at: at.toISOString(),
    kind,
    actor: nameOf(actorId) ?? CONSOLE,
    sentence: eventSentence(kind, { subject: nameOf(subjectId) ?? "Une personne", detail }),
  }));
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

type Export = { readonly format: "csv" | "json"; readonly actorId: string };

/** The journal has its own export and is read in parts to bound memory. */
async function exportOrganisationJournal(
  platform: Platform,
  { format, actorId }: Export,
): Promise<AsyncGenerator<string>> {
  await inTransaction(platform.db, (trx) =>
    noteEvent(trx, platform, { kind: "journal_exported", actorId, detail: { format } }),
  );
  return format === "csv" ? csvOf(platform) : jsonOf(platform);
}

async function* everyEntry(platform: Platform): AsyncGenerator<JournalEntry> {
  let before: string | null = null;
  do {
    const page: OrganisationJournal = await readOrganisationJournal(platform, {
      before,
      limit: 500,
    });
    yield* page.entries;
    before = page.next;
  } while (before !== null);
}

async function* csvOf(platform: Platform): AsyncGenerator<string> {
  yield csvText([["Date (heure de Paris)", "Instant (UTC)", "Par", "Événement", "Type"]]);
  for await (const { at, actor, sentence, kind } of everyEntry(platform))
    yield csvLines([[formatExactInstant(at), at, actor, sentence, kind]]);
}

async function* jsonOf(platform: Platform): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const entry of everyEntry(platform)) {
    yield `${separator}${JSON.stringify(entry)}`;
    separator = ",\n";
  }
  yield "\n]\n";
}
