/** The organisation that runs this installation, and its members. */
export { type Brand, shownLogo } from "./domain/brand.ts";
export {
  grantRole,
  knownBrand,
  knownIdentity,
  knownRegistration,
  loadRegistration,
  lockFirstStart,
} from "./host.ts";
export { deleteMemberships, selectRole } from "./store.ts";
