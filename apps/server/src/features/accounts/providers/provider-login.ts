import {
  failure,
  type MemberRole,
  type OfferedProvider,
  type Problem,
  problem,
  problemSentence,
  type ProviderKind,
  type ProviderReturnRequest,
  type Result,
  SECOND_STEP_S,
  success,
  type VouchedIdentity,
} from "@paraphe/contracts";
import type { Database, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { enqueueNotice } from "../../notices/public.ts";
import { grantRole, knownIdentity, selectRole } from "../../organisations/public.ts";
import type { Asker } from "../account-deps.ts";
import { emailKey, usernameKey } from "../domain/names.ts";
import {
  type Claims,
  claimedRole,
  isInDomains,
  usernameLike,
  type Vouched,
} from "../domain/provider-rules.ts";
import { hashToken, limitRequests, mintToken } from "../limit-requests.ts";
import { presentUser } from "../profile.ts";
import { activatePending, commitDespiteRaces } from "../register-account.ts";
import { findActivated, lockAddress } from "../registration-store.ts";
import { type LoggedIn, openSession, type SessionUser } from "../sessions.ts";
import { findUsernameOwner, insertAccount, loadAccount, lockAccount } from "../store.ts";
import {
  authorizationUrl,
  completeLogin,
  drawState,
  endSessionUrl,
  readLogoutToken,
  type Told,
} from "./provider-client.ts";
import {
  deleteLink,
  findLink,
  findLinkedAccount,
  findLogoutHint,
  findProvider,
  insertIdentity,
  insertProviderLogin,
  insertProviderSession,
  markTested,
  type Provider,
  type ProviderSession,
  putLink,
  revokeProviderSessions,
  selectProviders,
  takeProviderLogin,
} from "./provider-store.ts";

const AWAY_MS = SECOND_STEP_S * 1_000;
const LOGINS_PER_HOUR = 600;

/** Providers are read once in this time, as every login page asks. */
const READ_AGAIN_AFTER_MS = 5_000;
type Known = { readonly at: number; readonly providers: Promise<readonly Provider[]> };
const known = new WeakMap<Database, Known>();

function knownProviders({ db, clock }: Platform): Promise<readonly Provider[]> {
  const at = clock().getTime();
  const last = known.get(db);
  if (last !== undefined && Math.abs(at - last.at) < READ_AGAIN_AFTER_MS) return last.providers;
  const providers = selectProviders(db);
  known.set(db, { at, providers });
  providers.catch(() => known.delete(db));
  return providers;
}

export function forgetProviders({ db }: Platform): void {
  known.delete(db);
}

export async function offeredProviders(platform: Platform): Promise<OfferedProvider[]> {
  return (await knownProviders(platform)).map(({ kind, label }) => ({ kind, label }));
}

const RETRY = "Réessayez, ou choisissez un autre moyen de connexion.";
const CHECK_SETTINGS =
  "Vérifiez l’identifiant et le secret. Les sessions ouvertes restent ouvertes.";

async function toldOf(platform: Platform, kind: ProviderKind, isTrial: boolean): Promise<Told> {
  const advice = isTrial ? CHECK_SETTINGS : RETRY;
  if (kind === "proconnect") return { name: "ProConnect", advice, isTrial };
  const organisation = (await knownIdentity(platform))?.name;
  return { name: organisation ?? "de l’organisation", advice, isTrial };
}

type Start = {
  readonly kind: ProviderKind;
  readonly isTrial: boolean;
  /** The provider makes the person sign in again. */
  readonly isFresh: boolean;
  readonly browser: string | null;
  readonly asker: Asker;
};

/**
 * Only the browser with the cookie may use the state.
 * Errors: `not_found` without such a provider; those of `authorizationUrl`.
 */
export async function startProviderLogin(
  platform: Platform,
  { kind, isTrial, isFresh, browser, asker }: Start,
): Promise<Result<{ readonly location: string; readonly browser: string }, Problem>> {
  const limit = { kind: "provider-login", ip: asker.ip, perHour: LOGINS_PER_HOUR };
  const limited = await limitRequests(platform, limit);
  if (!limited.ok) return limited;
  const provider = await findProvider(platform.db, kind);
  if (provider === null) return failure(problem("not_found"));
  const state = drawState(platform);
  const told = await toldOf(platform, kind, isTrial);
  const location = await authorizationUrl(platform, provider, { ...told, state, isFresh });
  if (!location.ok) {
    if (isTrial) await noteTrial(platform, provider, location.error);
    return location;
  }
  const token = browser ?? mintToken(platform).token;
  await insertProviderLogin(platform.db, {
    state: hashToken(state),
    browser: hashToken(token),
    kind,
    isTrial,
    expiresAt: new Date(platform.clock().getTime() + AWAY_MS),
  });
  return success({ location: location.value, browser: token });
}

type Return = {
  readonly returned: ProviderReturnRequest;
  readonly browser: string | null;
  readonly asker: Asker;
};
type Finished = LoggedIn | { readonly trial: VouchedIdentity };

/**
 * Gives a session, or a trial's result. The provider's own second factor stands for the account's.
 * Errors: `provider_login_expired` for a state missing, used, too old or of another browser;
 * `provider_unlinked`; `provider_without_address`; those of `completeLogin`.
 */
export async function finishProviderLogin(
  platform: Platform,
  { returned, browser, asker }: Return,
): Promise<Result<Finished, Problem>> {
  const { state, remember_me: remembered, ...parameters } = returned;
  const login =
    state === undefined || browser === null
      ? null
      : await takeProviderLogin(platform.db, {
          state: hashToken(state),
          browser: hashToken(browser),
          now: platform.clock(),
        });
  const provider = login === null ? null : await findProvider(platform.db, login.kind);
  if (login === null || provider === null || state === undefined || browser === null)
    return failure(problem("provider_login_expired"));
  const told = await toldOf(platform, login.kind, login.isTrial);
  const answer = await completeLogin(platform, provider, { ...told, state, ...parameters });
  if (login.isTrial) await noteTrial(platform, provider, answer.ok ? null : answer.error);
  if (!answer.ok) return answer;
  const { session, claims } = answer.value;
  if (login.isTrial) return success({ trial: presentVouched(session) });
  const entering = { provider, session, claims, remembered, browser, asker };
  const entered = await commitDespiteRaces({ platform }, (trx) => enter(trx, platform, entering));
  platform.log.info(
    { provider: provider.kind, ip: asker.ip, refusal: entered.ok ? null : entered.error.code },
    "provider login",
  );
  return entered;
}

async function noteTrial(
  platform: Platform,
  { kind, version }: Provider,
  fault: Problem | null,
): Promise<void> {
  const failed = fault === null ? null : problemSentence(fault);
  await markTested(platform.db, { kind, version, now: platform.clock(), failure: failed });
  forgetProviders(platform);
}

export function presentVouched({ issuer, vouched }: ProviderSession): VouchedIdentity {
  return {
    provider: new URL(issuer).host,
    full_name: fullNameOf(vouched),
    email: vouched.email,
    siret: vouched.siret,
  };
}

function fullNameOf({ givenName, familyName }: Vouched): string | null {
  return [givenName, familyName].filter((part) => part !== null).join(" ") || null;
}

type Entering = {
  readonly provider: Provider;
  readonly session: ProviderSession;
  readonly claims: Claims;
  readonly remembered: boolean;
  readonly browser: string;
  readonly asker: Asker;
};

async function enter(
  trx: Transaction,
  platform: Platform,
  entering: Entering,
): Promise<Result<LoggedIn, Problem>> {
  const { provider, session, claims, remembered, asker } = entering;
  const linked = await findLinkedAccount(trx, session);
  const made = linked === null ? await makeAccount(trx, platform, entering) : success(linked);
  if (!made.ok) return made;
  const userId = made.value;
  const tokens = await openSession(trx, platform, { userId, remembered, asker, means: "provider" });
  // A removed member's account is closed and gets no new role.
  if (tokens !== null)
    await followRole(trx, platform, { userId, provider, claims, isNew: linked === null });
  const account = tokens === null ? null : await loadAccount(trx, userId);
  if (tokens === null || account === null)
    return failure(
      problem("provider_unlinked", { params: { email: session.vouched.email ?? "" } }),
    );
  await insertProviderSession(trx, { ...session, sessionId: tokens.sessionId });
  return success({ user: await presentUser(trx, account), tokens });
}

/**
 * Makes an account for a new address of the provider's domains. An existing one is linked once its
 * owner signs in by its own means, never by its address.
 */
async function makeAccount(
  trx: Transaction,
  platform: Platform,
  { provider, session, browser }: Entering,
): Promise<Result<string, Problem>> {
  const { email, givenName, familyName } = session.vouched;
  const now = platform.clock();
  if (email === null) {
    const host = new URL(session.issuer).host;
    return failure(problem("provider_without_address", { params: { host } }));
  }
  const key = emailKey(email);
  await lockAddress(trx, key);
  const isTaken = (await findActivated(trx, key)) !== null;
  if (isTaken || !isInDomains(email, provider.domains)) {
    const expiresAt = new Date(now.getTime() + AWAY_MS);
    await putLink(trx, { ...session, emailKey: key, browser: hashToken(browser), expiresAt });
    return failure(problem("provider_unlinked", { params: { email } }));
  }
  const id = platform.newId();
  const username = await freeUsername(trx, platform, usernameLike(email));
  await insertAccount(trx, {
    id,
    username,
    usernameKey: usernameKey(username),
    email,
    emailKey: key,
    passwordHash: "",
    profile: { firstName: givenName ?? "", lastName: familyName ?? "" },
    now,
  });
  await activatePending(trx, { id, emailKey: key, now });
  await insertIdentity(trx, { ...session, userId: id, now });
  platform.log.info({ userId: id, provider: provider.kind }, "account made at its first login");
  return success(id);
}

async function freeUsername(trx: Transaction, platform: Platform, wanted: string): Promise<string> {
  for (let at = 1; at < 10; at++) {
    const name = at === 1 ? wanted : `${wanted}${at}`;
    if ((await findUsernameOwner(trx, usernameKey(name))) === null) return name;
  }
  return `${wanted}.${Buffer.from(platform.random(4)).toString("hex")}`;
}

type Following = {
  readonly userId: string;
  readonly provider: Provider;
  readonly claims: Claims;
  readonly isNew: boolean;
};

/** A claim sets the role at each login; without one, a new account gets its role once. */
async function followRole(
  trx: Transaction,
  platform: Platform,
  { userId, provider, claims, isNew }: Following,
): Promise<void> {
  const { roleClaim, arrivalRole } = provider;
  const current = await selectRole(trx, userId);
  const claimed = roleClaim === null ? null : claimedRole(claims, roleClaim);
  const isMember = isNew || (roleClaim !== null && current !== null);
  const role: MemberRole | null = claimed ?? (isMember ? arrivalRole : null);
  if (role === null || role === current || current === "owner") return;
  await grantRole(trx, platform, { userId, role, actorId: userId });
  platform.log.info({ userId, role, provider: provider.kind }, "role set by the provider");
}

type OwnMeans = {
  readonly account: { readonly id: string; readonly email: string; readonly emailKey: string };
  readonly means: "password" | "passkey";
  readonly browser: string | null;
};

/**
 * An owner may use a passkey while the provider is away; whoever comes from it is about to be
 * linked.
 * Errors: `provider_required`.
 */
export async function checkOwnMeans(
  platform: Platform,
  { account, means, browser }: OwnMeans,
): Promise<Result<null>> {
  const only = (await knownProviders(platform)).find(
    ({ isOnlyWay, domains }) => isOnlyWay && isInDomains(account.email, domains),
  );
  if (only === undefined) return success(null);
  const { db } = platform;
  if (means === "passkey" && (await selectRole(db, account.id)) === "owner") return success(null);
  const now = platform.clock();
  const asked = { browser: hashToken(browser ?? ""), emailKey: account.emailKey, now };
  return (await findLink(db, asked)) === null
    ? failure(problem("provider_required", { params: { label: only.label } }))
    : success(null);
}

/**
 * Links whom this browser proved to be at a provider, and mails the owner. Gives false without
 * proof.
 */
export async function linkIdentity(
  platform: Platform,
  { user, browser }: { readonly user: SessionUser; readonly browser: string | null },
): Promise<boolean> {
  if (browser === null) return false;
  const sha256 = hashToken(browser);
  const now = platform.clock();
  return inTransaction(platform.db, async (trx) => {
    const account = await lockAccount(trx, user.id);
    if (account === null || account.deactivatedAt !== null) return false;
    const identity = await findLink(trx, { browser: sha256, emailKey: user.email_key, now });
    if (identity === null) return false;
    await deleteLink(trx, sha256);
    const isLinked = await insertIdentity(trx, { ...identity, userId: user.id, now });
    if (!isLinked) return false;
    await enqueueNotice(trx, platform, {
      kind: "factors_changed",
      channel: "email",
      dedupeKey: `factors_changed:${platform.newId()}`,
      to: { fullName: "", address: user.email },
      userId: user.id,
      content: {
        change: "provider_linked",
        changedAt: now.toISOString(),
        resetLink: `${platform.settings.publicUrl}/password-reset`,
      },
    });
    platform.log.info({ userId: user.id, provider: identity.kind }, "account linked");
    return true;
  });
}

/** Gives null for a session of the service's own means. */
export async function providerLogout(
  platform: Platform,
  sessionTokens: readonly (string | null)[],
): Promise<string | null> {
  const tokens = sessionTokens.filter((token) => token !== null).map(hashToken);
  const hint = await findLogoutHint(platform.db, tokens);
  return hint === null ? null : endSessionUrl(platform, hint);
}

/** Errors: `provider_token_refused` unless valid; `not_found`. */
export async function endProviderSessions(
  platform: Platform,
  { kind, token }: { readonly kind: ProviderKind; readonly token: string },
): Promise<Result<number, Problem>> {
  const provider = await findProvider(platform.db, kind);
  if (provider === null) return failure(problem("not_found"));
  const told = await toldOf(platform, kind, false);
  const read = await readLogoutToken(platform, provider, { ...told, token });
  if (!read.ok) return read;
  const { issuedAt, ...ended } = read.value;
  const now = platform.clock();
  // Tolerates a provider's clock a little ahead: its login's session still ends.
  const openedBefore = new Date(issuedAt.getTime() + CLOCK_DIFFERENCE_MS);
  const sessions = await revokeProviderSessions(platform.db, { ...ended, openedBefore, now });
  platform.log.info({ provider: kind, sessions }, "sessions ended by the provider");
  return success(sessions);
}

const CLOCK_DIFFERENCE_MS = 30_000;
