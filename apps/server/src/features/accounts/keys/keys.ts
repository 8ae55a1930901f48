import { BlockList, isIPv6 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import {
  type ApiKey,
  type CreatedKey,
  failure,
  isReadScope,
  KEY_PREFIX,
  type KeyChange,
  type KeyList,
  type KeyRequest,
  MAX_KEYS,
  type Problem,
  type ProgramHolder,
  problem,
  type Result,
  success,
  type KeyScope,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { enqueueNotice } from "../../notices/public.ts";
import {
  isPermitted,
  lockOrganisation,
  nameHolder,
  noteEvent,
  type OrganisationEventKind,
  selectRole,
  selfOf,
} from "../../organisations/public.ts";
import { requireFreshSignIn } from "../factors/second-factors.ts";
import { hashToken } from "../limit-requests.ts";
import type { SessionUser } from "../sessions.ts";
import { type Account, lockAccount } from "../store.ts";
import {
  countKeys,
  deleteKey,
  findKey,
  type FoundKey,
  insertKey,
  selectHolders,
  selectKeys,
  updateKey,
  updateLastUse,
} from "./key-store.ts";

type Rule = readonly [method: RegExp, path: RegExp, scope: KeyScope | "any"];

const READ = /^(GET|HEAD)$/;
const WRITE = /^(POST|PUT|PATCH|DELETE)$/;
const ALL = /./;
const under = (rest: string) => new RegExp(`^/api/signature/${rest}$`);

/**
 * The first match counts. A route without a rule is for people alone: signing, account,
 * organisation.
 */
const RULES: readonly Rule[] = [
  [READ, under("me/"), "any"],
  // Each tool needs its own scope.
  [/^POST$/, /^\/api\/mcp\/$/, "any"],
  [ALL, under("me/webhooks/.*"), "webhooks:write"],
  [READ, under("envelopes/:id/(download|evidence)/"), "proof:read"],
  [READ, under("prints/.*"), "proof:read"],
  [READ, under("envelopes/(:id/)?"), "envelopes:read"],
  [READ, under("envelopes/counts/"), "envelopes:read"],
  [
    READ,
    under("envelopes/:id/(events|form|public-page|reminders|documents/.*)/?"),
    "envelopes:read",
  ],
  [READ, under("(templates|layouts|mailings)/.*"), "envelopes:read"],
  [READ, under("(dashboard|events/stream)/"), "envelopes:read"],
  [READ, /^\/api\/organisation\/circuits\/$/, "envelopes:read"],
  [
    WRITE,
    under(
      "envelopes/:id/(send|cancel|restore|remind|reminders|extend|deadline|purge|public-page)/",
    ),
    "envelopes:send",
  ],
  [WRITE, under("envelopes/:id/recipients/.*"), "envelopes:send"],
  [WRITE, under("envelopes/(:id/)?((duplicate|circuit)/)?"), "envelopes:write"],
  [WRITE, under("((templates|layouts)/.*|uploads/)"), "envelopes:write"],
  [WRITE, under("mailings/.*"), "envelopes:send"],
  [READ, under("(contacts/(:id/)?|recipients/.*)"), "contacts:read"],
  [ALL, under("prints/generate/"), "proof:read"],
];

/** Gives null where no key may call. `route`: the registered pattern. */
export function scopeOfRoute(method: string, route: string): KeyScope | "any" | null {
  const rule = RULES.find(([methods, path]) => methods.test(method) && path.test(route));
  return rule?.[2] ?? null;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 32;
const HINT_LENGTH = KEY_PREFIX.length + 4;
const DAY_MS = 86_400_000;

/** Draws base 62 uniformly: bytes above the last multiple are drawn again. */
function drawSecret({ random }: Pick<Platform, "random">): string {
  let secret = KEY_PREFIX;
  while (secret.length < KEY_PREFIX.length + SECRET_LENGTH)
    for (const byte of random(SECRET_LENGTH))
      if (byte < 248 && secret.length < KEY_PREFIX.length + SECRET_LENGTH)
        secret += ALPHABET[byte % 62];
  return secret;
}

export async function listKeys({ db }: Platform, user: SessionUser): Promise<KeyList> {
  return { keys: await selectKeys(db, { user }), holders: [...(await selectHolders(db, user))] };
}

/** Errors: `session_expired` or `key_unknown` once the account is closed. */
export async function lockUser(
  trx: Transaction,
  user: Pick<SessionUser, "id" | "means">,
): Promise<Result<Account>> {
  const account = await lockAccount(trx, user.id);
  if (account !== null && account.deactivatedAt === null) return success(account);
  return failure(problem(user.means === "key" ? "key_unknown" : "session_expired"));
}

async function checkRights(
  trx: Transaction,
  platform: Platform,
  { user, scopes }: { readonly user: SessionUser; readonly scopes: readonly KeyScope[] },
): Promise<Result<unknown, Problem>> {
  const role = await selectRole(trx, user.id);
  if (scopes.some((scope) => !isReadScope(scope)) && !isPermitted(role, "do_work"))
    return failure(problem("readers_only_read"));
  return requireFreshSignIn({ ...platform, db: trx }, user);
}

const NO_HOLDER = {
  holder: ["Choisissez une équipe que vous administrez, ou laissez ce champ vide."],
};

/** Errors: `validation` on `holder`. */
export async function chooseHolder(
  trx: Transaction,
  platform: Platform,
  { user, id }: { readonly user: SessionUser; readonly id: string | undefined },
): Promise<Result<ProgramHolder, Problem>> {
  const asked = id ?? selfOf(user);
  if (asked !== user.id) await lockOrganisation(trx, platform);
  const holder = (await selectHolders(trx, user)).find((one) => one.id === asked);
  return holder === undefined
    ? failure(problem("validation", { errors: NO_HOLDER }))
    : success(holder);
}

/** Mails the account. Errors: `readers_only_read`; `fresh_sign_in_required`; `too_many_keys`. */
export async function createKey(
  platform: Platform,
  { user, ...asked }: KeyRequest & { readonly user: SessionUser },
): Promise<Result<CreatedKey, Problem>> {
  const now = platform.clock();
  const secret = drawSecret(platform);
  const id = platform.newId();
  return inTransaction<Result<CreatedKey, Problem>>(platform.db, async (trx) => {
    const open = await lockUser(trx, user);
    if (!open.ok) return open;
    const allowed = await checkRights(trx, platform, { user, scopes: asked.scopes });
    if (!allowed.ok) return allowed;
    const holder = await chooseHolder(trx, platform, { user, id: asked.holder });
    if (!holder.ok) return holder;
    if ((await countKeys(trx, holder.value.id)) >= MAX_KEYS)
      return failure(problem("too_many_keys"));
    await insertKey(trx, {
      id,
      holder: holder.value,
      userId: user.id,
      sha256: hashToken(secret),
      hint: secret.slice(0, HINT_LENGTH),
      name: asked.name,
      scopes: asked.scopes,
      addresses: asked.addresses,
      origins: asked.origins,
      createdAt: now,
      expiresAt: asked.days === null ? null : new Date(now.getTime() + asked.days * DAY_MS),
    });
    const made = { name: asked.name, holder: holder.value };
    await noteProgram(trx, platform, { kind: "key_created", user, ...made });
    await mailAbout(trx, platform, { change: "key_created", account: open.value });
    platform.log.info({ userId: user.id, keyId: id }, "api key created");
    const [key] = await selectKeys(trx, { user, id });
    if (key === undefined) throw new Error("the inserted key is not there");
    return success({ key, secret });
  });
}

async function mailAbout(
  trx: Transaction,
  platform: Platform,
  mailed: {
    readonly change: "key_created" | "key_widened";
    readonly account: { readonly id: string; readonly email: string };
  },
): Promise<void> {
  const { change, account } = mailed;
  await enqueueNotice(trx, platform, {
    kind: "factors_changed",
    channel: "email",
    dedupeKey: `${change}:${platform.newId()}`,
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: {
      change,
      changedAt: platform.clock().toISOString(),
      resetLink: `${platform.settings.publicUrl}/settings/programmes`,
    },
  });
}

function isWider(key: ApiKey, { scopes = [], addresses, origins = [] }: KeyChange): boolean {
  const isFromAnywhere = key.addresses.length === 0;
  return (
    scopes.some((scope) => !key.scopes.includes(scope)) ||
    origins.some((origin) => !key.origins.includes(origin)) ||
    (addresses !== undefined &&
      !isFromAnywhere &&
      (addresses.length === 0 || addresses.some((one) => !key.addresses.includes(one))))
  );
}

type Known = { readonly user: SessionUser; readonly id: string };

export async function findOwnKey(
  { db }: { readonly db: Reader },
  known: Known,
): Promise<Result<ApiKey, Problem>> {
  const [key] = await selectKeys(db, known);
  return key === undefined ? failure(problem("not_found")) : success(key);
}

/** Mails the account when the key may do more. Errors: `not_found`; those of `createKey`. */
export async function changeKey(
  platform: Platform,
  { user, id, ...change }: KeyChange & Known,
): Promise<Result<ApiKey, Problem>> {
  return inTransaction<Result<ApiKey, Problem>>(platform.db, async (trx) => {
    const open = await lockUser(trx, user);
    if (!open.ok) return open;
    const known = await findOwnKey({ db: trx }, { user, id });
    if (!known.ok) return known;
    const allowed = await checkRights(trx, platform, { user, scopes: change.scopes ?? [] });
    if (!allowed.ok) return allowed;
    if (Object.keys(change).length === 0) return known;
    await updateKey(trx, { id, ...change });
    const changed = await findOwnKey({ db: trx }, { user, id });
    if (!changed.ok || isDeepStrictEqual(changed.value, known.value)) return changed;
    await noteProgram(trx, platform, { ...changed.value, kind: "key_changed", user });
    if (isWider(known.value, change))
      await mailAbout(trx, platform, { change: "key_widened", account: open.value });
    platform.log.info({ userId: user.id, keyId: id }, "api key changed");
    return changed;
  });
}

/** Every process refuses the key from the next call on. Errors: `not_found`. */
export async function revokeKey(
  platform: Platform,
  { user, id }: Known,
): Promise<Result<void, Problem>> {
  return inTransaction<Result<void, Problem>>(platform.db, async (trx) => {
    const key = await findOwnKey({ db: trx }, { user, id });
    if (!key.ok) return key;
    await deleteKey(trx, id);
    await noteProgram(trx, platform, { ...key.value, kind: "key_revoked", user });
    platform.log.info({ userId: user.id, keyId: id }, "api key revoked");
    return success(undefined);
  });
}

export async function noteProgram(
  trx: Transaction,
  platform: Platform,
  noted: {
    readonly kind: Extract<OrganisationEventKind, `${"key" | "webhook"}_${string}`>;
    readonly user: Pick<SessionUser, "id">;
    readonly name: string;
    readonly holder: ProgramHolder;
  },
): Promise<void> {
  const { kind, user, name, holder } = noted;
  if (kind.startsWith("webhook") && holder.kind === "person") return;
  if ((await selectRole(trx, user.id)) === null) return;
  const detail = { name, ...nameHolder(holder) };
  await noteEvent(trx, platform, { kind, actorId: user.id, detail });
}

const USE_EVERY_MS = 60_000;

export type KeyCaller = {
  readonly user: SessionUser;
  readonly noteUse: (() => Promise<void>) | null;
};

type KeyCall = {
  readonly secret: string;
  readonly ip: string;
  readonly method: string;
  readonly route: string;
};

/**
 * Gives who stands behind the key, within its scopes and without an address: it is no recipient.
 * Errors: `key_unknown`, `key_expired`; `key_address`; `key_scope`; `key_not_for_programs`.
 */
export async function findKeyUser(
  platform: Platform,
  { secret, ip, method, route }: KeyCall,
): Promise<Result<KeyCaller, Problem>> {
  const now = platform.clock();
  const key = await findKey(platform.db, hashToken(secret));
  if (key === null) return failure(problem("key_unknown"));
  if (key.expiresAt !== null && key.expiresAt <= now) return failure(problem("key_expired"));
  if (!isAllowedFrom(key.addresses, ip)) return failure(problem("key_address", { params: { ip } }));
  const scope = scopeOfRoute(method, route);
  if (scope === null) return failure(problem("key_not_for_programs"));
  if (scope !== "any" && !key.scopes.includes(scope))
    return failure(problem("key_scope", { params: { scope } }));
  const { lastUsedAt } = key;
  const isDue = lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > USE_EVERY_MS;
  const noteUse = () => updateLastUse(platform.db, { id: key.id, at: now });
  return success({ user: userOf(key), noteUse: isDue ? noteUse : null });
}

function userOf({ user, holder, ...key }: FoundKey): SessionUser {
  const isOwn = holder.kind === "person";
  return {
    id: user.id,
    session_id: key.id,
    username: user.username,
    email: user.email,
    email_key: isOwn ? user.emailKey : `KEY:${holder.id}`,
    recipient_key: null,
    first_name: user.firstName,
    last_name: user.lastName,
    full_name: `${user.firstName} ${user.lastName}`.trim() || user.username,
    role: user.role,
    teams: user.teams,
    ...(isOwn ? {} : { holder }),
    key_id: key.id,
    program: key.name,
    key_scopes: key.scopes,
    means: "key",
    second_factor_by: user.secondFactorBy,
  };
}

export function isAllowedFrom(addresses: readonly string[], ip: string): boolean {
  if (addresses.length === 0) return true;
  const list = new BlockList();
  for (const range of addresses) {
    const [address = "", bits] = range.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");
}
