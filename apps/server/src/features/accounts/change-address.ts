import {
  ADDRESS_LINK_HOURS,
  failure,
  type Problem,
  problem,
  type Result,
  success,
  type User,
  maskEmail,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { limitRate, throttleKey } from "../../platform/throttle/throttle.ts";
import { enqueueNotice, readdressDelayed } from "../notices/public.ts";
import type { AccountDeps } from "./account-deps.ts";
import { confirmPassword } from "./change-password.ts";
import {
  deleteAddressChange,
  findAddressChange,
  putAddressChange,
  writeAddress,
} from "./contact-store.ts";
import { emailKey } from "./domain/names.ts";
import type { SessionUser } from "./sessions.ts";
import { hashToken, mintToken } from "./limit-requests.ts";
import { notifyAlreadyRegistered } from "./mailed-links.ts";
import { presentUser } from "./profile.ts";
import {
  expireUnusedLinks,
  deletePending,
  findActivated,
  lockAddress,
} from "./registration-store.ts";
import { type Account, loadAccount, lockAccount, markAddressConfirmed } from "./store.ts";

const REQUESTS_PER_HOUR = 5;
const HOUR_S = 3_600;

/**
 * Mails a link to the new address and a warning to the current one; an unconfirmed one gets the
 * link alone. An address with an account gets the same answer, and a mail without link (security
 * line 31).
 * Errors: `validation` (password; the confirmed address again), `wrong_passwords`,
 * `too_many_requests`, `mail_off`.
 */
export async function requestAddressChange(
  deps: AccountDeps,
  asked: { readonly user: SessionUser; readonly email: string; readonly password: string },
): Promise<Result<void, Problem>> {
  const { platform } = deps;
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  const confirmed = await confirmPassword(deps, {
    ...asked,
    refusal: { password: ["Mot de passe incorrect"] },
  });
  if (!confirmed.ok) return confirmed;
  return inTransaction<Result<void, Problem>>(platform.db, async (trx) => {
    const limited = await limitRate(
      { ...platform, db: trx },
      {
        key: throttleKey("address-change", asked.user.id),
        limit: REQUESTS_PER_HOUR,
        windowS: HOUR_S,
      },
    );
    if (!limited.ok) return limited;
    const account = await lockAccount(trx, asked.user.id);
    if (account === null || account.deactivatedAt !== null)
      return failure(problem("session_expired"));
    const key = emailKey(asked.email);
    if (key === account.emailKey && account.addressConfirmedAt !== null)
      return failure(
        problem("validation", { errors: { email: ["C’est déjà l’adresse de votre compte"] } }),
      );
    await mailAddressLink(trx, platform, { account, email: asked.email });
    return success(undefined);
  });
}

type AskedAddress = {
  readonly account: Pick<Account, "id" | "email" | "emailKey">;
  readonly email: string;
};

/** Nothing is mailed where mail is off. */
export async function mailAddressLink(
  trx: Transaction,
  platform: Platform,
  { account, email }: AskedAddress,
): Promise<void> {
  if (!checkMail(platform.settings).ok) return;
  const { token, sha256 } = mintToken(platform);
  const now = platform.clock();
  await putAddressChange(trx, {
    userId: account.id,
    tokenSha256: sha256,
    email,
    emailKey: emailKey(email),
    createdAt: now,
    expiresAt: new Date(now.getTime() + ADDRESS_LINK_HOURS * HOUR_S * 1_000),
  });
  await notifyAddresses(trx, platform, { account, email, token });
}

async function notifyAddresses(
  trx: Transaction,
  platform: Platform,
  asked: AskedAddress & { readonly token: string },
): Promise<void> {
  const { publicUrl } = platform.settings;
  if (emailKey(asked.email) !== asked.account.emailKey) {
    await enqueueNotice(trx, platform, {
      kind: "address_changing",
      channel: "email",
      dedupeKey: `address_asked:${platform.newId()}`,
      to: { fullName: "", address: asked.account.email },
      userId: asked.account.id,
      content: {
        newAddress: maskEmail(asked.email),
        done: false,
        resetLink: `${publicUrl}/password-reset`,
      },
    });
    const takenBy = await findActivated(trx, emailKey(asked.email));
    const owner = takenBy === null ? null : await loadAccount(trx, takenBy);
    if (owner !== null) return notifyAlreadyRegistered(trx, platform, owner);
  }
  await enqueueNotice(trx, platform, {
    kind: "address_confirmation",
    channel: "email",
    dedupeKey: `address_confirmation:${toHex(hashToken(asked.token))}`,
    to: { fullName: "", address: asked.email },
    senderId: asked.account.id,
    // The account's id is left out: the owner's list of messages would reveal it. The link works in
    // the asker's session alone: a mail filter that opens it changes nothing.
    content: { link: `${publicUrl}/profile?email=${asked.token}` },
  });
}

/**
 * Serves once, in a session of the asker: stores the new address or confirms the current one. Links
 * to the former one end, and a mail goes there.
 * Errors: `address_link_expired` for a wrong, used, replaced, old or foreign link, and an address
 * with an account.
 */
export async function confirmAddress(
  platform: Platform,
  entry: { readonly userId: string; readonly token: string },
): Promise<Result<User, Problem>> {
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const now = platform.clock();
    const { userId } = entry;
    const tokenSha256 = hashToken(entry.token);
    const asked = await findAddressChange(trx, { userId, tokenSha256, now });
    if (asked === null) return failure(problem("address_link_expired"));
    // Lock order: the address before the account.
    await lockAddress(trx, asked.emailKey);
    const account = await lockAccount(trx, userId);
    const still = await findAddressChange(trx, { userId, tokenSha256, now });
    const taken = await findActivated(trx, asked.emailKey);
    if (account === null || still === null || (taken !== null && taken !== userId))
      return failure(problem("address_link_expired"));
    await deleteAddressChange(trx, userId);
    if (taken === userId) {
      await markAddressConfirmed(trx, { id: userId, emailKey: asked.emailKey, now });
      return presented(trx, userId);
    }
    await writeAddress(trx, { userId, email: asked.email, emailKey: asked.emailKey, now });
    await readdressDelayed(trx, { userId, address: asked.email });
    await deletePending(trx, asked.emailKey);
    await expireUnusedLinks(trx, { userId, purpose: "reset", now });
    await enqueueNotice(trx, platform, {
      kind: "address_changing",
      channel: "email",
      dedupeKey: `address_changed:${platform.newId()}`,
      to: { fullName: "", address: account.email },
      userId,
      content: {
        newAddress: maskEmail(asked.email),
        done: true,
        resetLink: `${platform.settings.publicUrl}/password-reset`,
      },
    });
    platform.log.info({ userId }, "the address of an account changed");
    return presented(trx, userId);
  });
}

async function presented(trx: Transaction, userId: string): Promise<Result<User, Problem>> {
  const account = await loadAccount(trx, userId);
  return account === null
    ? failure(problem("session_expired"))
    : success(await presentUser(trx, account));
}

/**
 * Confirms the address, in the caller's transaction, by something mailed there that came back in a
 * session: its owner may act as recipient.
 */
export async function confirmOwnAddress(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "log">,
  user: SessionUser,
): Promise<void> {
  await markAddressConfirmed(trx, { id: user.id, emailKey: user.email_key, now: platform.clock() });
  platform.log.info({ userId: user.id }, "the address of an account was confirmed by its owner");
}
