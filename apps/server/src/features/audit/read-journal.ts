import type { AuditEvent } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { presentEvent } from "./list-events.ts";
import { selectEventsAfter } from "./store.ts";

const PAGE = 200;

/** Gives an envelope's journal from its beginning, a page at a time; of these actors alone where they are named (`user:{id}`, `recipient:{id}`). */
export async function* readJournal(
  reader: Reader,
  envelopeId: string,
  actors: ReadonlySet<string> | null = null,
): AsyncGenerator<AuditEvent, void> {
  for (let afterSequence = 0; ; ) {
    const events = await selectEventsAfter(reader, envelopeId, { afterSequence, limit: PAGE });
    for (const event of events) if (actors === null || actors.has(event.actor)) yield presentEvent(event);
    if (events.length < PAGE) return;
    afterSequence = events.at(-1)?.sequence ?? afterSequence;
  }
}
