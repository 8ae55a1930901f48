import { failure, type MemberRole, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { EventDetail, OrganisationEventKind } from "./domain/journal-words.ts";
import { isPermitted, type OrganisationAction, refusalOf } from "./domain/permissions.ts";
import {
  countMembers,
  deleteMemberships,
  eraseEventAddress,
  insertEvent,
  lockHost,
  selectRole,
  updateRole,
  upsertMember,
} from "./store.ts";

type Minting = Pick<Platform, "newId" | "clock">;

export type OrganisationEvent = {
  readonly kind: OrganisationEventKind;
  readonly actorId: string | null;
  readonly subjectId?: string;
  readonly detail?: EventDetail;
};

export async function noteEvent(
  trx: Transaction,
  platform: Minting,
  {
    kind,
    actorId,
    subjectId = null,
    detail = {},
  }: Omit<OrganisationEvent, "subjectId"> & {
    readonly subjectId?: string | null;
  },
): Promise<void> {
  const at = platform.clock();
  const { id: organisationId } = await lockHost(trx, { id: platform.newId(), now: at });
  const id = platform.newId();
  await insertEvent(trx, { id, organisationId, at, kind, actorId, subjectId, detail });
}

export async function grantRole(
  trx: Transaction,
  platform: Minting,
  member: {
    readonly userId: string;
    readonly role: MemberRole;
    readonly actorId: string | null;
  },
): Promise<void> {
  const { userId, role, actorId } = member;
  const now = platform.clock();
  const { id } = await lockHost(trx, { id: platform.newId(), now });
  const from = await upsertMember(trx, { organisationId: id, userId, role, now });
  if (from === role || from === "owner") return;
  await noteEvent(trx, platform, {
    kind: from === null ? "member_joined" : "role_changed",
    actorId,
    subjectId: userId,
    detail: { role, from },
  });
}

export async function checkPermission(
  trx: Transaction,
  actorId: string,
  action: OrganisationAction,
): Promise<Result<null>> {
  return isPermitted(await selectRole(trx, actorId), action)
    ? success(null)
    : failure(problem(refusalOf(action)));
}

type RoleChange = {
  readonly userId: string;
  readonly from: MemberRole;
  readonly role: MemberRole;
  readonly actorId: string;
};

/** Errors: `organisation_changed` for another role than `from`; `owners_only`; `last_owner`. */
export async function changeRole(
  trx: Transaction,
  platform: Minting,
  { userId, from, role, actorId }: RoleChange,
): Promise<Result<null>> {
  const { id } = await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const permitted = await checkPermission(trx, actorId, "change_role");
  if (!permitted.ok) return permitted;
  const current = await selectRole(trx, userId);
  if (current === null || current !== from) return failure(problem("organisation_changed"));
  if (current === role) return success(null);
  const allowed = await checkOwners(trx, { actorId, touched: [current, role], leaves: current });
  if (!allowed.ok) return allowed;
  await updateRole(trx, { organisationId: id, userId, role });
  await noteEvent(trx, platform, {
    kind: "role_changed",
    actorId,
    subjectId: userId,
    detail: { role, from },
  });
  return success(null);
}

/**
 * Gives the role.
 * Errors: `not_found`; `owners_only`; `last_owner`.
 */
export async function endMembership(
  trx: Transaction,
  platform: Minting,
  { userId, actorId }: { readonly userId: string; readonly actorId: string },
): Promise<Result<MemberRole>> {
  await lockHost(trx, { id: platform.newId(), now: platform.clock() });
  const permitted = await checkPermission(trx, actorId, "remove_member");
  if (!permitted.ok) return permitted;
  const role = await selectRole(trx, userId);
  if (role === null) return failure(problem("not_found"));
  const allowed = await checkOwners(trx, { actorId, touched: [role], leaves: role });
  if (!allowed.ok) return allowed;
  await deleteMemberships(trx, userId);
  return success(role);
}

async function checkOwners(
  trx: Transaction,
  change: {
    readonly actorId: string;
    readonly touched: readonly MemberRole[];
    readonly leaves: MemberRole;
  },
): Promise<Result<null>> {
  if (!change.touched.includes("owner")) return success(null);
  if (!isPermitted(await selectRole(trx, change.actorId), "change_owner"))
    return failure(problem("owners_only"));
  return change.leaves === "owner" && (await countMembers(trx)).owners < 2
    ? failure(problem("last_owner"))
    : success(null);
}

/** Errors: `last_owner` while others are members. */
export async function checkErasure(reader: Reader, userId: string): Promise<Result<null>> {
  if ((await selectRole(reader, userId)) !== "owner") return success(null);
  const { members, owners } = await countMembers(reader);
  return members > 1 && owners < 2 ? failure(problem("last_owner")) : success(null);
}

export async function eraseMembership(
  trx: Transaction,
  platform: Minting,
  { userId, email }: { readonly userId: string; readonly email: string },
): Promise<void> {
  if ((await selectRole(trx, userId)) === null) return;
  await deleteMemberships(trx, userId);
  await eraseEventAddress(trx, email);
  await noteEvent(trx, platform, { kind: "member_erased", actorId: userId, subjectId: userId });
}
