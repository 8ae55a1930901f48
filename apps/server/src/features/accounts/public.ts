/** Accounts and their sessions: who is signed in. */
export { type AccountDeps, createAccounts, type PasswordHasher } from "./account-deps.ts";
export { administration } from "./administration.ts";
export { openFirstStart } from "./first-start.ts";
export { closeAccount, closeForLeaver } from "./administration.ts";
export {
  countDelegatedAct,
  lockStanding,
  readSigningFor,
  signingAt,
  type StandingJson,
} from "./delegations/delegation-store.ts";
export { confirmOwnAddress } from "./change-address.ts";
export { confirmPassword } from "./change-password.ts";
export { emailKey } from "./domain/names.ts";
export type { SessionUser } from "./sessions.ts";
export { confirmSigner } from "./factors/confirmation.ts";
export { listMembers, notifyWithoutFactor } from "./members/members.ts";
export { listFactors, requireFreshSignIn, resetFactors } from "./factors/second-factors.ts";
export { listSessions, livingSessions } from "./sessions.ts";
export { loadMember, type ProfileCopy, readProfile } from "./profile.ts";
export {
  clearSessionCookies,
  optionalUser,
  requirePermission,
  requireUser,
  requireWorkToWrite,
  requireScope,
  signedInUser,
} from "./session-guard.ts";
export {
  type MemberRow,
  selectColleagues,
  selectFormerMembers,
  selectMembers,
} from "./members/member-store.ts";
export { deleteSessionsOf, signsInAccount } from "./session-store.ts";
export { checkRoom, type Room, takeRoom } from "./storage-store.ts";
export {
  behindOf,
  deleteKeysOf,
  holderColumns,
  holderOf,
  isKeyGone,
  isManagedBy,
  nameOf,
  selectBehind,
  selectHolders,
  selectManagers,
  selectOrigins,
} from "./keys/key-store.ts";
export {
  chooseHolder,
  isAllowedFrom,
  listKeys,
  lockUser,
  noteProgram,
  scopeOfRoute,
} from "./keys/keys.ts";
