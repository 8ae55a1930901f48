import { type Selectable, type Updateable } from "kysely";
import type { Reader, Schema, Transaction } from "../../platform/database/database.ts";

export type Account = {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailKey: string;
  /** Null until a mail sent there comes back in the owner's session. */
  readonly addressConfirmedAt: Date | null;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly birthDate: string | null;
  readonly phoneNumber: string | null;
  readonly phoneVerifiedAt: Date | null;
  readonly gender: string;
  readonly address: string | null;
  readonly avatarSha256: Uint8Array | null;
  readonly notifications: {
    readonly email: boolean;
    readonly sms: boolean;
    readonly push: boolean;
  };
  readonly rhythm: { readonly quietHours: boolean; readonly dailySummary: boolean };
  readonly createdAt: Date;
  readonly activatedAt: Date | null;
  readonly deactivatedAt: Date | null;
};

const COLUMNS = [
  "id",
  "username",
  "email",
  "email_key",
  "address_confirmed_at",
  "password_hash",
  "first_name",
  "last_name",
  "birth_date",
  "phone_number",
  "phone_verified_at",
  "gender",
  "address",
  "avatar_sha256",
  "notify_email",
  "notify_sms",
  "notify_push",
  "quiet_hours",
  "daily_summary",
  "created_at",
  "activated_at",
  "deactivated_at",
] as const;

export type ProfileValues = {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly birthDate?: string | null;
  readonly phoneNumber?: string | null;
  readonly gender?: string;
  readonly address?: string | null;
  readonly avatarSha256?: Uint8Array | null;
};

type Names = {
  readonly username: string;
  readonly usernameKey: string;
  readonly email: string;
  readonly emailKey: string;
  readonly passwordHash: string;
};

export async function insertAccount(
  trx: Transaction,
  account: Names & { id: string; profile: ProfileValues; now: Date },
): Promise<void> {
  await trx
    .insertInto("users")
    .values({
      id: account.id,
      username: account.username,
      username_key: account.usernameKey,
      email: account.email,
      email_key: account.emailKey,
      password_hash: account.passwordHash,
      created_at: account.now,
      updated_at: account.now,
      ...profileColumns(account.profile),
    })
    .execute();
}

/** A changed number is no longer verified. */
export async function updateProfile(
  reader: Reader,
  change: { id: string; profile: ProfileValues; now: Date },
): Promise<void> {
  await reader
    .updateTable("users")
    .set((eb) => ({
      ...profileColumns(change.profile),
      ...(change.profile.phoneNumber === undefined
        ? {}
        : {
            phone_verified_at: eb
              .case()
              .when("phone_number", "=", change.profile.phoneNumber)
              .then(eb.ref("phone_verified_at"))
              .else(null)
              .end(),
          }),
      updated_at: change.now,
    }))
    .where("id", "=", change.id)
    .where("erased_at", "is", null)
    .execute();
}

export async function updateNotifications(
  trx: Transaction,
  change: { id: string; channels: Account["notifications"]; rhythm: Account["rhythm"]; now: Date },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({
      notify_email: change.channels.email,
      notify_sms: change.channels.sms,
      notify_push: change.channels.push,
      quiet_hours: change.rhythm.quietHours,
      daily_summary: change.rhythm.dailySummary,
      updated_at: change.now,
    })
    .where("id", "=", change.id)
    .where("erased_at", "is", null)
    .execute();
}

export async function updatePassword(
  trx: Transaction,
  change: { id: string; passwordHash: string; now: Date },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({ password_hash: change.passwordHash, updated_at: change.now })
    .where("id", "=", change.id)
    .where("erased_at", "is", null)
    .execute();
}

export async function activate(trx: Transaction, change: { id: string; now: Date }): Promise<void> {
  await trx
    .updateTable("users")
    .set({ activated_at: change.now, updated_at: change.now })
    .where("id", "=", change.id)
    .where("activated_at", "is", null)
    .execute();
}

export async function markAddressConfirmed(
  trx: Transaction,
  confirmed: { id: string; emailKey: string; now: Date },
): Promise<void> {
  await trx
    .updateTable("users")
    .set({ address_confirmed_at: confirmed.now })
    .where("id", "=", confirmed.id)
    .where("email_key", "=", confirmed.emailKey)
    .where("address_confirmed_at", "is", null)
    .execute();
}

export async function loadAccount(reader: Reader, id: string): Promise<Account | null> {
  return accountOf(
    await reader.selectFrom("users").select(COLUMNS).where("id", "=", id).executeTakeFirst(),
  );
}

/**
 * A name with `@` gives the activated account or null, then its newest pending registrations; any
 * other, the username's.
 */
