/** The journal of each envelope: append-only, dense, chained by hash. */
export { appendEvents } from "./journal.ts";
export {
  type EventName,
  type AuditActor,
  type AuditValue,
  type NewAuditEvent,
  SYSTEM_ACTOR,
} from "./store.ts";
export { actorName, type EventFault, eventFault } from "./journal.ts";
export { type EventsPage, listEvents, readJournal, readStoredJournal } from "./journal.ts";
export {
  eraseActorAddresses,
  erasePersonalValues,
  type Naming,
  EVENT_TIME,
  type EventAbout,
  eventsAbout,
  followedBy,
  formerName,
  namingsIn,
  nameThen,
  selectEventsAbout,
  selectLastAt,
  selectStepChanges,
  type StepChange,
  type StoredEvent,
} from "./store.ts";
export { type CopyProgress, readCopyProgress } from "./transparency/copies.ts";
export { createTransparency } from "./transparency/create-transparency.ts";
export { leafOf, readLog, wasLeftOut } from "./transparency/read-inclusion.ts";
export { requestCheckpoint } from "./transparency/make-checkpoint.ts";
export { readLogHealth } from "./transparency/create-transparency.ts";
