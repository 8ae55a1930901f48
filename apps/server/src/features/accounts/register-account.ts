import {
  BIRTH_DATE_REQUIRED,
  failure,
  problem,
  type Problem,
  problemSentence,
  type RegisterAccount,
  type RegisterRequest,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { sqlState } from "../../platform/error-code.ts";
import { checkImage } from "../../platform/images/check-image.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy, Settings } from "../../platform/settings/settings.ts";
import { knownPasswordMinimum, loadRegistration } from "../organisations/public.ts";
import type { AccountDeps, Asker } from "./account-deps.ts";
import { checkPassword } from "./domain/check-password.ts";
import { checkBirthDate, checkUsername, emailKey, usernameKey } from "./domain/names.ts";
import { hashToken, limitLinks } from "./limit-requests.ts";
import { enqueueLink } from "./mailed-links.ts";
import {
  findInvitation,
  isAnybodyInvited,
  isUsable,
  takeInvitation,
} from "./members/invitation-store.ts";
import { grantInvited } from "./members/invitations.ts";
import {
  findLink,
  type StoredLink,
  useLink,
  deleteOldestPending,
  deletePending,
  findActivated,
  lockAddress,
} from "./registration-store.ts";
import {
  activate,
  findUsernameOwner,
  insertAccount,
  loadAccount,
  lockAccount,
  markAddressConfirmed,
  type ProfileValues,
} from "./store.ts";

type RegistrationSettings = Pick<Settings, "mailDisabled" | "registration">;
type Asking = Pick<RegisterRequest, "email" | "invitation">;

export async function mayAnybodyRegister({ settings, db, clock }: Platform): Promise<boolean> {
  const { kind } = await loadRegistration(db, settings);
  return kind !== "closed" || isAnybodyInvited(db, clock());
}

/**
 * Errors: `mail_off`, `registration_closed`; the invited get only `validation` for another address.
 */
async function mayRegister(
  { settings, db, clock }: Platform,
  asked: Asking,
): Promise<Result<null>> {
  const open = await checkOpen(db, settings, asked);
  if (asked.invitation === undefined) return open;
  const invitation = await findInvitation(db, hashToken(asked.invitation));
  if (invitation === null || !isUsable(invitation, clock())) return open;
  const { email } = invitation;
  return email === null || emailKey(email) === emailKey(asked.email)
    ? success(null)
    : failure(
        problem("validation", { errors: { email: [`Cette invitation est pour ${email}.`] } }),
      );
}

/**
 * A subdomain counts as another domain. Errors: `mail_off`; `registration_closed`, also for a used,
 * expired or mistyped invitation.
 */
async function checkOpen(
  reader: Reader,
  settings: RegistrationSettings,
  asked: Asking,
): Promise<Result<null>> {
  if (isOpenTo(await loadRegistration(reader, settings), asked.email)) return success(null);
  const mailed = checkMail(settings);
  return mailed.ok || asked.invitation !== undefined
    ? failure(problem("registration_closed"))
    : mailed;
}

function isOpenTo(policy: RegistrationPolicy, email: string): boolean {
  if (policy.kind !== "domains") return policy.kind === "open";
  const key = emailKey(email);
  return policy.domains.includes(key.slice(key.lastIndexOf("@") + 1));
}

/**
 * Deletes the other registrations of its address, with their links. Gives false when gone, or when
 * the address has an account.
 */
export async function activatePending(
  trx: Transaction,
  registration: { readonly id: string; readonly emailKey: string; readonly now: Date },
): Promise<boolean> {
  const { id, emailKey, now } = registration;
  await lockAddress(trx, emailKey);
  const account = await lockAccount(trx, id);
  const activated = await findActivated(trx, emailKey);
  if (account === null || (activated !== null && activated !== id)) return false;
  await activate(trx, { id, now });
  await deletePending(trx, emailKey);
  return true;
}

type Registered = { readonly isActivated: boolean };
type Registration = RegisterRequest & {
  readonly avatarFile: Uint8Array | null;
  readonly asker: Asker;
};

/** The oldest gives way, so that nobody can block the owner's. */
const WAITING_AT_ONCE = 20;
/** Source: PostgreSQL 18, appendix A. */
const UNIQUE_VIOLATION = "23505";
export const HAS_ACCOUNT = {
  email: ["Cette adresse a déjà un compte. Connectez-vous, ou choisissez une autre adresse."],
};
export const TAKEN = { username: ["Ce nom d’utilisateur est déjà pris"] };
const UNREADABLE = ["Cette image ne peut pas être lue. Choisissez un fichier PNG, JPG ou WebP."];
const AVATAR_SIDE_PX = 512;

/**
 * Only a mail says whether the address has an account (security line 27); usernames are public.
 * Where no mail leaves, an invited account is active at once, its address unconfirmed.
 * Errors: `validation` by field; `too_many_requests` for one address and network;
 * `registration_closed`, `mail_off`.
 */
export async function registerAccount(
  deps: AccountDeps,
  registration: Registration,
): Promise<Result<Registered, Problem>> {
  const { platform, hasher } = deps;
  const errors = await fieldErrors(deps, registration);
  const picture = registration.avatarFile === null ? null : checkImage(registration.avatarFile);
  if (picture?.ok === false) errors["avatar"] = avatarFault(picture.error);
  // A refused form costs no decoding and hashing.
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  const asked = await inTurn(deps, () => mayAsk(deps, registration));
  if (!asked.ok) return asked;
  const avatar =
    registration.avatarFile === null
      ? null
      : await platform.images.reencode(registration.avatarFile, { maximumSidePx: AVATAR_SIDE_PX });
  if (avatar?.ok === false)
    return avatar.error.code === "invalid_image"
      ? failure(problem("validation", { errors: { avatar: avatarFault(avatar.error) } }))
      : avatar;
  const avatarSha256 = avatar?.ok ? await platform.files.put(avatar.value) : null;
  return inTurn(deps, async () => {
    const hashed = await hasher.hash(registration.password);
    return hashed.ok
      ? commitDespiteRaces(deps, (trx) =>
          commitRegistration(trx, deps, {
            ...registration,
            passwordHash: hashed.value,
            avatarSha256,
          }),
        )
      : hashed;
  });
}

/** Does not check the address (security line 27). Errors: `validation` by field. */
export async function checkAccount(
  { platform }: AccountDeps,
  asked: RegisterAccount,
): Promise<Result<void, Problem>> {
  const errors = await accountErrors(platform, asked);
  const owner = errors["username"]
    ? null
    : await inTransaction(platform.db, (trx) =>
        findUsernameOwner(trx, usernameKey(asked.username)),
      );
  const found = owner === null ? errors : { ...errors, ...TAKEN };
  return Object.keys(found).length === 0
    ? success(undefined)
    : failure(problem("validation", { errors: found }));
}

async function inTurn<T>(
  { newcomers, platform }: AccountDeps,
  step: () => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const done = await newcomers(async () => {
    await platform.precedence.giveWay();
    return step();
  });
  return done.ok ? done.value : done;
}

async function mayAsk(
  { platform }: AccountDeps,
  registration: Registration,
): Promise<Result<null>> {
  const allowed = await mayRegister(platform, registration);
  if (!allowed.ok) return allowed;
  return limitLinks(platform, {
    purpose: "activation",
    ip: registration.asker.ip,
    emailKey: emailKey(registration.email),
  });
}

function avatarFault(refusal: Problem): string[] {
  return refusal.code === "image_too_large" ? [problemSentence(refusal)] : UNREADABLE;
}

/** Names a field taken between check and write. */
export async function commitDespiteRaces<T>(
  { platform }: Pick<AccountDeps, "platform">,
  commit: (trx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(platform.db, commit);
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION || attempt === 3) throw error;
    }
  }
}

