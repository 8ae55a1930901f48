/** The journal of each envelope: append-only, dense, chained by hash. */
export { appendEvent, appendEvents } from "./append-event.ts";
export { actorKey, type AuditAction, type AuditActor, type AuditValue, type NewAuditEvent, SYSTEM_ACTOR } from "./domain/audit-event.ts";
export { type EventFault, eventFault } from "./event-fault.ts";
export { readJournal, readStoredJournal } from "./read-journal.ts";
export { type EventsPage, listEvents } from "./list-events.ts";
export { EVENT_TIME, eraseActorAddresses, erasePersonalValues, selectEventsAbout, selectLastAt, type StoredEvent } from "./store.ts";
export { type ChainVerdict, verifyChain } from "./verify-chain.ts";
