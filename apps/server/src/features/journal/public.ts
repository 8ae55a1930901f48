/** The journal of each envelope: append-only, dense, chained by hash. */
export { appendEvent, appendEvents } from "./append-event.ts";
export { type AuditAction, type AuditActor, type AuditValue, type NewAuditEvent, SYSTEM_ACTOR } from "./domain/audit-event.ts";
export { type EventFault, eventFault } from "./event-fault.ts";
export { type EventsPage, listEvents } from "./list-events.ts";
export { readJournal, readStoredJournal } from "./read-journal.ts";
export { eraseActorAddresses, erasePersonalValues, EVENT_TIME, selectEventsAbout, selectLastAt, type StoredEvent } from "./store.ts";
export { type CopyProgress, readCopyProgress } from "./transparency/copy-progress.ts";
export { createTransparency } from "./transparency/create-transparency.ts";
export { leafOf } from "./transparency/leaf-of.ts";
export { makeCheckpoint } from "./transparency/make-checkpoint.ts";
export { presentCheckpoint } from "./transparency/present-checkpoint.ts";
export { readInclusion, readLoggedHeads, wasLeftOut } from "./transparency/read-inclusion.ts";
export { readLogHealth } from "./transparency/read-log-health.ts";
export { CHECKPOINT_JOB, requestCheckpoint } from "./transparency/request-checkpoint.ts";
export { verifyChain } from "./verify-chain.ts";
