/** The organisation that runs this installation, its members and its journal. */
export { type Brand, shownLogo } from "./domain/brand.ts";
export { eventSentence } from "./domain/journal-words.ts";
export { isPermitted, type OrganisationAction } from "./domain/permissions.ts";
export {
  knownBrand,
  knownIdentity,
  knownRegistration,
  loadRegistration,
  lockOrganisation,
} from "./host.ts";
export {
  changeRole,
  checkErasure,
  checkPermission,
  endMembership,
  eraseMembership,
  grantRole,
  noteEvent,
} from "./members.ts";
export { lockHost, selectEvents, selectRole, type StoredEvent } from "./store.ts";
