import {
  failure,
  FIRST_START_HOURS,
  type FirstAccount,
  problem,
  type Problem,
  type Result,
  success,
  type User,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { grantRole, lockOrganisation } from "../organisations/public.ts";
import type { AccountDeps, Asker } from "./account-deps.ts";
import { mailAddressLink } from "./change-address.ts";
import { emailKey, usernameKey } from "./domain/names.ts";
import { hashToken, mintToken } from "./limit-requests.ts";
import { presentUser } from "./profile.ts";
import {
  accountErrors,
  activatePending,
  commitDespiteRaces,
  HAS_ACCOUNT,
  TAKEN,
} from "./register-account.ts";
import {
  deleteFirstStarts,
  insertInvitation,
  isFirstStart,
  isFirstStartOpen,
} from "./members/invitation-store.ts";
import { findActivated, listAdministrators, lockAddress } from "./registration-store.ts";
import { openSession, type SessionTokens } from "./sessions.ts";
import { findUsernameOwner, insertAccount, loadAccount } from "./store.ts";

const VALID_MS = FIRST_START_HOURS * 3_600_000;

/**
 * Gives an address whose holder becomes the first administrator; null once there is one, or while
 * another process's address is valid.
 */
export function openFirstStart(platform: Platform): Promise<string | null> {
  return inTransaction(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    return (await isFirstStartOpen(trx, platform.clock())) ? null : mintAddress(trx, platform);
  });
}

export function renewFirstStart(platform: Platform): Promise<string | null> {
  return inTransaction(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    return mintAddress(trx, platform);
  });
}

async function mintAddress(trx: Transaction, platform: Platform): Promise<string | null> {
  if ((await listAdministrators(trx)).length > 0) return null;
  const { token, sha256 } = mintToken(platform);
  const now = platform.clock();
  await deleteFirstStarts(trx);
  const expiresAt = new Date(now.getTime() + VALID_MS);
  await insertInvitation(trx, { id: platform.newId(), sha256, role: "owner", now, expiresAt });
  // A fragment reaches no log and no other site.
  return `${platform.settings.publicUrl}/premier-demarrage#${token}`;
}

/** Errors: `first_start_used` with `since`; `first_start_expired`. */
export async function checkFirstStart(
  reader: Reader,
  { clock }: Pick<Platform, "clock">,
  token: string,
): Promise<Result<null>> {
  // Read before the administrators: a claim between the two reads is then said to be one.
  const isOpen = await isFirstStart(reader, { sha256: hashToken(token), now: clock() });
  const [first] = await listAdministrators(reader);
  if (first !== undefined)
    return failure(
      problem("first_start_used", { extensions: { since: first.since.toISOString() } }),
    );
  return isOpen ? success(null) : failure(problem("first_start_expired"));
}

type Claimed = { readonly user: User; readonly tokens: SessionTokens | null };
type Claim = {
  readonly token: string;
  readonly account: FirstAccount | null;
  readonly userId: string | null;
  readonly asker: Asker;
};

/**
 * The holder becomes the owner of the host organisation. The console vouches for a new account,
 * active at once; its address waits for the mailed link.
 * Errors: those of `checkFirstStart`; `validation` by field, which leaves the address usable.
 */
export async function claimFirstStart(
  deps: AccountDeps,
  claim: Claim,
): Promise<Result<Claimed, Problem>> {
  const { platform, hasher } = deps;
  const usable = await checkFirstStart(platform.db, platform, claim.token);
  if (!usable.ok) return usable;
  if (claim.userId !== null) return claimAs(deps, { ...claim, userId: claim.userId });
  if (claim.account === null) return failure(problem("session_expired"));
  const errors = await accountErrors(platform, claim.account);
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  const hashed = await hasher.hash(claim.account.password);
  if (!hashed.ok) return hashed;
  const made = { ...claim, account: claim.account, passwordHash: hashed.value };
  return commitDespiteRaces(deps, (trx) => commitFirstAccount(trx, platform, made));
}

function claimAs(
  { platform }: AccountDeps,
  { token, userId }: { readonly token: string; readonly userId: string },
): Promise<Result<Claimed, Problem>> {
  return inTransaction<Result<Claimed, Problem>>(platform.db, async (trx) => {
    await lockOrganisation(trx, platform);
    const usable = await checkFirstStart(trx, platform, token);
    return usable.ok ? makeOwner(trx, platform, userId) : usable;
  });
}

async function commitFirstAccount(
  trx: Transaction,
  platform: Platform,
  claim: Claim & { readonly account: FirstAccount; readonly passwordHash: string },
): Promise<Result<Claimed, Problem>> {
  const { username, email, first_name: firstName, last_name: lastName } = claim.account;
  const keys = { usernameKey: usernameKey(username), emailKey: emailKey(email) };
  const now = platform.clock();
  await lockAddress(trx, keys.emailKey);
  await lockOrganisation(trx, platform);
  const usable = await checkFirstStart(trx, platform, claim.token);
  if (!usable.ok) return usable;
  if ((await findUsernameOwner(trx, keys.usernameKey)) !== null)
    return failure(problem("validation", { errors: TAKEN }));
  if ((await findActivated(trx, keys.emailKey)) !== null)
    return failure(problem("validation", { errors: HAS_ACCOUNT }));
  const id = platform.newId();
  const { passwordHash } = claim;
  const profile = { firstName, lastName };
  await insertAccount(trx, { id, username, email, ...keys, passwordHash, profile, now });
  await activatePending(trx, { id, emailKey: keys.emailKey, now });
  await mailAddressLink(trx, platform, { account: { id, email, emailKey: keys.emailKey }, email });
  const tokens = await openSession(trx, platform, {
    userId: id,
    remembered: false,
    asker: claim.asker,
    means: "password",
  });
  const claimed = await makeOwner(trx, platform, id);
  return claimed.ok ? success({ ...claimed.value, tokens }) : claimed;
}

async function makeOwner(
  trx: Transaction,
  platform: Platform,
  userId: string,
): Promise<Result<Claimed, Problem>> {
  const account = await loadAccount(trx, userId);
  if (account === null || account.deactivatedAt !== null)
    return failure(problem("session_expired"));
  await grantRole(trx, platform, { userId, role: "owner", actorId: userId });
  await deleteFirstStarts(trx);
  platform.log.info({ userId }, "the address of the first start was used");
  return success({ user: await presentUser(trx, account), tokens: null });
}