type Asked = Registration & {
  readonly passwordHash: string;
  readonly avatarSha256: Uint8Array | null;
};

/**
 * Known and new addresses cost the same: one row and one job. The link opened first decides among
 * registrations.
 */
async function commitRegistration(
  trx: Transaction,
  { platform }: AccountDeps,
  asked: Asked,
): Promise<Result<Registered, Problem>> {
  const now = platform.clock();
  const keys = { usernameKey: usernameKey(asked.username), emailKey: emailKey(asked.email) };
  await lockAddress(trx, keys.emailKey);
  if ((await findUsernameOwner(trx, keys.usernameKey)) !== null)
    return failure(problem("validation", { errors: TAKEN }));
  const hash = asked.invitation === undefined ? null : hashToken(asked.invitation);
  const found = hash === null ? null : await findInvitation(trx, hash);
  // The invitation came to this address, which confirms it.
  const isMailed =
    found?.emailKey === keys.emailKey && isUsable(found, now) && found.role !== "owner";
  const isActivated = platform.settings.mailDisabled || isMailed;
  // Checked first: the invitation can still serve another address.
  if (isActivated && (await findActivated(trx, keys.emailKey)) !== null)
    return failure(problem("validation", { errors: HAS_ACCOUNT }));
  const { username, email, passwordHash } = asked;
  const invitation =
    hash === null
      ? null
      : await takeInvitation(trx, { sha256: hash, emailKey: keys.emailKey, now });
  // A concurrent registration may have used the invitation.
  const open = await checkOpen(trx, platform.settings, asked);
  if (invitation === null && !open.ok) return open;
  if (invitation === null && asked.birth_date === undefined)
    return failure(problem("validation", { errors: { birth_date: [BIRTH_DATE_REQUIRED] } }));
  const id = platform.newId();
  await deleteOldestPending(trx, { emailKey: keys.emailKey, kept: WAITING_AT_ONCE - 1 });
  await insertAccount(trx, {
    id,
    username,
    email,
    ...keys,
    passwordHash,
    profile: profileOf(asked),
    now,
  });
  if (invitation !== null && invitation.role !== null)
    await grantInvited(trx, platform, { ...invitation, userId: id, role: invitation.role });
  if (isMailed) await markAddressConfirmed(trx, { id, emailKey: keys.emailKey, now });
  if (isActivated) await activatePending(trx, { id, emailKey: keys.emailKey, now });
  else await enqueueLink(trx, platform, { purpose: "activation", email, registrationId: id });
  return success({ isActivated });
}

