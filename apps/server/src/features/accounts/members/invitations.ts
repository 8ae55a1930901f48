import {
  failure,
  INVITATION_DAYS,
  type InvitationAnswer,
  type InvitationList,
  type InviteRequest,
  type MemberRole,
  problem,
  type Problem,
  type Result,
  success,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../../platform/database/database.ts";
import { allOrNothing, inTransaction } from "../../../platform/database/in-transaction.ts";
import { checkMail } from "../../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../../platform/platform.ts";
import { enqueueNotice } from "../../notices/public.ts";
import {
  checkPermission,
  grantRole,
  joinTeam,
  knownIdentity,
  noteEvent,
  selectRole,
  selectTeams,
} from "../../organisations/public.ts";
import { emailKey } from "../domain/names.ts";
import { hashToken, mintToken } from "../limit-requests.ts";
import { findActivated, lockAddress } from "../registration-store.ts";
import { loadAccount, markAddressConfirmed } from "../store.ts";
import {
  findInvitation,
  insertInvitation,
  type Invitation,
  isUsable,
  lockWaiting,
  renewInvitation,
  selectWaiting,
  takeInvitation,
  withdrawInvitation,
} from "./invitation-store.ts";
import { reopen, selectMembers, selectNames } from "./member-store.ts";

const DAY_MS = 86_400_000;

export async function listInvitations({ db }: Pick<Platform, "db">): Promise<InvitationList> {
  const rows = await selectWaiting(db);
  const teams = await selectTeams(db);
  const names = await selectNames(
    db,
    rows.flatMap(({ invitedBy }) => invitedBy ?? []),
  );
  return {
    invitations: rows.flatMap(({ id, email, role, invitedBy, teamId, createdAt, expiresAt }) =>
      email === null || role === null
        ? []
        : [
            {
              id,
              email,
              role,
              invited_by: invitedBy === null ? null : (names.get(invitedBy) ?? null),
              team: teams.find((team) => team.id === teamId) ?? null,
              sent_at: createdAt.toISOString(),
              expires_at: expiresAt.toISOString(),
            },
          ],
    ),
  };
}

/**
 * A waiting invitation of the same address is replaced.
 * Errors: `mail_off`; `validation` on `emails` for members, on `team` once gone.
 */
export async function inviteMembers(
  platform: Platform,
  { emails, role, team, actorId }: InviteRequest & { readonly actorId: string },
): Promise<Result<null, Problem>> {
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  const members = new Set((await selectMembers(platform.db)).map(({ email }) => emailKey(email)));
  const known = emails.filter((email) => members.has(emailKey(email)));
  if (known.length > 0) {
    const sentences = known.map((email) => `${email} fait déjà partie de l’organisation.`);
    return failure(problem("validation", { errors: { emails: sentences } }));
  }
  if (team !== null && !(await selectTeams(platform.db)).some(({ id }) => id === team))
    return failure(problem("validation", { errors: { team: ["Cette équipe n’existe plus."] } }));
  // Sorted: two invitations of the same people would deadlock otherwise.
  const asked = new Map(emails.map((email) => [emailKey(email), email]));
  const sorted = [...asked].toSorted(([a], [b]) => a.localeCompare(b));
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "invite_members");
    if (!permitted.ok) return permitted;
    for (const [key, email] of sorted) {
      await lockAddress(trx, key);
      const id = platform.newId();
      const { token, sha256, now, expiresAt } = mint(platform);
      const link = { id, sha256, now, expiresAt, teamId: team };
      await insertInvitation(trx, { ...link, role, email, invitedBy: actorId });
      await mailInvitation(trx, platform, { email, role, actorId, token });
      const detail = { email, role };
      await noteEvent(trx, platform, { kind: "member_invited", actorId, detail });
    }
    return success(null);
  });
}

function mint(platform: Platform) {
  const now = platform.clock();
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  return { ...mintToken(platform), now, expiresAt };
}

async function mailInvitation(
  trx: Transaction,
  platform: Platform,
  sent: { email: string; role: MemberRole; actorId: string; token: string },
): Promise<void> {
  const names = await selectNames(trx, [sent.actorId]);
  await enqueueNotice(trx, platform, {
    kind: "member_invited",
    channel: "email",
    dedupeKey: `member_invited:${toHex(hashToken(sent.token))}`,
    to: { fullName: "", address: sent.email },
    content: {
      organisation: (await knownIdentity(platform))?.name ?? null,
      inviter: names.get(sent.actorId) ?? "",
      role: sent.role,
      // A fragment reaches no log and no other site.
      link: `${platform.settings.publicUrl}/invitation#${sent.token}`,
    },
  });
}

export async function grantInvited(
  trx: Transaction,
  platform: Platform,
  invited: { readonly userId: string; readonly role: MemberRole; readonly teamId: string | null },
): Promise<void> {
  const { userId, role, teamId } = invited;
  await grantRole(trx, platform, { userId, role, actorId: userId });
  if (teamId !== null) await joinTeam(trx, platform, { userId, teamId });
}

