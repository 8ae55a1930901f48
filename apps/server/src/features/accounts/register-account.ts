import {
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
import type { AccountDeps, Asker } from "./account-deps.ts";
import { checkPassword } from "./domain/check-password.ts";
import { checkBirthDate, checkUsername, emailKey, usernameKey } from "./domain/names.ts";
import { hashToken, limitLinks, mintToken } from "./limit-requests.ts";
import { findLink, type StoredLink, useLink } from "./link-store.ts";
import { enqueueLink } from "./mailed-links.ts";
import {
  deleteOldestPending,
  deletePending,
  findActivated,
  holdAddress,
  insertInvitation,
  isAnybodyInvited,
  isInvited,
  listAdministrators,
  promoteAccount,
  takeInvitation,
} from "./registration-store.ts";
import {
  activate,
  findUsernameOwner,
  insertAccount,
  loadAccount,
  lockAccount,
  type ProfileValues,
} from "./store.ts";

type RegistrationSettings = Pick<Settings, "mailDisabled" | "registration">;
type Asking = Pick<RegisterRequest, "email" | "invitation">;

/** Whether somebody may ask for an account, whoever it is: told before the form is read. */
export async function mayAnybodyRegister({ settings, db, clock }: Platform): Promise<boolean> {
  return registrationOf(settings).kind !== "closed" || isAnybodyInvited(db, clock());
}

/**
 * Lets somebody ask for an account. An address that has one gets the answer of any other: nothing here looks for it.
 * Errors: `mail_off`, `registration_closed`; neither of them for who is invited.
 */
async function mayRegister(
  { settings, db, clock }: Platform,
  asked: Asking,
): Promise<Result<null>> {
  const open = checkOpen(settings, asked);
  if (open.ok || asked.invitation === undefined) return open;
  return (await isInvited(db, { sha256: hashToken(asked.invitation), now: clock() }))
    ? success(null)
    : open;
}

/**
 * Lets an address register that no invitation lets in: its link is mailed. A subdomain is another domain.
 * Errors: `mail_off`; `registration_closed`, which is also what an invitation that is used, expired or mistyped gets: the person asks for another,
 * whether mail leaves or not.
 */
function checkOpen(settings: RegistrationSettings, asked: Asking): Result<null> {
  if (isOpenTo(registrationOf(settings), asked.email)) return success(null);
  const mailed = checkMail(settings);
  return mailed.ok || asked.invitation !== undefined
    ? failure(problem("registration_closed"))
    : mailed;
}

/** Gives who may register without an invitation: nobody where no mail leaves to confirm an address. */
export function registrationOf({
  mailDisabled,
  registration,
}: RegistrationSettings): RegistrationPolicy {
  return mailDisabled ? { kind: "closed" } : registration;
}

function isOpenTo(policy: RegistrationPolicy, email: string): boolean {
  if (policy.kind !== "domains") return policy.kind === "open";
  const key = emailKey(email);
  return policy.domains.includes(key.slice(key.lastIndexOf("@") + 1));
}

/**
 * Makes a registration the account of its address, in the caller's transaction; its other registrations, and their links, are forgotten.
 * False when the registration is gone, or the address has another account.
 */
async function activatePending(
  trx: Transaction,
  registration: { readonly id: string; readonly emailKey: string; readonly now: Date },
): Promise<boolean> {
  const { id, emailKey, now } = registration;
  await holdAddress(trx, emailKey);
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

/** Registrations of one address that wait at once. Beyond, the oldest gives way, so that a stranger’s do not keep the newest out. */
const WAITING_AT_ONCE = 20;
/** unique_violation: somebody took the name between our look and our write. Source: PostgreSQL 18, appendix A. */
const UNIQUE_VIOLATION = "23505";
/** Told to who is invited alone, where no mail can tell it. */
const HAS_ACCOUNT = {
  email: ["Cette adresse a déjà un compte. Connectez-vous, ou choisissez une autre adresse."],
};
const TAKEN = { username: ["Ce nom d’utilisateur est déjà pris"] };
const UNREADABLE = ["Cette image ne peut pas être lue. Choisissez un fichier PNG, JPG ou WebP."];
const AVATAR_SIDE_PX = 512;

/**
 * Asks for an account: nothing but a mail to its address tells whether the address has one already (security line 27).
 * Errors: `validation`, by field; a username that is taken is told, for usernames are public by nature; `too_many_requests` for an address that
 * was asked for too often from one network; `registration_closed` for whoever is neither invited nor of an address that may register;
 * `mail_off`, where no mail leaves, for whoever is not invited. Who is invited there has an activated account at once: the administrator who handed
 * the invitation over stands for the link; the address stays unconfirmed.
 */
export async function registerAccount(
  deps: AccountDeps,
  registration: Registration,
): Promise<Result<Registered, Problem>> {
  const { platform, hasher } = deps;
  const errors = fieldErrors(deps, registration);
  const picture = registration.avatarFile === null ? null : checkImage(registration.avatarFile);
  if (picture?.ok === false) errors["avatar"] = avatarFault(picture.error);
  // Nothing is decoded, nor hashed, for what is refused anyway.
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
      ? commitDespiteRaces(deps, { ...registration, passwordHash: hashed.value, avatarSha256 })
      : hashed;
  });
}

