import type { AuditEvent } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { presentEvent } from "./list-events.ts";
import { selectEventsAfter, type StoredEvent } from "./store.ts";

const PAGE = 200;

/** Gives an envelope's journal as it is stored, salts and hashes, from its beginning; a page at a time is read. */
export async function* readStoredJournal(reader: Reader, envelopeId: string): AsyncGenerator<StoredEvent, void> {
  for (let afterSequence = 0; ; ) {
    const events = await selectEventsAfter(reader, envelopeId, { afterSequence, limit: PAGE });
    yield* events;
    if (events.length < PAGE) return;
    afterSequence = events.at(-1)?.sequence ?? afterSequence;
  }
}

/** Gives an envelope's journal from its beginning, a page at a time; of these actors alone where they are named (`user:{id}`, `recipient:{id}`). */
export async function* readJournal(
  reader: Reader,
  envelopeId: string,
  actors: ReadonlySet<string> | null = null,
): AsyncGenerator<AuditEvent, void> {
  for await (const event of readStoredJournal(reader, envelopeId))
    if (actors === null || actors.has(event.actor)) yield presentEvent(event);
}
