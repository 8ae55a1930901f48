import type { Reader } from "../../platform/database/database.ts";
import type { Member } from "../notices/public.ts";
import { loadAccount } from "./store.ts";

/** Gives an account's owner as their messages need them; null when nobody uses it any more. */
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
