import {
  failure,
  type MemberList,
  problem,
  type Result,
  type RoleRequest,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { enqueueNotice } from "../../notices/public.ts";
import {
  changeRole,
  checkPermission,
  type FactorAsked,
  isPermitted,
  knownIdentity,
  lockOrganisation,
  noteEvent,
  selectRole,
} from "../../organisations/public.ts";
import { deleteFactors } from "../factors/factor-store.ts";
import { notifyOwner } from "../factors/second-step.ts";
import { revokeSessionsOfUser } from "../session-store.ts";
import { selectWaiting } from "./invitation-store.ts";
import { lockAccount } from "../store.ts";
import { selectMembers } from "./member-store.ts";

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

export function changeMemberRole(
  platform: Platform,
  { role, from, ...on }: On & RoleRequest,
): Promise<Result<null>> {
  return inTransaction(platform.db, (trx) => changeRole(trx, platform, { ...on, from, role }));
}

/** Errors: `not_found`; `owners_only`. */
export function endMemberSessions(platform: Platform, on: On): Promise<Result<null>> {
  const { userId } = on;
  return changeMember(platform, on, "sessions_ended", (trx) =>
    revokeSessionsOfUser(trx, { userId, exceptSessionId: null, now: platform.clock() }),
  );
}

/** For a lost phone or key. Errors: `not_found`; `owners_only`. */
export function resetMemberFactors(platform: Platform, on: On): Promise<Result<null>> {
  return changeMember(platform, on, "factors_reset", (trx) => deleteFactors(trx, on.userId));
}

/** Mails whoever lacks the second factor that the organisation requires. */
export async function notifyWithoutFactor(
  trx: Transaction,
  platform: Platform,
  { by, confirmsSignatures }: FactorAsked,
): Promise<void> {
  const organisation = (await knownIdentity(platform))?.name ?? null;
  const link = `${platform.settings.publicUrl}/settings/security`;
  for (const { id, name, email, hasSecondFactor } of await selectMembers(trx))
    if (!hasSecondFactor)
      await enqueueNotice(trx, platform, {
        kind: "factor_asked",
        channel: "email",
        dedupeKey: `factor_asked:${platform.newId()}`,
        to: { fullName: name, address: email },
        userId: id,
        content: { organisation, by: by.toISOString(), signs: !confirmsSignatures, link },
      });
}

/** Notes the change in the organisation's journal and mails the member. */
function changeMember(
  platform: Platform,
  { actorId, userId }: On,
  change: "sessions_ended" | "factors_reset",
  commit: (trx: Transaction) => Promise<void>,
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    // Lock order: the organisation before the account.
    await lockOrganisation(trx, platform);
    const permitted = await checkPermission(
      trx,
      actorId,
      change === "sessions_ended" ? "end_sessions" : "reset_factors",
    );
    if (!permitted.ok) return permitted;
    const role = await selectRole(trx, userId);
    const account = role === null ? null : await lockAccount(trx, userId);
    if (account === null) return failure(problem("not_found"));
    if (role === "owner" && !isPermitted(await selectRole(trx, actorId), "change_owner"))
      return failure(problem("owners_only"));
    await commit(trx);
    await noteEvent(trx, platform, { kind: change, actorId, subjectId: userId });
    if (actorId !== userId) await notifyOwner(trx, platform, { account, change });
    return success(null);
  });
}
