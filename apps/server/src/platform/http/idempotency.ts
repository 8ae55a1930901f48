import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { IDEMPOTENCY_HOURS, problem, SIGNATURE_TOKEN_HEADER } from "@paraphe/contracts";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preHandlerAsyncHookHandler,
} from "fastify";
import { GONE_AFTER_MS } from "../database/lasting-connection.ts";
import type { Platform } from "../platform.ts";
import {
  deleteIdempotencyKey,
  type IdempotencyKey,
  insertIdempotencyKey,
  loadIdempotencyKey,
  storeIdempotentAnswer,
} from "../idempotency/store.ts";
import { sendProblem } from "./problem-reply.ts";
import { requestPath } from "./request-facts.ts";

export const IDEMPOTENCY_WINDOW_MS = IDEMPOTENCY_HOURS * 3_600_000;
/** Applies to a process that cannot be seen. */
const ABANDONED_AFTER_MS = 120_000;
const LONGEST_WAIT_MS = 30_000;
/** One poll serves all that wait for a key. */
const LOOK_MS = 500;
const KEY_SHAPE = /^[\x21-\x7e]{1,200}$/;
/** These answers depend on more than the request. */
const NOT_KEPT = new Set([401, 403, 429]);

type Idempotency = {
  claim(parts: Iterable<string | Uint8Array>): Promise<void>;
  settle(answer: KeptAnswer | null): Promise<void>;
};

declare module "fastify" {
  interface FastifyRequest {
    idempotency: Idempotency | null;
  }
}

export class AnsweredAlready extends Error {
  override readonly name = "AnsweredAlready";
  readonly answer: KeptAnswer | null;

  constructor(answer: KeptAnswer | null) {
    super("This idempotency key has been used");
    this.answer = answer;
  }
}

/** Runs after the checks of the caller, before the handler. */
export function honourIdempotencyKeys(app: FastifyInstance, platform: Platform): void {
  app.decorateRequest("idempotency", null);
  app.addHook("onRoute", (route) => {
    const methods = [route.method].flat();
    if (!methods.includes("POST")) return;
    const own = route.preHandler === undefined ? [] : [route.preHandler].flat();
    route.preHandler = [...own, claimKey(platform)];
  });
  // Settled even for a departed sender: the outcome is the key's answer.
  app.addHook("onSend", async (request, reply, payload) => {
    await request.idempotency?.settle(keptAnswer(reply, payload));
    return payload;
  });
}

export function sendEarlierAnswer(reply: FastifyReply, error: AnsweredAlready): FastifyReply {
  reply.request.idempotency = null;
  if (error.answer === null) return sendProblem(reply, problem("idempotency_conflict"));
  const type =
    error.answer.status < 400
      ? "application/json; charset=utf-8"
      : "application/problem+json; charset=utf-8";
  return reply
    .code(error.answer.status)
    .type(type)
    .serializer(String)
    .header("idempotency-replayed", "true")
    .send(error.answer.body);
}

function claimKey(platform: Platform): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    const key = request.headers["idempotency-key"];
    if (key === undefined) return;
    if (typeof key !== "string" || !KEY_SHAPE.test(key))
      return sendProblem(
        reply,
        problem("validation", {
          errors: { "Idempotency-Key": ["1 à 200 caractères ASCII, sans espace"] },
        }),
      );
    request.idempotency = createIdempotency(platform, { scope: scopeOf(request), key });
    const { body = null } = request;
    if (Buffer.isBuffer(body)) await request.idempotency.claim([request.url, body]);
    else if (!request.isMultipart()) await request.idempotency.claim([JSON.stringify(body)]);
  };
}

/** A team's key shares nothing with the person behind it. */
type Caller = { readonly id: string; readonly holder?: { readonly id: string } };

function scopeOf(request: FastifyRequest): string {
  const user = "user" in request ? (request.user as Caller | null) : null;
  const token = request.headers[SIGNATURE_TOKEN_HEADER];
  const who =
    typeof token === "string"
      ? `token ${token}`
      : user
        ? `user ${user.holder?.id ?? user.id}`
        : `address ${request.ip}`;
  return `${createHash("sha256").update(who).digest("base64url")} ${requestPath(request).replace(/\/$/, "")}`;
}

type KeptAnswer = { readonly status: number; readonly body: string };
type Running = {
  readonly requestSha256: Uint8Array;
  readonly ended: PromiseWithResolvers<KeptAnswer | null>;
};
const runningOf = new WeakMap<Platform, Map<string, Running>>();