async function fieldErrors(
  { platform }: AccountDeps,
  registration: Registration,
): Promise<Record<string, string[]>> {
  const { birth_date } = registration;
  const birthDate = birth_date === undefined ? null : checkBirthDate(birth_date, platform.clock());
  return {
    ...(await accountErrors(platform, registration)),
    ...(birthDate === null ? {} : { birth_date: [birthDate] }),
  };
}

export async function accountErrors(
  platform: Platform,
  account: RegisterAccount,
): Promise<Record<string, string[]>> {
  const found = {
    username: checkUsername(account.username),
    password: checkPassword(account.password, {
      ...account,
      minimumLength: await knownPasswordMinimum(platform),
    }),
  };
  const errors: Record<string, string[]> = {};
  for (const [field, message] of Object.entries(found))
    if (message !== null) errors[field] = [message];
  return errors;
}

function profileOf(asked: Asked): ProfileValues {
  return {
    firstName: asked.first_name,
    lastName: asked.last_name,
    birthDate: asked.birth_date ?? null,
    phoneNumber: asked.phone_number || null,
    gender: asked.gender ?? "",
    address: asked.address || null,
    avatarSha256: asked.avatarSha256,
  };
}

type ActivationLink = { readonly uid: string; readonly token: string };

/**
 * Opens no session and is idempotent: a mail scanner may open the link first (security line 29).
 */
export async function activateAccount(platform: Platform, link: ActivationLink): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const stored = await load(trx, link);
    const account = stored === null ? null : await loadAccount(trx, stored.userId);
    if (stored === null || account === null) return false;
    // Lock order: the address before the link.
    await lockAddress(trx, account.emailKey);
    if (await useLink(trx, { sha256: hashToken(link.token), now })) {
      if (!(await activatePending(trx, { id: account.id, emailKey: account.emailKey, now })))
        return false;
      platform.log.info({ userId: stored.userId }, "account activated");
      return true;
    }
    return (await load(trx, link))?.usedAt instanceof Date && isAccountActive(trx, stored.userId);
  });
}

export async function isActivated(platform: Platform, link: ActivationLink): Promise<boolean> {
  const stored = await load(platform.db, link);
  if (stored === null) return false;
  return stored.usedAt === null
    ? stored.expiresAt > platform.clock()
    : isAccountActive(platform.db, stored.userId);
}

function load(reader: Reader, link: ActivationLink): Promise<StoredLink | null> {
  return findLink(reader, {
    sha256: hashToken(link.token),
    userId: link.uid,
    purpose: "activation",
  });
}

async function isAccountActive(reader: Reader, userId: string): Promise<boolean> {
  const account = await loadAccount(reader, userId);
  return account !== null && account.activatedAt !== null;
}
