import { createPublicKey } from "node:crypto";
import { lookup } from "node:dns/promises";
import { isDeepStrictEqual } from "node:util";
import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import {
  MAX_WEBHOOKS,
  SECRET_OVERLAP_HOURS,
  TEST_TYPE,
  type Webhook,
  type WebhookChange,
  type WebhookList,
  type WebhookReplay,
  type WebhookRequest,
  type WebhookSecret,
  webhookAddressFault,
  type WebhookTries,
} from "@paraphe/contracts/webhooks";
import { isLoopbackHost, reachOf } from "../../../platform/addresses.ts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  chooseHolder,
  lockUser,
  noteProgram,
  requireFreshSignIn,
  selectHolders,
  type SessionUser,
} from "../../accounts/public.ts";
import { ed25519Key, secretContext } from "./send-webhooks.ts";
import {
  countWebhooks,
  deleteWebhook,
  insertTest,
  insertWebhook,
  pauseWebhook,
  replaceSecret,
  requeueEvent,
  resumeWebhook,
  selectTries,
  selectWebhooks,
  TRIES_A_PAGE,
  updateWebhook,
} from "./store.ts";

const SECRET_BYTES = 24;
const SEED_BYTES = 32;
const HOUR_MS = 3_600_000;

type Command = { readonly user: SessionUser; readonly id: string };

/** Errors: `fresh_sign_in_required`; `validation` on `url`, `holder`; `too_many_webhooks`; those of `lockUser`. */
export async function createWebhook(
  platform: Platform,
  { user, url, types, holder: asked }: WebhookRequest & { readonly user: SessionUser },
): Promise<Result<WebhookSecret, Problem>> {
  const fresh = user.means === "key" ? success(null) : await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  if (!(await isPublic(platform, url)))
    return failure(problem("validation", { errors: { url: [webhookAddressFault] } }));
  const id = platform.newId();
  const secret = platform.random(SECRET_BYTES);
  const seed = platform.random(SEED_BYTES);
  const { x = "" } = createPublicKey(ed25519Key(seed)).export({ format: "jwk" });
  return inTransaction<Result<WebhookSecret, Problem>>(platform.db, async (trx) => {
    const open = await lockUser(trx, user);
    if (!open.ok) return open;
    const holder = await chooseHolder(trx, platform, { user, id: asked });
    if (!holder.ok) return holder;
    if ((await countWebhooks(trx, holder.value.id)) >= MAX_WEBHOOKS)
      return failure(problem("too_many_webhooks"));
    await insertWebhook(trx, {
      id,
      userId: user.id,
      holder: holder.value,
      url,
      types,
      secretWrapped: platform.secrets.wrap(secret, secretContext(id)),
      seedWrapped: platform.secrets.wrap(seed, secretContext(id)),
      publicKey: Buffer.from(x, "base64url"),
      createdAt: platform.clock(),
    });
    platform.log.info({ userId: user.id, webhookId: id }, "webhook created");
    const [webhook] = await selectWebhooks(trx, { user, id });
    if (webhook === undefined) throw new Error("the inserted webhook is not there");
    await note(trx, platform, { kind: "webhook_created", user, webhook });
    return success({ webhook, secret: shown(secret) });
  });
}

type Noting = {
  readonly kind: Parameters<typeof noteProgram>[2]["kind"];
  readonly user: SessionUser;
  readonly webhook: Pick<Webhook, "url" | "holder">;
};

/** A path may be a secret. */
async function note(trx: Transaction, platform: Platform, noting: Noting): Promise<void> {
  const { url, holder } = noting.webhook;
  await noteProgram(trx, platform, { ...noting, name: new URL(url).host, holder });
}

const shown = (secret: Uint8Array) => `whsec_${Buffer.from(secret).toString("base64")}`;

async function isPublic({ settings }: Platform, address: string): Promise<boolean> {
  const mayReach = reachOf(settings);
  try {
    const { protocol, hostname, username, password } = new URL(address);
    if (username !== "" || password !== "") return false;
    const isLocal = protocol === "http:" && isLoopbackHost(hostname) && mayReach("127.0.0.1");
    if (protocol !== "https:" && !isLocal) return false;
    const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true });
    return found.length > 0 && found.every((one) => mayReach(one.address));
  } catch {
    return false;
  }
}

export async function listWebhooks({ db }: Platform, user: SessionUser): Promise<WebhookList> {
  const webhooks = [...(await selectWebhooks(db, { user }))];
  return { webhooks, holders: [...(await selectHolders(db, user))] };
}

