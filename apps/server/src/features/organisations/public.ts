/** The organisation that runs this installation, its members and its journal. */
export { type Brand, shownLogo } from "./domain/brand.ts";
export { eventSentence, nameHolder, type OrganisationEventKind } from "./domain/journal-words.ts";
export {
  type Holding,
  holdersOf,
  isPermitted,
  type OrganisationAction,
  refusalOf,
  rolesWith,
  selfOf,
  type Standing,
  type TeamPlace,
} from "./domain/permissions.ts";
export {
  type FactorAsked,
  knownBrand,
  knownIdentity,
  knownPasswordMinimum,
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
export {
  changeMemberTeams,
  changeTeam,
  createTeam,
  deleteTeam,
  joinTeam,
} from "./teams.ts";
export {
  selectAbandoned,
  selectAdministered,
  selectTeamHeir,
  selectTeams,
  teamOutlives,
} from "./team-store.ts";
export {
  deleteEvents,
  lockHost,
  selectEvents,
  selectHost,
  selectRole,
  selectStanding,
  standingOf,
  teamsUnder,
  type StoredEvent,
} from "./store.ts";
