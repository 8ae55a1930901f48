/** Accounts and their sessions: who is signed in. */
export { type AccountDeps, createAccounts } from "./account-deps.ts";
export { administration } from "./administer.ts";
export { closeAccount } from "./close-account.ts";
export { confirmOwnAddress } from "./confirm-own-address.ts";
export { confirmPassword } from "./confirm-password.ts";
export { maskEmail, maskPhone } from "./domain/mask-address.ts";
export { emailKey } from "./domain/text-key.ts";
export type { SessionUser } from "./find-session-user.ts";
export { listSessions } from "./list-sessions.ts";
export { livingSessions } from "./living-sessions.ts";
export { loadMember } from "./load-member.ts";
export { type ProfileCopy, readProfile } from "./read-profile.ts";
export { clearSessionCookies } from "./session-cookies-guard.ts";
export { optionalUser, requireUser, signedInUser } from "./session-guard.ts";
export { deleteSessionsOf } from "./session-store.ts";
export { checkRoom, type Room, takeRoom } from "./storage/room.ts";
