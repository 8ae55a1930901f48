import {
  failure,
  type NotificationChoice,
  type NotificationsAnswer,
  type NotificationsRequest,
  type NotificationTrial,
  type Problem,
  problem,
  problemSentence,
  type ProfileRequest,
  type Result,
  success,
  type User,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { Reader } from "../../platform/database/database.ts";
import { inParallel, inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { isSmsOffered, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { limitRate, throttleKey } from "../../platform/throttle/throttle.ts";
import {
  countWaiting,
  enqueueNotices,
  mailDelayedTexts,
  type Member,
  noticesForMember,
  reconsiderWaiting,
} from "../notices/public.ts";
import { selectStanding } from "../organisations/public.ts";
import { loadAskedAddress } from "./contact-store.ts";
import { checkBirthDate } from "./domain/names.ts";
import type { SessionUser } from "./sessions.ts";
import { checkRoom } from "./storage-store.ts";
import {
  type Account,
  countAwaited,
  loadAccount,
  lockAccount,
  type ProfileValues,
  updateNotifications,
  updateProfile,
} from "./store.ts";

export async function loadMember(reader: Reader, userId: string): Promise<Member | null> {
  const account = await loadAccount(reader, userId);
  if (account === null || account.deactivatedAt !== null) return null;
  return {
    id: account.id,
    fullName: `${account.firstName} ${account.lastName}`.trim() || account.username,
    email: account.email,
    verifiedPhone: account.phoneVerifiedAt === null ? null : account.phoneNumber,
    channels: account.notifications,
    rhythm: account.rhythm,
  };
}

export const AVATAR_PATH = "/api/signature/me/avatar/";

/** Gives the account as its owner sees it. Only a confirmed address has awaited envelopes. */
export async function presentUser(reader: Reader, account: Account): Promise<User> {
  const { avatarSha256 } = account;
  const { awaited, standing } = await inParallel({
    awaited: countAwaited(reader, account),
    standing: selectStanding(reader, account.id),
  });
  const { role, teams } = standing;
  return {
    id: account.id,
    username: account.username,
    email: account.email,
    email_confirmed: account.addressConfirmedAt !== null,
    first_name: account.firstName,
    last_name: account.lastName,
    birth_date: account.birthDate,
    phone_number: account.phoneNumber,
    phone_verified: account.phoneVerifiedAt !== null,
    gender: account.gender,
    address: account.address,
    // The version in the address defeats the browser's cache.
    avatar: avatarSha256 === null ? null : `${AVATAR_PATH}?v=${toHex(avatarSha256).slice(0, 16)}`,
    notifications: account.notifications,
    unread_actions: awaited,
    ...(role === null ? {} : { organisation_role: role }),
    ...(teams.length === 0 ? {} : { teams: teams.map(({ id, name }) => ({ id, name })) }),
  };
}

export function behind(user: User, { teams }: Pick<SessionUser, "teams">): User {
  return {
    ...user,
    birth_date: null,
    phone_number: null,
    phone_verified: false,
    gender: "",
    address: null,
    avatar: null,
    unread_actions: 0,
    teams: teams.map(({ id, name }) => ({ id, name })),
  };
}

const AVATAR_SIDE_PX = 512;

/**
 * `avatarFile` wins over `avatar: null`, which removes the picture. The sweep deletes unused ones:
 * another account may be storing the same bytes.
 */
export async function editProfile(
  platform: Platform,
  edit: {
    readonly userId: string;
    readonly values: ProfileRequest;
    readonly avatarFile: Uint8Array | null;
  },
): Promise<Result<User, Problem>> {
  const now = platform.clock();
  const { values } = edit;
  const fault = values.birth_date ? checkBirthDate(values.birth_date, now) : null;
  if (fault !== null) return failure(problem("validation", { errors: { birth_date: [fault] } }));
  const avatar = await storeAvatar(platform, edit);
  if (!avatar.ok) return avatar;
  const profile = { ...columnsOf(values), ...avatar.value };
  return inTransaction<Result<User, Problem>>(platform.db, async (trx) => {
    const before = await lockAccount(trx, edit.userId);
    if (before === null) return failure(problem("session_expired"));
    await updateProfile(trx, { id: before.id, profile, now });
    const isOtherNumber =
      profile.phoneNumber !== undefined && profile.phoneNumber !== before.phoneNumber;
    if (isOtherNumber)
      await mailDelayedTexts(trx, { userId: before.id, address: before.email, now });
    const account = await loadAccount(trx, before.id);
    return account === null
      ? failure(problem("session_expired"))
      : success(await presentUser(trx, account));
  });
}

async function storeAvatar(
  platform: Platform,
  edit: Parameters<typeof editProfile>[1],
): Promise<Result<Pick<ProfileValues, "avatarSha256">, Problem>> {
  if (edit.avatarFile === null)
    return success(edit.values.avatar === null ? { avatarSha256: null } : {});
  const fits = await checkRoom(platform, { ownerId: edit.userId, bytes: edit.avatarFile.length });
  if (!fits.ok) return fits;
  const image = await platform.images.reencode(edit.avatarFile, { maximumSidePx: AVATAR_SIDE_PX });
  if (image.ok) return success({ avatarSha256: await platform.files.put(image.value) });
  const { code } = image.error;
  const isItsFault = code === "invalid_image" || code === "image_too_large";
  return isItsFault
    ? failure({ ...image.error, errors: { avatar: [problemSentence(image.error)] } })
    : image;
}

function columnsOf(values: ProfileRequest): ProfileValues {
  return {
    ...(values.first_name === undefined ? {} : { firstName: values.first_name }),
    ...(values.last_name === undefined ? {} : { lastName: values.last_name }),
    ...(values.birth_date === undefined ? {} : { birthDate: values.birth_date }),
    ...(values.phone_number === undefined ? {} : { phoneNumber: values.phone_number || null }),
    ...(values.gender === undefined ? {} : { gender: values.gender ?? "" }),
    ...(values.address === undefined ? {} : { address: values.address || null }),
  };
}

/**
 * Releases messages that waited for a channel no longer chosen.
 * Errors: `validation` when texts are chosen and cannot reach the owner.
 */
export async function chooseNotifications(
  platform: Platform,
  choice: { readonly userId: string; readonly wanted: NotificationsRequest },
): Promise<Result<NotificationChoice, Problem>> {
  const { userId } = choice;
  const { email, sms, push, quiet_hours, daily_summary } = choice.wanted;
  return inTransaction<Result<NotificationChoice, Problem>>(platform.db, async (trx) => {
    const account = await lockAccount(trx, userId);
    if (account === null || account.deactivatedAt !== null)
      return failure(problem("session_expired"));
    const fault = sms ? smsFault(platform, account) : null;
    if (fault !== null) return failure(problem("validation", { errors: { sms: [fault] } }));
    const channels = { email, sms, push };
    const rhythm = {
      quietHours: quiet_hours ?? account.rhythm.quietHours,
      dailySummary: daily_summary ?? account.rhythm.dailySummary,
    };
    await updateNotifications(trx, { id: userId, channels, rhythm, now: platform.clock() });
    const verifiedPhone = account.phoneVerifiedAt === null ? null : account.phoneNumber;
    await reconsiderWaiting(trx, platform, {
      id: userId,
      email: account.email,
      verifiedPhone,
      channels,
      rhythm,
    });
    return success({
      ...channels,
      quiet_hours: rhythm.quietHours,
      daily_summary: rhythm.dailySummary,
    });
  });
}

/** A choice of texts may stay while the number is unverified: mail goes instead. */
function smsFault(platform: Platform, account: Account): string | null {
  if (!isSmsOffered(platform.settings))
    return "Ce service n’envoie pas de SMS\u00a0: choisissez un autre canal";
  if (!account.phoneNumber) return "Ajoutez d’abord un numéro de téléphone à votre profil";
  if (textableNumber(platform.settings, account.phoneNumber) === null)
    return "Ce service n’envoie pas de SMS vers ce pays";
  const isNew = !account.notifications.sms;
  return isNew && account.phoneVerifiedAt === null
    ? "Vérifiez d’abord votre numéro de téléphone"
    : null;
}

export async function readNotifications(
  platform: Platform,
  userId: string,
): Promise<NotificationsAnswer | null> {
  const account = await loadAccount(platform.db, userId);
  if (account === null) return null;
  const { count, notBefore } = await countWaiting(platform.db, userId);
  return {
    ...account.notifications,
    quiet_hours: account.rhythm.quietHours,
    daily_summary: account.rhythm.dailySummary,
    sms_offered: isSmsOffered(platform.settings),
    waiting: notBefore === null ? null : { count, until: notBefore.toISOString() },
  };
}

export type ProfileCopy = {
  readonly profile: Omit<User, "avatar" | "unread_actions" | "notifications"> & {
    readonly created_at: string;
    readonly activated_at: string | null;
    /** The address requested, not confirmed yet. */
    readonly asked_email: string | null;
  };
  readonly notifications: NotificationChoice;
  readonly avatarSha256: Uint8Array | null;
};

export async function readProfile(reader: Reader, userId: string): Promise<ProfileCopy | null> {
  const account = await loadAccount(reader, userId);
  if (account === null || account.deactivatedAt !== null) return null;
  const {
    avatar: _shownElsewhere,
    unread_actions: _counted,
    notifications,
    ...profile
  } = await presentUser(reader, account);
  return {
    profile: {
      ...profile,
      created_at: account.createdAt.toISOString(),
      activated_at: account.activatedAt?.toISOString() ?? null,
      asked_email: await loadAskedAddress(reader, userId),
    },
    notifications: {
      ...notifications,
      quiet_hours: account.rhythm.quietHours,
      daily_summary: account.rhythm.dailySummary,
    },
    avatarSha256: account.avatarSha256,
  };
}

const TRIALS_PER_HOUR = 5;
const HOUR_S = 3_600;

/**
 * Sends on each chosen channel that reaches the owner, else by mail.
 * Errors: `too_many_requests` beyond five an hour; `mail_off`.
 */
export async function sendTrial(
  platform: Platform,
  userId: string,
): Promise<Result<NotificationTrial, Problem>> {
  return inTransaction<Result<NotificationTrial, Problem>>(platform.db, async (trx) => {
    const member = await loadMember(trx, userId);
    if (member === null) return failure(problem("session_expired"));
    const limited = await limitRate(
      { ...platform, db: trx },
      { key: throttleKey("notification-trial", userId), limit: TRIALS_PER_HOUR, windowS: HOUR_S },
    );
    if (!limited.ok) return limited;
    const link = `${platform.settings.publicUrl}/settings/notifications`;
    const notice = {
      kind: "trial",
      dedupeKey: `trial:${platform.newId()}`,
      content: { link },
    } as const;
    const notices = await noticesForMember(trx, platform, { member, notice });
    const mailed = notices.some(({ channel }) => channel === "email")
      ? checkMail(platform.settings)
      : success(null);
    if (!mailed.ok) return mailed;
    await enqueueNotices(trx, platform, notices);
    return success({ channels: notices.map(({ channel }) => channel) });
  });
}