function runningIn(platform: Platform): Map<string, Running> {
  const running = runningOf.get(platform) ?? new Map<string, Running>();
  runningOf.set(platform, running);
  return running;
}

function createIdempotency(platform: Platform, id: IdempotencyKey): Idempotency {
  const running = runningIn(platform);
  const name = `${id.scope} ${id.key}`;
  let takenAt: Date | null = null;
  const end = (answer: KeptAnswer | null) => {
    running.get(name)?.ended.resolve(answer);
    running.delete(name);
  };
  return {
    async claim(parts) {
      const requestSha256 = digestOf(platform, parts);
      const gaveUp = AbortSignal.timeout(LONGEST_WAIT_MS);
      for (let other = running.get(name); other !== undefined; other = running.get(name))
        await follow(other, { requestSha256, gaveUp });
      running.set(name, { requestSha256, ended: Promise.withResolvers() });
      try {
        takenAt = await take(platform, { id, requestSha256, gaveUp });
      } catch (error) {
        end(error instanceof AnsweredAlready ? error.answer : null);
        throw error;
      }
    },
    async settle(answer) {
      if (takenAt === null) return;
      const at = takenAt;
      takenAt = null;
      const kept = (
        answer
          ? storeIdempotentAnswer(platform, id, { ...answer, takenAt: at })
          : deleteIdempotencyKey(platform.db, id, at)
      )
        .catch((error: unknown) =>
          platform.log.error({ error }, "an idempotent answer could not be kept"),
        )
        .then(() => end(answer));
      // The release is not awaited: the database may be away.
      if (answer) await kept;
    },
  };
}

type Request = { readonly requestSha256: Uint8Array; readonly gaveUp: AbortSignal };

async function follow(first: Running, { requestSha256, gaveUp }: Request): Promise<void> {
  if (Buffer.compare(first.requestSha256, requestSha256) !== 0) throw new AnsweredAlready(null);
  const late = sleep(LONGEST_WAIT_MS, undefined, { signal: gaveUp, ref: false }).catch(() => {});
  const answer = await Promise.race([first.ended.promise, late]);
  if (answer || gaveUp.aborted) throw new AnsweredAlready(answer ?? null);
}

/**
 * Takes the key, or throws its answer. One process runs the request; others wait, and one takes
 * over from a dead one.
 */
async function take(
  platform: Platform,
  { id, requestSha256, gaveUp }: Request & { readonly id: IdempotencyKey },
): Promise<Date> {
  const owner = await platform.presence.id();
  let goneSince: number | null = null;
  while (!gaveUp.aborted) {
    const now = platform.clock();
    if (await insertIdempotencyKey(platform.db, id, { requestSha256, now, owner })) return now;
    const row = await loadIdempotencyKey(platform, id);
    if (row === null) continue;
    goneSince = row.ownerGone ? (goneSince ?? performance.now()) : null;
    const isGone = goneSince !== null && performance.now() - goneSince > GONE_AFTER_MS;
    // This process ran it, but could not store its answer.
    const isOurs = owner !== null && row.owner === owner;
    const ageMs = now.getTime() - row.createdAt.getTime();
    if (
      ageMs > IDEMPOTENCY_WINDOW_MS ||
      (row.answer === null && (isGone || isOurs || ageMs > ABANDONED_AFTER_MS))
    ) {
      await deleteIdempotencyKey(platform.db, id, row.createdAt);
      continue;
    }
    if (Buffer.compare(row.requestSha256, requestSha256) !== 0) throw new AnsweredAlready(null);
    if (row.answer) throw new AnsweredAlready(row.answer);
    await sleep(LOOK_MS);
  }
  throw new AnsweredAlready(null);
}

/** Keyed, as a password could be guessed from a plain hash. */
function digestOf(platform: Platform, parts: Iterable<string | Uint8Array>): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return platform.secrets.hmac("idempotency", new Uint8Array(hash.digest()));
}

/** Keeps JSON; not files, cookies (given once), outages or 429. */
function keptAnswer(reply: FastifyReply, payload: unknown): KeptAnswer | null {
  const type = String(reply.getHeader("content-type") ?? "");
  const kept =
    reply.statusCode < 500 &&
    !NOT_KEPT.has(reply.statusCode) &&
    !reply.hasHeader("set-cookie") &&
    !reply.hasHeader("retry-after") &&
    /^application\/(problem\+)?json/.test(type);
  return kept && typeof payload === "string" ? { status: reply.statusCode, body: payload } : null;
}