/**
 * Says, of the first step of a registration, all that is wrong with it at once: nobody fills in a profile for a name that is taken. Nothing is told of the
 * address (security line 27).
 * Errors: `validation`, by field.
 */
export async function checkAccount(
  { platform }: AccountDeps,
  asked: RegisterAccount,
): Promise<Result<void, Problem>> {
  const errors = accountErrors(platform, asked);
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

/** Runs a step of a registration: one at a time, as background work, so that a crowd of newcomers holds up nobody else. */
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

/** Says under its field why a picture is not taken: too many pixels is another fault than damage. */
function avatarFault(refusal: Problem): string[] {
  return refusal.code === "image_too_large" ? [problemSentence(refusal)] : UNREADABLE;
}

async function commitDespiteRaces(
  deps: AccountDeps,
  asked: Asked,
): Promise<Result<Registered, Problem>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(deps.platform.db, (trx) => commitRegistration(trx, deps, asked));
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
 * Known or new, an address costs one row and one job: what is mailed to it is the job's business, so that neither the time tells anything, nor the
 * name and password asked for, which are those of a registration that waits either way. A registration takes nothing from another of the same
 * address: each has its own name, password and link, and the link that is opened decides.
 */
async function commitRegistration(
  trx: Transaction,
  { platform }: AccountDeps,
  asked: Asked,
): Promise<Result<Registered, Problem>> {
  const now = platform.clock();
  const keys = { usernameKey: usernameKey(asked.username), emailKey: emailKey(asked.email) };
  await holdAddress(trx, keys.emailKey);
  if ((await findUsernameOwner(trx, keys.usernameKey)) !== null)
    return failure(problem("validation", { errors: TAKEN }));
  const isActivated = platform.settings.mailDisabled;
  // Before the invitation is used up: it serves for another address.
  if (isActivated && (await findActivated(trx, keys.emailKey)) !== null)
    return failure(problem("validation", { errors: HAS_ACCOUNT }));
  const { username, email, passwordHash } = asked;
  const invitation =
    asked.invitation === undefined
      ? null
      : await takeInvitation(trx, { sha256: hashToken(asked.invitation), now });
  // Two registrations by one invitation: the second comes too late.
  const open = checkOpen(platform.settings, asked);
  if (invitation === null && !open.ok) return open;
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
    administrator: invitation?.administrator ?? false,
  });
  if (isActivated) await activatePending(trx, { id, emailKey: keys.emailKey, now });
  else await enqueueLink(trx, platform, { purpose: "activation", email, registrationId: id });
  return success({ isActivated });
}

function fieldErrors(
  { platform }: AccountDeps,
  registration: Registration,
): Record<string, string[]> {
  const birthDate = checkBirthDate(registration.birth_date, platform.clock());
  return {
    ...accountErrors(platform, registration),
    ...(birthDate === null ? {} : { birth_date: [birthDate] }),
  };
}

function accountErrors({ settings }: Platform, account: RegisterAccount): Record<string, string[]> {
  const found = {
    username: checkUsername(account.username),
    password: checkPassword(account.password, {
      ...account,
      minimumLength: settings.passwordMinLength,
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
    birthDate: asked.birth_date,
    phoneNumber: asked.phone_number || null,
    gender: asked.gender ?? "",
    address: asked.address || null,
    avatarSha256: asked.avatarSha256,
  };
}

/** What an activation link carries. */
type ActivationLink = { readonly uid: string; readonly token: string };

/**
 * Activates the account of a link; true when it is activated. It opens no session, and may run again: a mail scanner that opened the link first
 * spoils nothing (security line 29).
 */
export async function activateAccount(platform: Platform, link: ActivationLink): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const stored = await load(trx, link);
    const account = stored === null ? null : await loadAccount(trx, stored.userId);
    if (stored === null || account === null) return false;
    // The address before the link: who opens two links of one address at once waits here for their turn.
    await holdAddress(trx, account.emailKey);
    if (await useLink(trx, { sha256: hashToken(link.token), now })) {
      if (!(await activatePending(trx, { id: account.id, emailKey: account.emailKey, now })))
        return false;
      platform.log.info({ userId: stored.userId }, "account activated");
      return true;
    }
    // Used before, or by a parallel opening that this one waited for; or never, and now too old.
    return (await load(trx, link))?.usedAt instanceof Date && isAccountActive(trx, stored.userId);
  });
}

/** Tells, changing nothing, what `activateAccount` would answer. */
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

const INVITATION_DAYS = 7;

/** What whoever operates the service may do about who has an account, by a command on its machine. */
export const administration = {
  /** Gives an address that lets whoever opens it register once, within seven days, whatever `REGISTRATION` says. */
  async invite(
    platform: Platform,
    { administrator }: { readonly administrator: boolean },
  ): Promise<string> {
    const { token, sha256 } = mintToken(platform);
    const now = platform.clock();
    const expiresAt = new Date(now.getTime() + INVITATION_DAYS * 86_400_000);
    await insertInvitation(platform.db, { sha256, administrator, now, expiresAt });
    return `${platform.settings.publicUrl}/register?invitation=${token}`;
  },
  promote: (platform: Platform, email: string): Promise<boolean> =>
    promoteAccount(platform.db, emailKey(email)),
  list: (platform: Platform): Promise<readonly string[]> => listAdministrators(platform.db),
};
