import { createHmac, createPrivateKey, sign } from "node:crypto";
import { Agent } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { TEST_TYPE, WEBHOOK_LOG_DAYS } from "@paraphe/contracts/webhooks";
import { reachOf } from "../../../platform/addresses.ts";
import { oneAtATime } from "../../../platform/concurrency.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { onCommit } from "../../../platform/database/database.ts";
import { ForbiddenAddressError, guardedCall } from "../../../platform/guarded-call.ts";
import { jobs as jobCounts } from "../../../platform/metrics/metrics.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { Worker } from "../../../platform/queue/create-queue.ts";
import { loadMember, selectManagers } from "../../accounts/public.ts";
import { enqueueNotice, retryAfterS } from "../../notices/public.ts";
import {
  type ClaimedEvent,
  claimWebhookEvents,
  deleteOldEvents,
  type EventEnding,
  finishWebhookEvents,
  pauseWebhook,
} from "./store.ts";

const CHANNEL = "webhooks";
/** Finds what the clock makes due, and commits whose wake-up was lost. */
const LOOK_MS = 5_000;
const STALLED_MS = 30_000;
const TOGETHER_MS = 20;
const AGAIN_MS = 1_000;
const AT_ONCE = 64;
const DAY_MS = 86_400_000;
const GIVE_UP_MS = 3 * DAY_MS;
/** Rest of a webhook that fails, doubled up to a quarter of an hour. */
const REST_S = 10;
/** The log shows this much of an answer. Units: bytes. */
const SHOWN_ANSWER = 1_000;
const GONE = 410;

/** Connections close before most servers close them (after 5 s, which would reset ours). */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: 4_000 });

export const secretContext = (webhookId: string) => `webhook:${webhookId}`;

