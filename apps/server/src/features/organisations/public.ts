/** The organisation that runs this installation, and its members. */
export { isPermitted, type OrganisationAction } from "./domain/permissions.ts";
export {
  grantRole,
  knownIdentity,
  knownRegistration,
  loadRegistration,
  lockFirstStart,
} from "./host.ts";
export { deleteMemberships, selectRole } from "./store.ts";