/** Errors: `not_found` for another's or an unknown one, here and below. */
export async function findWebhook(
  { db }: { readonly db: Reader },
  { user, id }: Command,
): Promise<Result<Webhook, Problem>> {
  const [webhook] = await selectWebhooks(db, { user, id });
  return webhook === undefined ? failure(problem("not_found")) : success(webhook);
}

export async function changeWebhook(
  platform: Platform,
  { user, id, paused, ...change }: Command & WebhookChange,
): Promise<Result<Webhook, Problem>> {
  const { url } = change;
  const before = await findWebhook(platform, { user, id });
  if (!before.ok) return before;
  if (url !== undefined && url !== before.value.url) {
    const fresh = user.means === "key" ? success(null) : await requireFreshSignIn(platform, user);
    if (!fresh.ok) return fresh;
    if (!(await isPublic(platform, url)))
      return failure(problem("validation", { errors: { url: [webhookAddressFault] } }));
  }
  return inTransaction<Result<Webhook, Problem>>(platform.db, async (trx) => {
    const known = await findWebhook({ db: trx }, { user, id });
    if (!known.ok) return known;
    if (Object.keys(change).length > 0) await updateWebhook(trx, { id, ...change });
    if (paused === true) await pauseWebhook(trx, { id, why: "asked", at: platform.clock() });
    if (paused === false) await resumeWebhook(trx, id);
    const changed = await findWebhook({ db: trx }, { user, id });
    if (changed.ok && !isDeepStrictEqual(changed.value, known.value))
      await note(trx, platform, { kind: "webhook_changed", user, webhook: changed.value });
    return changed;
  });
}

/** The former secret signs beside the new one for 24 hours. */
export async function rotateSecret(
  platform: Platform,
  { user, id }: Command,
): Promise<Result<WebhookSecret, Problem>> {
  const known = await findWebhook(platform, { user, id });
  if (!known.ok) return known;
  const fresh = user.means === "key" ? success(null) : await requireFreshSignIn(platform, user);
  if (!fresh.ok) return fresh;
  const secret = platform.random(SECRET_BYTES);
  return inTransaction<Result<WebhookSecret, Problem>>(platform.db, async (trx) => {
    const webhook = await findWebhook({ db: trx }, { user, id });
    if (!webhook.ok) return webhook;
    await replaceSecret(trx, {
      id,
      secretWrapped: platform.secrets.wrap(secret, secretContext(id)),
      overlapUntil: new Date(platform.clock().getTime() + SECRET_OVERLAP_HOURS * HOUR_MS),
    });
    await note(trx, platform, { kind: "webhook_changed", user, webhook: webhook.value });
    platform.log.info({ userId: user.id, webhookId: id }, "webhook secret replaced");
    return success({ webhook: webhook.value, secret: shown(secret) });
  });
}

export async function removeWebhook(
  platform: Platform,
  { user, id }: Command,
): Promise<Result<null, Problem>> {
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    const webhook = await findWebhook({ db: trx }, { user, id });
    if (!webhook.ok) return webhook;
    await deleteWebhook(trx, id);
    await note(trx, platform, { kind: "webhook_deleted", user, webhook: webhook.value });
    return success(null);
  });
}

/** A test is sent even while paused, and not repeated. */
export async function testWebhook(
  platform: Platform,
  { user, id }: Command,
): Promise<Result<null, Problem>> {
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    const known = await findWebhook({ db: trx }, { user, id });
    if (!known.ok) return known;
    await insertTest(trx, { webhookId: id, type: TEST_TYPE, at: platform.clock() });
    return success(null);
  });
}

/** Errors: also `webhook_paused`. */
export async function replayTry(
  platform: Platform,
  { user, id, tryId }: Command & { readonly tryId: string },
): Promise<Result<WebhookReplay, Problem>> {
  return inTransaction<Result<WebhookReplay, Problem>>(platform.db, async (trx) => {
    const known = await findWebhook({ db: trx }, { user, id });
    if (!known.ok) return known;
    if (known.value.paused !== null) return failure(problem("webhook_paused"));
    const waits = await requeueEvent(trx, { id, tryId });
    return waits === null ? failure(problem("not_found")) : success({ waits });
  });
}

export async function listTries(
  { db }: Platform,
  { user, id, before }: Command & { readonly before: string | null },
): Promise<Result<WebhookTries, Problem>> {
  const known = await findWebhook({ db }, { user, id });
  if (!known.ok) return known;
  const tries = [...(await selectTries(db, { id, before }))];
  const next = tries.length === TRIES_A_PAGE ? (tries.at(-1)?.id ?? null) : null;
  return success({ tries, next });
}
