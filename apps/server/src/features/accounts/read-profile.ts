import type { NotificationChoice, User } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { loadAskedAddress } from "./address-change-store.ts";
import { presentUser } from "./present-user.ts";
import { loadAccount } from "./store.ts";

/** All that an account says of its owner; the picture by the hash it is stored under. */
export type ProfileCopy = {
  readonly profile: Omit<User, "avatar" | "unread_actions" | "notifications"> & {
    readonly created_at: string;
    readonly activated_at: string | null;
    /** The address they asked to have instead, not confirmed yet. */
    readonly asked_email: string | null;
  };
  readonly notifications: NotificationChoice;
  readonly avatarSha256: Uint8Array | null;
};

/** Gives a copy of an account to its owner, or null when there is none. */
export async function readProfile(reader: Reader, userId: string): Promise<ProfileCopy | null> {
  const account = await loadAccount(reader, userId);
  if (account === null || account.deactivatedAt !== null) return null;
  const { avatar: _shownElsewhere, unread_actions: _counted, notifications, ...profile } = await presentUser(reader, account);
  return {
    profile: {
      ...profile,
      created_at: account.createdAt.toISOString(),
      activated_at: account.activatedAt?.toISOString() ?? null,
      asked_email: await loadAskedAddress(reader, userId),
    },
    notifications: { ...notifications, quiet_hours: account.rhythm.quietHours, daily_summary: account.rhythm.dailySummary },
    avatarSha256: account.avatarSha256,
  };
}
