import {
  failure,
  type MemberList,
  problem,
  type Result,
  type RoleRequest,
  success,
} from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { changeRole, isPermitted, noteEvent, selectRole } from "../../organisations/public.ts";
import { revokeSessionsOfUser } from "../session-store.ts";
import { selectWaiting } from "./invitation-store.ts";
import { selectMembers } from "./member-store.ts";

/** Whoever may not manage members sees names, addresses and roles alone. */
export async function listMembers(platform: Platform, userId: string): Promise<MemberList> {
  const watches = isPermitted(await selectRole(platform.db, userId), "watch_members");
  const rows = await selectMembers(platform.db);
  return {
    members: rows.map(({ id, name, email, role, joinedAt, hasSecondFactor, seenAt, teams }) => ({
      id,
      name,
      email,
      role,
      joined_at: joinedAt.toISOString(),
      has_second_factor: watches ? hasSecondFactor : null,
      seen_at: watches ? (seenAt?.toISOString() ?? null) : null,
      teams: [...teams],
    })),
    open_invitations: watches ? (await selectWaiting(platform.db)).length : null,
  };
}

type On = { readonly actorId: string; readonly userId: string };

/** Errors: `organisation_changed`; `owners_only`; `last_owner`. */
export function changeMemberRole(
  platform: Platform,
  { role, from, ...on }: On & RoleRequest,
): Promise<Result<null>> {
  return inTransaction(platform.db, (trx) => changeRole(trx, platform, { ...on, from, role }));
}

/** Errors: `not_found` for whoever is no member; `owners_only`. */
export function endMemberSessions(
  platform: Platform,
  { actorId, userId }: On,
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    const role = await selectRole(trx, userId);
    if (role === null) return failure(problem("not_found"));
    if (role === "owner" && !isPermitted(await selectRole(trx, actorId), "change_owner"))
      return failure(problem("owners_only"));
    await revokeSessionsOfUser(trx, { userId, exceptSessionId: null, now: platform.clock() });
    await noteEvent(trx, platform, { kind: "sessions_ended", actorId, subjectId: userId });
    return success(null);
  });
}
