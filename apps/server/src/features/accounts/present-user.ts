import type { User } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { type Account, countAwaited } from "./store.ts";

/** Where the avatar of whoever asks is served. */
export const AVATAR_PATH = "/api/signature/me/avatar/";

/** Gives an account as its owner sees it, with the count of what waits for their signature: of what was sent to an address that is not confirmed, nothing is told. */
export async function presentUser(reader: Reader, account: Account): Promise<User> {
  const { avatarSha256 } = account;
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
    // The query changes with the picture, so that a browser never shows the former one.
    avatar: avatarSha256 === null ? null : `${AVATAR_PATH}?v=${Buffer.from(avatarSha256).toString("hex").slice(0, 16)}`,
    notifications: account.notifications,
    unread_actions: await countAwaited(reader, account),
  };
}