export async function findLoginCandidates(
  reader: Reader,
  login: { readonly key: string; readonly waiting: number },
): Promise<readonly [Account | null, ...Account[]]> {
  const users = reader.selectFrom("users").select(COLUMNS);
  if (!login.key.includes("@"))
    return [accountOf(await users.where("username_key", "=", login.key).executeTakeFirst())];
  const named = users.where("email_key", "=", login.key);
  const activated = await named.where("activated_at", "is not", null).executeTakeFirst();
  const newest = named
    .where("activated_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(login.waiting);
  const waiting = (await newest.execute()).flatMap((row) => accountOf(row) ?? []);
  return [accountOf(activated), ...waiting];
}

export async function lockAccount(trx: Transaction, id: string): Promise<Account | null> {
  return accountOf(
    await trx
      .selectFrom("users")
      .select(COLUMNS)
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst(),
  );
}

/** Id and dates stay for evidence. Erased keys have capitals, which no text key has. */
export async function eraseAccount(
  trx: Transaction,
  erasure: { id: string; now: Date },
): Promise<void> {
  const { id, now } = erasure;
  for (const table of ["sessions", "account_tokens", "phone_codes", "address_changes"] as const)
    await trx.deleteFrom(table).where("user_id", "=", id).execute();
  await trx
    .updateTable("users")
    .set({
      username: "",
      username_key: `ERASED:${id}`,
      email: "",
      email_key: `ERASED:${id}`,
      address_confirmed_at: null,
      password_hash: "",
      first_name: "",
      last_name: "",
      birth_date: null,
      phone_number: null,
      phone_verified_at: null,
      gender: "",
      address: null,
      avatar_sha256: null,
      notify_email: false,
      notify_sms: false,
      notify_push: false,
      quiet_hours: false,
      daily_summary: false,
      deactivated_at: now,
      erased_at: now,
      updated_at: now,
    })
    .where("id", "=", id)
    .execute();
}

export async function findUsernameOwner(
  reader: Reader,
  usernameKey: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom("users")
    .select("id")
    .where("username_key", "=", usernameKey)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Reads stored counters; an unconfirmed address counts its own envelopes only. */
export async function countAwaited(
  reader: Reader,
  { id, emailKey, addressConfirmedAt }: Pick<Account, "id" | "emailKey" | "addressConfirmedAt">,
): Promise<number> {
  const row = await reader
    .selectFrom("inbox_counts")
    .select((eb) => eb.fn.sum<string | null>("count").as("count"))
    .where("email_key", "=", emailKey)
    .where("list", "=", "action_required")
    .$if(addressConfirmedAt === null, (counts) => counts.where("holder_id", "=", id))
    .executeTakeFirstOrThrow();
  return Number(row.count ?? 0);
}

export async function deleteAbandoned(reader: Reader, pendingBefore: Date): Promise<void> {
  await reader
    .deleteFrom("users")
    .where("activated_at", "is", null)
    .where("created_at", "<", pendingBefore)
    .execute();
}

type ProfileColumns = Pick<
  Updateable<Schema["users"]>,
  | "first_name"
  | "last_name"
  | "birth_date"
  | "phone_number"
  | "gender"
  | "address"
  | "avatar_sha256"
>;

function profileColumns(profile: ProfileValues): ProfileColumns {
  return {
    ...(profile.firstName === undefined ? {} : { first_name: profile.firstName }),
    ...(profile.lastName === undefined ? {} : { last_name: profile.lastName }),
    ...(profile.birthDate === undefined ? {} : { birth_date: profile.birthDate }),
    ...(profile.phoneNumber === undefined ? {} : { phone_number: profile.phoneNumber }),
    ...(profile.gender === undefined ? {} : { gender: profile.gender }),
    ...(profile.address === undefined ? {} : { address: profile.address }),
    ...(profile.avatarSha256 === undefined ? {} : { avatar_sha256: profile.avatarSha256 }),
  };
}

function accountOf(
  row: Pick<Selectable<Schema["users"]>, (typeof COLUMNS)[number]> | undefined,
): Account | null {
  if (!row) return null;
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    emailKey: row.email_key,
    passwordHash: row.password_hash,
    firstName: row.first_name,
    lastName: row.last_name,
    birthDate: row.birth_date,
    phoneNumber: row.phone_number,
    addressConfirmedAt: row.address_confirmed_at,
    phoneVerifiedAt: row.phone_verified_at,
    gender: row.gender,
    address: row.address,
    avatarSha256: row.avatar_sha256,
    notifications: { email: row.notify_email, sms: row.notify_sms, push: row.notify_push },
    rhythm: { quietHours: row.quiet_hours, dailySummary: row.daily_summary },
    createdAt: row.created_at,
    activatedAt: row.activated_at,
    deactivatedAt: row.deactivated_at,
  };
}
