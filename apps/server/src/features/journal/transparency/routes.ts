import {
  checkpointListAnswer,
  checkpointSchema,
  checkpointsQuery,
  consistencyQuery,
  consistencySchema,
  inclusionQuery,
  leavesQuery,
  leavesSchema,
  type LogAuthorities,
  logAuthoritiesSchema,
  MAX_LEAVES,
  problem,
  publicInclusionSchema,
} from "@paraphe/contracts";
import { toBase64, toHex } from "@paraphe/kernel/bytes";
import type { Evidence } from "@paraphe/pades";
import { consistencyRanges } from "@paraphe/proof/parts";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { limitCalls } from "../../../platform/http/request-guard.ts";
import { sendProblem } from "../../../platform/http/problem-reply.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { Trust } from "../../trust/public.ts";
import {
  BrokenLogError,
  leafOf,
  presentCheckpoint,
  provenIn,
  readRanges,
} from "./read-inclusion.ts";
import {
  selectCheckpointOfSize,
  selectCheckpoints,
  selectLatestCheckpoint,
  selectLeaves,
  selectLeavesBetween,
} from "./store.ts";

const LOG = "/api/signature/transparency";
/** Answers for a given size never change. */
const FOR_EVER = "public, max-age=31536000, immutable";
const FOR_A_MINUTE = "public, max-age=60";
/** Each call hashes a thousand leaves. */
const CALLS_PER_MINUTE = 300;
type LogPlatform = Pick<Platform, "db" | "clock" | "settings">;

/** Needs no session, sets no cookie, names nobody; shows what a checkpoint covers. */
export function transparencyRoutes({
  platform,
  trust,
}: {
  readonly platform: LogPlatform;
  readonly trust: Pick<Trust, "currentEvidence">;
}) {
  const { db } = platform;
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    app.addHook("onRequest", limitCalls(platform, { kind: "log", perMinute: CALLS_PER_MINUTE }));

    app.get(
      `${LOG}/checkpoints/`,
      { schema: { querystring: checkpointsQuery, response: { 200: checkpointListAnswer } } },
      async (request, reply) => {
        const { page, page_size } = request.query;
        const { count, rows } = await selectCheckpoints(db, { page, pageSize: page_size });
        return cached(reply, FOR_A_MINUTE).send({
          count,
          page,
          page_size,
          results: rows.map(presentCheckpoint),
        });
      },
    );

    app.get(
      `${LOG}/checkpoints/latest/`,
      { schema: { response: { 200: checkpointSchema } } },
      async (_request, reply) => {
        const latest = await selectLatestCheckpoint(db);
        return latest === null
          ? notFound(reply)
          : cached(reply, FOR_A_MINUTE).send(presentCheckpoint(latest));
      },
    );

    app.get(
      `${LOG}/authorities/`,
      { schema: { response: { 200: logAuthoritiesSchema } } },
      async (_request, reply) =>
        cached(reply, FOR_A_MINUTE).send(presentAuthorities(await trust.currentEvidence())),
    );

    app.get(
      `${LOG}/inclusion/`,
      { schema: { querystring: inclusionQuery, response: { 200: publicInclusionSchema } } },
      async (request, reply) => {
        const { leaf: leafIndex, size } = request.query;
        const checkpoint =
          size === undefined
            ? await selectLatestCheckpoint(db)
            : await selectCheckpointOfSize(db, size);
        const [leaf] = await selectLeaves(db, [leafIndex]);
        if (checkpoint === null || leaf === undefined || leafIndex >= checkpoint.size)
          return notFound(reply);
        const { entry, ...proven } = await provenIn(db, { leaf, checkpoint });
        return cached(reply, size === undefined ? FOR_A_MINUTE : FOR_EVER).send({
          ...proven,
          leaf_hash: toHex(leafOf(entry)),
        });
      },
    );

    app.get(
      `${LOG}/consistency/`,
      { schema: { querystring: consistencyQuery, response: { 200: consistencySchema } } },
      async (request, reply) => {
        const latest = await selectLatestCheckpoint(db);
        const { first, second = latest?.size ?? 0 } = request.query;
        if (latest === null || second > latest.size || first < 1 || first > second)
          return notFound(reply);
        const path = await readRanges(db, consistencyRanges(first, second)).catch(
          absentWhereBroken,
        );
        if (path === null) return notFound(reply);
        return cached(reply, request.query.second === undefined ? FOR_A_MINUTE : FOR_EVER).send({
          first,
          second,
          path: path.map(toHex),
        });
      },
    );

    app.get(
      `${LOG}/leaves/`,
      { schema: { querystring: leavesQuery, response: { 200: leavesSchema } } },
      async (request, reply) => {
        const size = (await selectLatestCheckpoint(db))?.size ?? 0;
        const from = Math.min(request.query.from ?? 0, size);
        const to = Math.max(from, Math.min(request.query.to ?? size, size, from + MAX_LEAVES));
        const leaves = await selectLeavesBetween(db, from, to);
        return cached(reply, FOR_A_MINUTE).send({
          from,
          to,
          size,
          hashes: leaves.map(({ entry }) => toHex(leafOf(entry))),
        });
      },
    );
  };
}

function presentAuthorities({
  trustAnchors,
  certificates = [],
  crls = [],
}: Evidence): LogAuthorities {
  const base64 = (list: readonly Uint8Array[]) => list.map((der) => toBase64(der));
  const roots = base64(trustAnchors.signers);
  const timestamps = base64(trustAnchors.timestamps).filter((der) => !roots.includes(der));
  return { roots, timestamps, certificates: base64(certificates), crls: base64(crls) };
}

function cached(reply: FastifyReply, rule: string): FastifyReply {
  return reply.headers({ "cache-control": rule, "cross-origin-resource-policy": "cross-origin" });
}

function absentWhereBroken(error: unknown): null {
  if (error instanceof BrokenLogError) return null;
  throw error;
}

function notFound(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, problem("not_found"));
}