function bodyOf({ body, type, at, envelope, envelopeId, recipient }: ClaimedEvent): string {
  if (body !== null) return body;
  const gone = envelopeId === null ? {} : { id: envelopeId, status: "purged" };
  const data = { ...(envelope ?? gone), ...(recipient === null ? {} : { recipient }) };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

/**
 * Signs by HMAC-SHA-256 under each secret in use, and by Ed25519.
 * Source: Standard Webhooks 1.0.0, "Signature scheme".
 */
export function signedHeaders(
  { messageId, body, at }: { readonly messageId: string; readonly body: string; readonly at: Date },
  keys: { readonly secrets: readonly Uint8Array[]; readonly seed: Uint8Array },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = Buffer.from(`${messageId}.${timestamp}.${body}`);
  const symmetric = keys.secrets.map(
    (secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`,
  );
  const asymmetric = `v1a,${sign(null, signed, ed25519Key(keys.seed)).toString("base64")}`;
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": [...symmetric, asymmetric].join(" "),
  };
}

/** PKCS #8 header before the 32 bytes of an Ed25519 seed (RFC 8410 §7). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

export function ed25519Key(seed: Uint8Array) {
  const key = Buffer.concat([PKCS8, seed]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

type Outcome = Pick<EventEnding, "status" | "answer"> & { readonly isTaken: boolean };

async function call(
  { settings }: Platform,
  { url, body, headers }: { readonly url: string; readonly body: string; readonly headers: object },
): Promise<Outcome> {
  try {
    const { status, text } = await guardedCall({
      url,
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "user-agent": "Paraphe-Webhooks/1",
      },
      body: new TextEncoder().encode(body),
      mayReach: reachOf(settings),
      agent,
      cutAt: SHOWN_ANSWER,
      localHttp: true,
    });
    const answer =
      status >= 300 && status < 400
        ? `Réponse ${status}\u00a0: les redirections ne sont pas suivies.`
        : text;
    return { status, answer, isTaken: status >= 200 && status < 300 };
  } catch (error) {
    return { status: null, answer: causeOf(error), isTaken: false };
  }
}

function causeOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError)
    return "Cette adresse n’est pas joignable depuis Internet.";
  const code = (error as { code?: unknown }).code;
  if (error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError"))
    return "Pas de réponse en 5\u00a0secondes.";
  const why = CERTIFICATE_FAULTS[String(code)];
  const said = why === undefined ? "" : `\u00a0: ${why}`;
  return `La connexion a échoué${said}${typeof code === "string" ? ` (${code})` : ""}.`;
}

const UNKNOWN_ISSUER =
  "l’autorité du certificat est inconnue, ou un certificat intermédiaire manque";
/** Source: Node 24, "X509 certificate error codes". */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "le certificat est auto-signé",
  SELF_SIGNED_CERT_IN_CHAIN: "l’autorité du certificat est inconnue",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: "le certificat a expiré",
  CERT_NOT_YET_VALID: "le certificat n’est pas encore valable",
  ERR_TLS_CERT_ALTNAME_INVALID: "le certificat est fait pour un autre nom",
};

/** An event that cannot be sent (its secret is unreadable) fails like any other. */
async function send(platform: Platform, event: ClaimedEvent): Promise<EventEnding> {
  const at = platform.clock();
  const begunAt = performance.now();
  const made = { body: "", headers: {} };
  const outcome = await deliver(platform, { event, at, made }).catch((error: unknown): Outcome => {
    platform.log.error({ error, webhookId: event.webhookId }, "a webhook could not be sent");
    return { status: null, answer: "Le service n’a pas pu préparer cet envoi.", isTaken: false };
  });
  const { isTaken, status, answer } = outcome;
  jobCounts.inc({ job: "webhook", outcome: isTaken ? "completed" : "failed" });
  return {
    id: event.id,
    webhookId: event.webhookId,
    ...made,
    at,
    path: new URL(event.url).pathname,
    status,
    durationMs: Math.round(performance.now() - begunAt),
    isTaken,
    // A zero character is no text for PostgreSQL.
    answer: answer.replaceAll("\0", ""),
    retryInS:
      isTaken || event.type === TEST_TYPE ? null : retryAfterS(event.tries - 1, Math.random()),
  };
}

type Delivery = {
  readonly event: ClaimedEvent;
  readonly at: Date;
  readonly made: { body: string; headers: Readonly<Record<string, string>> };
};

async function deliver(platform: Platform, { event, at, made }: Delivery): Promise<Outcome> {
  const { secrets } = platform;
  const context = secretContext(event.webhookId);
  const wrapped = [event.secretWrapped, ...event.oldSecretsWrapped];
  const keys = {
    secrets: wrapped.map((one) => secrets.unwrap(one, context)),
    seed: secrets.unwrap(event.seedWrapped, context),
  };
  made.body = bodyOf(event);
  made.headers = signedHeaders({ messageId: event.messageId, body: made.body, at }, keys);
  return call(platform, { url: event.url, ...made });
}

async function finish(platform: Platform, ended: readonly Sent[]): Promise<void> {
  const endings = ended.map(({ ending }) => ending);
  await finishWebhookEvents(platform.db, endings, REST_S);
  const now = platform.clock().getTime();
  const failing = new Map<string, "gone" | "failing">();
  for (const { event, ending } of ended) {
    const isOld = event.firstTryAt !== null && now - event.firstTryAt.getTime() >= GIVE_UP_MS;
    if (ending.status === GONE) failing.set(event.webhookId, "gone");
    else if (ending.retryInS !== null && isOld) failing.set(event.webhookId, "failing");
  }
  for (const [id, why] of failing) await pauseAndMail(platform, { id, why });
}

async function pauseAndMail(
  platform: Platform,
  { id, why }: { readonly id: string; readonly why: "gone" | "failing" },
): Promise<void> {
  const at = platform.clock();
  await inTransaction(platform.db, async (trx) => {
    const paused = await pauseWebhook(trx, { id, why, at });
    if (paused === null) return;
    for (const userId of await selectManagers(trx, paused)) {
      const manager = await loadMember(trx, userId);
      if (manager === null) continue;
      await enqueueNotice(trx, platform, {
        kind: "webhook_paused",
        channel: "email",
        dedupeKey: `webhook_paused:${id}:${at.toISOString()}:${userId}`,
        to: { fullName: manager.fullName, address: manager.email },
        userId,
        content: {
          why,
          host: new URL(paused.url).host,
          link: `${platform.settings.publicUrl}/settings/programmes`,
        },
      });
    }
    platform.log.warn({ webhookId: id, why }, "a webhook is paused");
  });
}

type Sent = { readonly event: ClaimedEvent; readonly ending: EventEnding };

/** Deliveries that end together are written together. */
function createRounds(platform: Platform) {
  const ended: Sent[] = [];
  let isStopping = false;
  let lookedAt = Date.now();
  let busy = 0;
  const writing = oneAtATime(async () => {
    await pause(TOGETHER_MS);
    const batch = ended.splice(0);
    try {
      if (batch.length > 0) await finish(platform, batch);
      busy -= batch.length;
      looking.ask();
    } catch (error) {
      // They were sent but are not written: they would be sent again.
      platform.log.warn({ error }, "what became of webhooks could not be written yet");
      ended.unshift(...batch);
      await pause(AGAIN_MS);
      writing.ask();
    }
  });
  const attempt = async (event: ClaimedEvent) => {
    ended.push({ event, ending: await send(platform, event) });
    writing.ask();
  };
  const looking = oneAtATime(async () => {
    if (isStopping || busy >= AT_ONCE) return;
    try {
      const now = platform.clock();
      const claimed = await claimWebhookEvents(platform.db, { now, most: AT_ONCE - busy });
      lookedAt = Date.now();
      busy += claimed.length;
      for (const event of claimed) void attempt(event);
    } catch (error) {
      platform.log.warn({ error }, "the webhooks that wait could not be read");
    }
  });
  return {
    look: looking.ask,
    isStalled: () => busy < AT_ONCE && Date.now() - lookedAt > STALLED_MS,
    async stop() {
      isStopping = true;
      await looking.rest();
      while (busy > 0) await pause(TOGETHER_MS);
    },
  };
}

/** A commit wakes it, and every five seconds it looks itself. */
export function createWebhookSender(platform: Platform): Worker {
  const rounds = createRounds(platform);
  let leave = async () => {};
  return {
    start() {
      const unhear = onCommit(platform.db, CHANNEL, rounds.look);
      const listening = platform.listen(CHANNEL, { onMessage: rounds.look, onGap: rounds.look });
      const timer = setInterval(rounds.look, LOOK_MS);
      leave = async () => {
        clearInterval(timer);
        unhear();
        await listening.close();
      };
      rounds.look();
    },
    check() {
      if (rounds.isStalled()) throw new Error("The webhooks are not taken up");
    },
    async stop() {
      await Promise.all([leave(), rounds.stop()]);
    },
    async drain({ deferred }) {
      for (let found = false, all = deferred; ; found = true, all = false) {
        const now = platform.clock();
        const claimed = await claimWebhookEvents(platform.db, { now, most: AT_ONCE, all });
        if (claimed.length === 0) return { found, failures: [] };
        for (const event of claimed)
          await finish(platform, [{ event, ending: await send(platform, event) }]);
      }
    },
  };
}

export function registerWebhookJobs(platform: Platform): void {
  platform.queue.attach(createWebhookSender(platform));
  platform.queue.schedule("webhooks.sweep", "53 3 * * *", () =>
    deleteOldEvents(platform.db, new Date(platform.clock().getTime() - WEBHOOK_LOG_DAYS * DAY_MS)),
  );
}
