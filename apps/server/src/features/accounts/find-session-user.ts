import type { Platform } from "../../platform/platform.ts";
import { hashToken } from "./limit-requests.ts";
import { findSessionOwner } from "./session-store.ts";

/**
 * The signed-in user. `recipient_key`: the `email_key`, once the address was confirmed in a session
 * of the account, null until then; recipients are matched by it.
 */
export type SessionUser = {
  readonly id: string;
  readonly session_id: string;
  readonly username: string;
  readonly email: string;
  readonly email_key: string;
  readonly recipient_key: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly full_name: string;
};

export async function findSessionUser(
  platform: Platform,
  accessToken: string | null,
): Promise<SessionUser | null> {
  if (accessToken === null || accessToken === "") return null;
  const owner = await findSessionOwner(platform.db, {
    accessSha256: hashToken(accessToken),
    now: platform.clock(),
  });
  if (owner === null) return null;
  return {
    id: owner.id,
    session_id: owner.sessionId,
    username: owner.username,
    email: owner.email,
    email_key: owner.emailKey,
    recipient_key: owner.isAddressConfirmed ? owner.emailKey : null,
    first_name: owner.firstName,
    last_name: owner.lastName,
    full_name: `${owner.firstName} ${owner.lastName}`.trim() || owner.username,
  };
}