type Change = { readonly id: string; readonly actorId: string };

/**
 * The new link is valid for seven days and ends the one before. Errors: `mail_off`; `not_found`.
 */
export async function renewMemberInvitation(
  platform: Platform,
  { id, actorId }: Change,
): Promise<Result<null, Problem>> {
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  return inTransaction<Result<null, Problem>>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "invite_members");
    if (!permitted.ok) return permitted;
    const invitation = await lockWaiting(trx, id);
    if (invitation === null || invitation.email === null || invitation.role === null)
      return failure(problem("not_found"));
    const { email, role } = invitation;
    const { token, sha256, now, expiresAt } = mint(platform);
    await renewInvitation(trx, { id, sha256, now, expiresAt });
    await mailInvitation(trx, platform, { email, role, actorId, token });
    await noteEvent(trx, platform, { kind: "invitation_renewed", actorId, detail: { email } });
    return success(null);
  });
}

/** Errors: `not_found` once accepted or withdrawn. */
export function withdrawMemberInvitation(
  platform: Platform,
  { id, actorId }: Change,
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    const permitted = await checkPermission(trx, actorId, "invite_members");
    if (!permitted.ok) return permitted;
    const invitation = await lockWaiting(trx, id);
    if (invitation === null) return failure(problem("not_found"));
    await withdrawInvitation(trx, { id, now: platform.clock() });
    const detail = { email: invitation.email };
    await noteEvent(trx, platform, { kind: "invitation_withdrawn", actorId, detail });
    return success(null);
  });
}

type Mailed = Invitation & { readonly email: string; readonly emailKey: string };

/** Errors: `invitation_used`, `invitation_withdrawn`, `invitation_expired`. */
function checkInvitation(invitation: Invitation | null, now: Date): Result<Mailed> {
  if (invitation === null || invitation.email === null || invitation.emailKey === null)
    return failure(problem("invitation_expired"));
  if (invitation.acceptedAt !== null) return failure(problem("invitation_used"));
  if (invitation.withdrawnAt !== null) return failure(problem("invitation_withdrawn"));
  const { email, emailKey: key } = invitation;
  return isUsable(invitation, now)
    ? success({ ...invitation, email, emailKey: key })
    : failure(problem("invitation_expired"));
}

/** Errors: those of `checkInvitation`. */
export async function readInvitation(
  platform: Platform,
  token: string,
): Promise<Result<InvitationAnswer>> {
  const { db } = platform;
  const found = checkInvitation(await findInvitation(db, hashToken(token)), platform.clock());
  if (!found.ok) return found;
  const { email, emailKey: key, role, invitedBy, expiresAt } = found.value;
  const userId = await findActivated(db, key);
  const account = userId === null ? null : await loadAccount(db, userId);
  const names = await selectNames(db, invitedBy === null ? [] : [invitedBy]);
  return success({
    organisation: (await knownIdentity(platform))?.name ?? null,
    email,
    role,
    invited_by: invitedBy === null ? null : (names.get(invitedBy) ?? null),
    expires_at: expiresAt.toISOString(),
    account: account === null ? "none" : account.deactivatedAt === null ? "open" : "closed",
  });
}

/**
 * Joins with the invited address's account, signed in or reopened after leaving: the link came to
 * its mailbox.
 * Errors: those of `checkInvitation`; `invitation_other_address`; `session_expired` where one signs
 * in or registers first.
 */
export function acceptInvitation(
  platform: Platform,
  { token, userId }: { readonly token: string; readonly userId: string | null },
): Promise<Result<null>> {
  const now = platform.clock();
  const sha256 = hashToken(token);
  return allOrNothing(platform.db, async (trx) => {
    const found = checkInvitation(await findInvitation(trx, sha256), now);
    if (!found.ok) return found;
    const { emailKey: key, role } = found.value;
    await lockAddress(trx, key);
    const owner = await findActivated(trx, key);
    if (userId !== null && userId !== owner) return failure(problem("invitation_other_address"));
    const account = owner === null ? null : await loadAccount(trx, owner);
    if (account === null || (userId === null && account.deactivatedAt === null))
      return failure(problem("session_expired"));
    const taken = await takeInvitation(trx, { sha256, emailKey: key, now });
    if (taken === null) return failure(problem("invitation_used"));
    if (account.deactivatedAt !== null && !(await reopen(trx, { id: account.id, now })))
      return failure(problem("invitation_expired"));
    await markAddressConfirmed(trx, { id: account.id, emailKey: key, now });
    if (role !== null && (await selectRole(trx, account.id)) === null)
      await grantInvited(trx, platform, { userId: account.id, role, teamId: taken.teamId });
    return success(null);
  });
}
